/** The file of a recording: whole lines are appended to it, and it ends with a whole line after every write. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { roomOnDisk } from '../log/disk-room.ts';

export const RECORDING_NAME = 'recording.cast';

const NEWLINE = 10;
const READ_BYTES = 0x4_0000;
/** O_NOFOLLOW: another process might have put a link there. O_NONBLOCK: or a pipe. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The file of an earlier process. */
export interface ExistingCast {
  readonly file: CastFile;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

export class CastFile {
  readonly #folder: string;
  #handle: FileHandle | undefined;
  #isCreated = false;
  #size = 0;
  /** The size up to which the last check found room on the disk. */
  #roomUpTo = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file of another daemon; undefined if there is none. A line that the daemon could not complete does not count. */
  static async existing(folder: string): Promise<ExistingCast | undefined> {
    const file = new CastFile(folder);
    const stats = await lstat(file.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (stats?.isFile() !== true) return undefined;
    file.#size = await file.#withFile(constants.O_RDONLY, (handle) => lastLineEnd(handle, stats.size));
    file.#isCreated = true;
    if (file.#size > 0) return { file, writtenAt: stats.mtimeMs };
    await unlink(file.#path); // a recording that continues creates it
    return undefined;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** Whether the disk takes this many bytes. `room`: how many more the agent may have on the disk before the next call. */
  hasRoom(bytes: number, room: () => number): boolean {
    if (this.#size + bytes <= this.#roomUpTo) return true;
    this.#roomUpTo = this.#size + Math.min(roomOnDisk(this.#folder), room());
    return this.#size + bytes <= this.#roomUpTo;
  }

  /** Appends whole lines. If that fails, the lines are not part of the file. */
  async append(lines: string): Promise<void> {
    this.#handle ??= await this.#openToWrite();
    const bytes = Buffer.from(lines);
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#size + at);
      at += bytesWritten;
    }
    this.#size += bytes.length;
  }

  async truncate(size: number): Promise<void> {
    this.#size = size; // first, so that concurrent readers stop there
    await this.#withFile(constants.O_RDWR, (handle) => handle.truncate(size));
  }

  /** Whole lines after a position, at most `maxBytes`, and at least one line. A position inside a line means the next line. */
  async read(from: number, maxBytes: number): Promise<{ readonly text: string; readonly next: number }> {
    const end = this.#size;
    if (from >= end) return { text: '', next: end };
    return this.#withFile(constants.O_RDONLY, async (handle) => {
      const start = from === 0 ? 0 : await nextLineEnd(handle, from - 1, end);
      const window = await bytesAt(handle, start, Math.min(maxBytes, end - start));
      const last = window.lastIndexOf(NEWLINE);
      if (last >= 0) return { text: window.toString('utf8', 0, last + 1), next: start + last + 1 };
      const next = await nextLineEnd(handle, start, end);
      return { text: (await bytesAt(handle, start, next - start)).toString('utf8'), next };
    });
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  get #path(): string {
    return join(this.#folder, RECORDING_NAME);
  }

  /** A new file must not exist yet. One of another daemon continues after its last whole line. */
  async #openToWrite(): Promise<FileHandle> {
    const flags = constants.O_RDWR | (this.#isCreated ? 0 : constants.O_CREAT | constants.O_EXCL) | SAFELY;
    const handle = await open(this.#path, flags, 0o600);
    if (this.#isCreated) await handle.truncate(this.#size);
    this.#isCreated = true;
    return handle;
  }

  async #withFile<T>(flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
    if (this.#handle !== undefined) return work(this.#handle);
    const handle = await open(this.#path, flags | SAFELY);
    try {
      return await work(handle);
    } finally {
      await handle.close();
    }
  }
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** The position after the first newline at or after `from`. */
async function nextLineEnd(handle: FileHandle, from: number, end: number): Promise<number> {
  for (let at = from; at < end; at += READ_BYTES) {
    const found = (await bytesAt(handle, at, Math.min(READ_BYTES, end - at))).indexOf(NEWLINE);
    if (found >= 0) return at + found + 1;
  }
  return end;
}

/** The position after the last newline. */
async function lastLineEnd(handle: FileHandle, end: number): Promise<number> {
  for (let at = end; at > 0; at -= READ_BYTES) {
    const start = Math.max(0, at - READ_BYTES);
    const found = (await bytesAt(handle, start, at - start)).lastIndexOf(NEWLINE);
    if (found >= 0) return start + found + 1;
  }
  return 0;
}
