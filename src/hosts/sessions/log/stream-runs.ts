/** So many changes between the streams are remembered; older output counts as standard output. */
const MOST_FLIPS = 65_536;

type Stream = 'out' | 'err';

/** Which of the two streams each byte of a log came from: the positions where it changes, from `out` at the start. */
export class StreamRuns {
  #flips: number[] = [];
  /** The stream in front of the first remembered flip; `out` again and again when flips are forgotten in pairs. */
  #current: Stream = 'out';

  note(position: number, stream: Stream): void {
    if (stream === this.#current) return;
    this.#current = stream;
    this.#flips.push(position);
    // Forgotten in pairs, so that the stream of what is left stays right; half at once, so that it is rarely done.
    if (this.#flips.length > MOST_FLIPS) this.#flips = this.#flips.slice(MOST_FLIPS / 2);
  }

  /** The stream of the byte at a position, and where its run ends (at most `end`). */
  runAt(position: number, end: number): { readonly stream: Stream; readonly end: number } {
    let low = 0;
    let high = this.#flips.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#flips[middle]! <= position) low = middle + 1;
      else high = middle;
    }
    return { stream: low % 2 === 0 ? 'out' : 'err', end: Math.min(end, this.#flips[low] ?? end) };
  }
}
