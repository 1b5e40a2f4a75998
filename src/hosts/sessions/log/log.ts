import { allocateNew, ByteRing } from './byte-ring.ts';
import { SpillFile, type SpillSource } from './spill-file.ts';
import { StreamRuns } from './stream-runs.ts';

const HEAD_BYTES = 0x1_0000;
const TAIL_BYTES = 0x10_0000;
/** Backpressure: the process is paused while more bytes wait for the disk, and resumed at the low-water mark. */
const HIGH_WATER = 0x8_0000;
const LOW_WATER = 0x4_0000;
/** The same for the copy of a log of another machine, of which megabytes arrive before this end can ask it to pause. */
const COPY_HIGH_WATER = 0x40_0000;
/** All that waits is written at once: a turn of the event loop may read megabytes, and has time for one write. */
const WRITE_BYTES = COPY_HIGH_WATER;
/** What stays in memory of a finished log that is on the disk. */
const FINISHED_TAIL_BYTES = 0x2000;
/** What stays in memory of the end of a log whose middle was removed. */
const CUT_TAIL_BYTES = 0x1_0000;

const NOTHING = Buffer.alloc(0);

/** Consecutive bytes, and the position of the first. */
export interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

export interface LogOptions extends Pick<SpillSource, 'record' | 'room'> {
  /** A copy of the log of another machine. */
  readonly isCopy?: boolean;
}

/**
 * The numbered output of one session. Memory has the newest megabyte and the first 64 KB. The disk has everything up to a cap,
 * from the moment that the log outgrows its first 64 KB or `persist` is called. Every reader is a position.
 */
export class OutputLog {
  readonly runs = new StreamRuns();
  readonly #ring = new ByteRing(TAIL_BYTES);
  readonly #spill: SpillFile;
  readonly #resume: () => void;
  readonly #highWater: number;
  #head: Buffer = NOTHING;
  #paused = false;
  /** A gap waits until the bytes before it are on the disk. */
  #isSkipping = false;
  #isCut = false;
  #retainedFrom: number | undefined;

  /** The log of a session of another daemon; nothing is appended to it. */
  static reopened(folder: string, cap: number, bytes: number): OutputLog {
    const log = new OutputLog(folder, cap, () => undefined);
    log.#spill.adopt(bytes);
    log.#ring.beginAt(bytes);
    return log;
  }

  /** A log of which the disk has the first bytes already; it continues after them. */
  static continued(bytes: number, ...parts: ConstructorParameters<typeof OutputLog>): OutputLog {
    const log = new OutputLog(...parts);
    log.#spill.continueAfter(bytes);
    log.#ring.beginAt(bytes);
    return log;
  }

  constructor(folder: string, cap: number, resume: () => void, { isCopy, ...more }: LogOptions = {}) {
    this.#resume = resume;
    this.#highWater = isCopy === true ? COPY_HIGH_WATER : HIGH_WATER;
    this.#spill = new SpillFile(folder, cap, {
      piece: (position) => (position < this.#ring.end ? this.#ring.piece(position, WRITE_BYTES) : NOTHING),
      waiting: (position) => this.#ring.end - position,
      advanced: () => this.#advanced(),
      ...more,
    });
  }

  /** The number of all bytes ever. */
  get end(): number {
    return this.#ring.end;
  }

  /** The end of the bytes without a gap from the start, and the start of the kept rest; equal if nothing is missing. */
  get gap(): { readonly start: number; readonly end: number } {
    const start = Math.max(this.#spill.written, this.#head.length);
    return start >= this.#ring.start ? { start: this.end, end: this.end } : { start, end: this.#ring.start };
  }

  get bytesOnDisk(): number {
    return this.#spill.written;
  }

  /** Whether a reader must get every byte. */
  get isRetained(): boolean {
    return this.#retainedFrom !== undefined;
  }

  /** Whether the caller is to wait for `resume`. */
  get isPaused(): boolean {
    return this.#paused;
  }

  /** Why the disk took no more, other than the cap. */
  get note(): string | undefined {
    return this.#spill.note;
  }

  /** Appends output; false asks the caller to pause until `resume` is called. */
  append(stream: 'out' | 'err', bytes: Uint8Array): boolean {
    const ring = this.#ring;
    this.runs.note(ring.end, stream);
    if (!this.#spill.started && ring.end + bytes.length > HEAD_BYTES) this.#spill.start();
    // Only bytes that are on the disk, or never will be, may be overwritten.
    ring.append(bytes, this.#spill.started ? this.#wanted() : 0);
    if (ring.end >= HEAD_BYTES) this.#keepHead();
    this.#spill.push();
    if (this.#backlog() <= this.#highWater) return true;
    this.#paused = true;
    return false;
  }

  /**
   * Counts bytes that another machine has dropped: readers see a gap, and positions stay equal to those of that machine. What
   * follows is kept in memory only, because the disk has the bytes before the first gap. Always asks the caller to pause, until
   * those are on the disk.
   */
  skip(bytes: number): false {
    this.#spill.start();
    this.#paused = true;
    this.#isSkipping = true;
    const taken = this.#spill.settled().then(() => this.#spill.stopTaking());
    void taken.then(() => {
      this.#keepHead(); // the disk may have failed
      this.#ring.beginAt(this.end + bytes);
      this.#isSkipping = false;
      this.#paused = false;
      this.#resume();
    });
    return false;
  }

  /**
   * One reader must get every byte from this position on: if the disk takes no more, the process waits for the reader.
   * Undefined ends that.
   */
  retainFrom(position: number | undefined): void {
    this.#retainedFrom = position;
    this.#advanced();
  }

  /** From now on the log is on the disk, however short it is. */
  persist(): void {
    this.#spill.start();
  }

  /** Whether the session has a folder on the disk; false if it could not be created. */
  hasFolder(): Promise<boolean> {
    return this.#spill.hasFolder();
  }

  /** The kept bytes from a position on, from memory or with a blocking read; a later start means a gap. */
  next(position: number, maximum: number): Piece | undefined {
    const found = this.#inMemory(position, maximum);
    if (found !== undefined || position >= this.end) return found;
    if (position < this.#spill.written) {
      const bytes = Buffer.allocUnsafe(Math.min(maximum, this.#spill.written - position));
      const got = this.#spill.readBlocking(bytes, position);
      if (got > 0) return { start: position, bytes: bytes.subarray(0, got) };
    }
    return this.#afterGap(position, maximum);
  }

  /** `next` without blocking. */
  async nextAsync(position: number, maximum: number, allocate = allocateNew): Promise<Piece | undefined> {
    const found = this.#inMemory(position, maximum, allocate);
    if (found !== undefined || position >= this.end) return found;
    if (position < this.#spill.written) {
      const bytes = allocate(Math.min(maximum, this.#spill.written - position));
      const got = await this.#spill.read(bytes, position);
      if (got > 0) return { start: position, bytes: bytes.subarray(0, got) };
    }
    return this.#afterGap(position, maximum);
  }

  /** Fills `into` with the bytes after a position, up to a gap, and returns their number. */
  async fill(into: Uint8Array, position: number): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const at = position + filled;
      const rest = into.subarray(filled);
      const got =
        at >= this.#ring.start || at >= this.#spill.written
          ? this.#fillFromMemory(rest, at)
          : await this.#spill.read(rest.subarray(0, this.#spill.written - at), at);
      if (got === 0) break;
      filled += got;
    }
    return filled;
  }

  /** All kept bytes between two positions, in order; for ranges that fit into memory. */
  between(from: number, to: number): readonly Piece[] {
    const pieces: Piece[] = [];
    for (let at = from; at < to; ) {
      const piece = this.next(at, to - at);
      if (piece === undefined || piece.start >= to) break;
      pieces.push(
        piece.start + piece.bytes.length > to ? { ...piece, bytes: piece.bytes.subarray(0, to - piece.start) } : piece,
      );
      at = piece.start + piece.bytes.length;
    }
    return pieces;
  }

  /** Resolves when everything appended is on the disk, or never will be. */
  settled(): Promise<void> {
    return this.#spill.settled();
  }

  /** Call after the last append. Waits for the disk, writes the final record, and frees memory that the disk has too. */
  async finish(): Promise<void> {
    await this.settled();
    await this.#spill.writeFinalRecord();
    await this.#spill.finish();
    if (this.#spill.written >= this.#head.length) this.#head = NOTHING;
    if (this.#spill.written === this.end) this.#ring.shrinkTo(this.end - FINISHED_TAIL_BYTES);
    else if (this.#isCut) this.#ring.shrinkTo(this.end - CUT_TAIL_BYTES);
  }

  /** Writes no more to the disk. */
  stopTaking(): Promise<void> {
    return this.#spill.stopTaking();
  }

  /**
   * Removes the middle: keeps half of what is on the disk, and the end of the log in memory. Readers see a gap. A log that
   * still grows gets no more of the disk. Returns how many bytes of the disk it freed.
   */
  async cut(hasEnded: boolean): Promise<number> {
    await this.#spill.stopTaking();
    const before = this.#spill.written;
    const front = Math.max(HEAD_BYTES, Math.floor(before / 2));
    if (front >= before) return 0;
    if (hasEnded) await this.#loadTail(Math.max(front, this.end - CUT_TAIL_BYTES));
    this.#isCut = true;
    await this.#spill.truncate(front);
    return before - this.#spill.written;
  }

  /** Loads the end of a finished log into memory if only the disk has it. */
  async #loadTail(from: number): Promise<void> {
    if (this.#ring.start <= from || this.#spill.written < this.#ring.start) return;
    const bytes = Buffer.allocUnsafe(this.end - from);
    const filled = await this.fill(bytes, from);
    if (filled < bytes.length) return; // unreadable bytes become part of the gap
    this.#ring.beginAt(from);
    this.#ring.append(bytes, from);
  }

  async remove(): Promise<void> {
    await this.#spill.remove();
  }

  /** The first bytes stay in memory. */
  #keepHead(): void {
    const ring = this.#ring;
    if (this.#head.length === 0 && ring.start === 0) this.#head = ring.copy(0, Math.min(HEAD_BYTES, ring.end));
  }

  #inMemory(position: number, maximum: number, allocate = allocateNew): Piece | undefined {
    const ring = this.#ring;
    if (position >= ring.end) return undefined;
    if (position >= ring.start) {
      return { start: position, bytes: ring.copy(position, Math.min(ring.end, position + maximum), allocate) };
    }
    if (position >= this.#head.length) return undefined;
    return { start: position, bytes: this.#head.subarray(position, position + maximum) };
  }

  #fillFromMemory(into: Uint8Array, position: number): number {
    if (position >= this.#ring.start) return this.#ring.fill(into, position);
    if (position >= this.#head.length) return 0;
    return this.#head.copy(into, 0, position);
  }

  /** Without bytes if the log ends with a gap. */
  #afterGap(position: number, maximum: number): Piece {
    const start = Math.max(position, this.#ring.start);
    return this.#inMemory(start, maximum) ?? { start, bytes: NOTHING };
  }

  /** The first position that must stay in memory: for the disk, or for a reader that must get it. */
  #wanted(): number {
    const { taking, written } = this.#spill;
    if (taking) return written;
    return this.#retainedFrom === undefined ? Number.POSITIVE_INFINITY : Math.max(this.#retainedFrom, written);
  }

  /** How many bytes memory must keep; also those past the cap, because the disk stops late. */
  #backlog(): number {
    return this.#spill.started ? Math.max(0, this.#ring.end - this.#wanted()) : 0;
  }

  #advanced(): void {
    if (!this.#paused || this.#isSkipping || this.#backlog() > LOW_WATER) return;
    this.#paused = false;
    this.#resume();
  }
}
