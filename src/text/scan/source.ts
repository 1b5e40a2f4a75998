/** Random access to bytes: an open file, or bytes in memory. */
export interface ByteSource {
  readonly size: number;
  /** Reads into `into` from `offset`. Returns the number of bytes; 0 at the end. */
  read(offset: number, into: Uint8Array): number;
}

export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(offset, into) {
      const piece = bytes.subarray(offset, offset + into.length);
      into.set(piece);
      return piece.length;
    },
  };
}

/** The bytes of [start, end); fewer if the source ends earlier. */
export function readRange(source: ByteSource, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, end - start));
  return bytes.subarray(0, fill(source, start, bytes));
}

/** Reads until `into` is full or the source ends. Returns the number of bytes. */
export function fill(source: ByteSource, offset: number, into: Uint8Array): number {
  let got = 0;
  while (got < into.length) {
    const more = source.read(offset + got, got === 0 ? into : into.subarray(got));
    if (more === 0) break;
    got += more;
  }
  return got;
}
