import type { OpenFile } from '../shape.ts';

/**
 * An open file that is read from memory: its stamp is still the one under which these bytes were read, so reading it
 * again could give no others. As it stands where the bytes are not all of it.
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
  /** For the record, which looks at a content in memory without copying it. */
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
