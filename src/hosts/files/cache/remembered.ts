import type { OpenFile } from '../shape.ts';

/**
 * An open file whose content is already in memory: its stamp is still the one under which `content` was read. Returns `open` if
 * `content` is not all of it.
 */
export function remembered(open: OpenFile, content: Uint8Array): OpenFile {
  if (content.length !== open.size) return open;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  return new RememberedFile(open, bytes);
}

class RememberedFile implements OpenFile {
  readonly located: OpenFile['located'];
  readonly size: number;
  readonly stamp: OpenFile['stamp'];
  /** The recorder reads it without a copy. */
  readonly bytes: Buffer;
  private readonly open: OpenFile;

  constructor(open: OpenFile, bytes: Buffer) {
    this.open = open;
    this.located = open.located;
    this.size = open.size;
    this.stamp = open.stamp;
    this.bytes = bytes;
  }

  read(offset: number, into: Uint8Array): number {
    return this.bytes.copy(into, 0, offset, offset + into.length);
  }

  readAll(): Uint8Array {
    return this.bytes;
  }

  close(): void {
    this.open.close();
  }
}
