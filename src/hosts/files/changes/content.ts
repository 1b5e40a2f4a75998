import type { ByteSplice, OpenFile } from '../shape.ts';
import { readRange } from './regions.ts';

type Piece =
  | { readonly file: OpenFile; readonly start: number; readonly length: number }
  | { readonly bytes: Uint8Array; readonly start: number; readonly length: number };

const CHUNK = 1 << 20;

/** Content assembled from parts of open files and bytes in memory, so that a big file is never read as a whole. */
export class Content {
  readonly size: number;
  private readonly pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
    this.size = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  static ofFile(file: OpenFile): Content {
    return new Content([{ file, start: 0, length: file.size }]);
  }

  static ofBytes(bytes: Uint8Array): Content {
    return new Content([{ bytes, start: 0, length: bytes.length }]);
  }

  /** The file, if this is its whole and unchanged content. */
  get unchangedFile(): OpenFile | undefined {
    const [piece, second] = this.pieces;
    return piece !== undefined && second === undefined && 'file' in piece && piece.length === piece.file.size
      ? piece.file
      : undefined;
  }

  /** Applies ordered splices. */
  spliced(splices: readonly ByteSplice[]): Content {
    const pieces: Piece[] = [];
    let at = 0;
    for (const { start, end, bytes } of splices) {
      pieces.push(...this.between(at, start), { bytes, start: 0, length: bytes.length });
      at = end;
    }
    pieces.push(...this.between(at, this.size));
    return new Content(pieces.filter(({ length }) => length > 0));
  }

  read(start: number, end: number): Uint8Array {
    return Buffer.concat([...this.between(start, end)].map(bytesOf));
  }

  *chunks(): Generator<Uint8Array> {
    for (let at = 0; at < this.size; at += CHUNK) yield this.read(at, Math.min(this.size, at + CHUNK));
  }

  /** The splices that turn the file into this content; parts of the file that stay in order are not rewritten. */
  splicesFor(file: OpenFile): readonly ByteSplice[] {
    const splices: ByteSplice[] = [];
    let kept = 0;
    let fresh: Uint8Array[] = [];
    const close = (until: number): void => {
      if (until > kept || fresh.length > 0) splices.push({ start: kept, end: until, bytes: Buffer.concat(fresh) });
      fresh = [];
    };
    for (const piece of this.pieces) {
      if ('file' in piece && piece.file === file && piece.start >= kept) {
        close(piece.start);
        kept = piece.start + piece.length;
      } else fresh.push(bytesOf(piece));
    }
    close(file.size);
    return splices;
  }

  private *between(start: number, end: number): Generator<Piece> {
    let at = 0;
    for (const piece of this.pieces) {
      const from = Math.max(start, at);
      const to = Math.min(end, at + piece.length);
      if (from < to) yield { ...piece, start: piece.start + from - at, length: to - from };
      at += piece.length;
    }
  }
}

function bytesOf(piece: Piece): Uint8Array {
  const end = piece.start + piece.length;
  return 'file' in piece ? readRange(piece.file, piece.start, end) : piece.bytes.subarray(piece.start, end);
}
