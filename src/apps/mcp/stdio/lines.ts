/** Bytes in pieces to lines. A line that is too long is left out and told of; what comes behind it is read as before. */

export interface LineReader {
  /** Takes a piece and gives the lines that it completed; undefined stands for one that was too long. */
  read(piece: Uint8Array): Iterable<string | undefined>;
  /** What stands behind the last line feed. */
  rest(): string | undefined;
}

const LINE_FEED = 10;

/** Reads lines of at most so many bytes. */
export function lineReader(longest: number): LineReader {
  let parts: Uint8Array[] = [];
  let size = 0;

  function add(part: Uint8Array): void {
    size += part.length;
    if (size > longest) parts = [];
    else if (part.length > 0) parts.push(part);
  }

  function take(): string | undefined {
    const line = size > longest ? undefined : Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    return line;
  }

  return {
    *read(piece) {
      let from = 0;
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, from)) {
        add(piece.subarray(from, at));
        yield take();
        from = at + 1;
      }
      add(piece.subarray(from));
    },
    rest: () => (size === 0 ? '' : take()),
  };
}
