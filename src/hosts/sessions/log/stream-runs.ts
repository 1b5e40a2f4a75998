/** How many changes between the streams are stored; older output counts as standard output. */
const MOST_FLIPS = 65_536;

type Stream = 'out' | 'err';

/** Which stream each byte of a log came from: the positions where that changes, beginning with `out`. */
export class StreamRuns {
  #flips: number[] = [];
  /** The stream of the last byte. */
  #current: Stream = 'out';

  note(position: number, stream: Stream): void {
    if (stream === this.#current) return;
    this.#current = stream;
    this.#flips.push(position);
    // Dropped in pairs, so that the streams of the others stay correct; half of them together, so that it is rare.
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
