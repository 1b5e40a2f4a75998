import { ByteRing } from './byte-ring.ts';
import { SpillFile, type SpillSource } from './spill-file.ts';
import { StreamRuns } from './stream-runs.ts';

const HEAD_BYTES = 0x1_0000;
const TAIL_BYTES = 0x10_0000;
/** So much may wait for the disk before the process is asked to be silent, and so little before it may go on. */
const MUCH_BACKLOG = 0x8_0000;
const LITTLE_BACKLOG = 0x4_0000;
/** One write to the disk. */
const WRITE_BYTES = 0x4_0000;
/** What stays in memory of a log that has ended and is on the disk. */
const RESTING_BYTES = 0x2000;

/** What stays in memory of the end of a log whose middle was given up. */
const CUT_TAIL_BYTES = 0x1_0000;

const NOTHING = Buffer.alloc(0);

/** Bytes that follow each other, and the position of the first. */
export interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

/**
 * The numbered output of one session. Memory holds the newest megabyte and the first 64 KB; the disk holds everything
 * up to a cap, from the moment that the log outgrows its first 64 KB or is told to be kept. Every reader is a position.
 */
export class OutputLog {
  readonly runs = new StreamRuns();
  readonly #ring = new ByteRing(TAIL_BYTES);
  readonly #spill: SpillFile;
  readonly #resume: () => void;
  #head: Buffer = NOTHING;
  #silenced = false;
  #isCut = false;
  #held: number | undefined;

  /** The log of a session that another daemon had; nothing is appended to it. */
  static reopened(folder: string, cap: number, bytes: number): OutputLog {
    const log = new OutputLog(folder, cap, () => undefined);
    log.#spill.adopt(bytes);
    log.#ring.beginAt(bytes);
    return log;
  }

  constructor(folder: string, cap: number, resume: () => void, more: Pick<SpillSource, 'record' | 'room'> = {}) {
    this.#resume = resume;
    this.#spill = new SpillFile(folder, cap, {
      piece: (position) => (position < this.#ring.end ? this.#ring.piece(position, WRITE_BYTES) : NOTHING),
      advanced: () => this.#advanced(),
      ...more,
    });
  }

  /** All bytes ever. */
  get end(): number {
    return this.#ring.end;
  }

  /** Where the bytes from the start on end, and where the kept rest begins; equal when nothing is missing. */
  get gap(): { readonly start: number; readonly end: number } {
    const start = Math.max(this.#spill.written, this.#head.length);
    return start >= this.#ring.start ? { start: this.end, end: this.end } : { start, end: this.#ring.start };
  }

  /** What the log takes on the disk. */
  get bytesOnDisk(): number {
    return this.#spill.written;
  }

  /** Whether a reader must get every byte. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Why the disk took no more, when that was not the cap. */
  get note(): string | undefined {
    return this.#spill.note;
  }

  /** Takes output; false asks for silence until `resume` is called. */
  append(stream: 'out' | 'err', bytes: Uint8Array): boolean {
    const ring = this.#ring;
    this.runs.note(ring.end, stream);
    if (!this.#spill.started && ring.end + bytes.length > HEAD_BYTES) this.#spill.start();
    // Only what the disk has, or will never have, may be overwritten.
    ring.append(bytes, this.#spill.started ? this.#wanted() : 0);
    if (this.#head.length === 0 && ring.end >= HEAD_BYTES) this.#head = ring.copy(0, HEAD_BYTES);
    this.#spill.push();
    if (this.#backlog() <= MUCH_BACKLOG) return true;
    this.#silenced = true;
    return false;
  }

  /**
   * One reader must get every byte from this position on: where the disk takes no more, the process waits for it.
   * Undefined: nobody needs that any more.
   */
  hold(position: number | undefined): void {
    this.#held = position;
    this.#advanced();
  }

  /** From now on it is on the disk, however short it is. */
  keep(): void {
    this.#spill.start();
  }

  /** What is kept from a position on, from memory or at once from the disk; a later start tells of a gap. */
  next(position: number, maximum: number): Piece | undefined {
    const found = this.#inMemory(position, maximum);
    if (found !== undefined || position >= this.end) return found;
    if (position < this.#spill.written) {
      const bytes = Buffer.allocUnsafe(Math.min(maximum, this.#spill.written - position));
      const got = this.#spill.readNow(bytes, position);
      if (got > 0) return { start: position, bytes: bytes.subarray(0, got) };
    }
    return this.#afterGap(position, maximum);
  }

  /** The same, reading the disk without holding the program up. */
  async nextLater(position: number, maximum: number): Promise<Piece | undefined> {
    const found = this.#inMemory(position, maximum);
    if (found !== undefined || position >= this.end) return found;
    if (position < this.#spill.written) {
      const bytes = Buffer.allocUnsafe(Math.min(maximum, this.#spill.written - position));
      const got = await this.#spill.read(bytes, position);
      if (got > 0) return { start: position, bytes: bytes.subarray(0, got) };
    }
    return this.#afterGap(position, maximum);
  }

  /** Fills `into` with what follows a position without a gap, and says how much that was. */
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

  /** All that is kept between two positions, in order; only for ranges that memory can hold. */
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

  /** Resolves when all that was appended is on the disk, or never will be. */
  settled(): Promise<void> {
    return this.#spill.settled();
  }

  /** Nothing more is appended. Waits for the disk, writes the record again, then gives the memory back that the disk makes needless. */
  async rest(): Promise<void> {
    await this.settled();
    await this.#spill.recorded();
    await this.#spill.rest();
    if (this.#spill.written >= this.#head.length) this.#head = NOTHING;
    if (this.#spill.written === this.end) this.#ring.shrinkTo(this.end - RESTING_BYTES);
    else if (this.#isCut) this.#ring.shrinkTo(this.end - CUT_TAIL_BYTES);
  }

  /** Gets no more of the disk. */
  stopTaking(): Promise<void> {
    return this.#spill.stopTaking();
  }

  /**
   * Gives the middle up: half of what is on the disk stays, and the last of the log in memory. Readers see a gap. A log that
   * still grows gets no more of the disk. Says how many bytes of the disk are free now.
   */
  async cut(isOver: boolean): Promise<number> {
    await this.#spill.stopTaking();
    const before = this.#spill.written;
    const front = Math.max(HEAD_BYTES, Math.floor(before / 2));
    if (front >= before) return 0;
    if (isOver) await this.#loadTail(Math.max(front, this.end - CUT_TAIL_BYTES));
    this.#isCut = true;
    await this.#spill.shorten(front);
    return before - this.#spill.written;
  }

  /** Brings the end of a resting log back to memory, where the disk alone has it. */
  async #loadTail(from: number): Promise<void> {
    if (this.#ring.start <= from || this.#spill.written < this.#ring.start) return;
    const bytes = Buffer.allocUnsafe(this.end - from);
    const filled = await this.fill(bytes, from);
    if (filled < bytes.length) return; // what cannot be read is a part of the gap
    this.#ring.beginAt(from);
    this.#ring.append(bytes, from);
  }

  async remove(): Promise<void> {
    await this.#spill.remove();
  }

  #inMemory(position: number, maximum: number): Piece | undefined {
    const ring = this.#ring;
    if (position >= ring.end) return undefined;
    if (position >= ring.start) {
      return { start: position, bytes: ring.copy(position, Math.min(ring.end, position + maximum)) };
    }
    if (position >= this.#head.length) return undefined;
    return { start: position, bytes: this.#head.subarray(position, position + maximum) };
  }

  #fillFromMemory(into: Uint8Array, position: number): number {
    if (position >= this.#ring.start) return this.#ring.fill(into, position);
    if (position >= this.#head.length) return 0;
    return this.#head.copy(into, 0, position);
  }

  #afterGap(position: number, maximum: number): Piece | undefined {
    return this.#inMemory(Math.max(position, this.#ring.start), maximum);
  }

  /** From where on bytes are still needed in memory: those that the disk will get, or that a reader must get. */
  #wanted(): number {
    const { taking, written } = this.#spill;
    if (taking) return written;
    return this.#held === undefined ? Number.POSITIVE_INFINITY : Math.max(this.#held, written);
  }

  /** How many bytes memory must keep; also those past the cap, because the disk decides late that it takes no more. */
  #backlog(): number {
    return this.#spill.started ? Math.max(0, this.#ring.end - this.#wanted()) : 0;
  }

  #advanced(): void {
    if (!this.#silenced || this.#backlog() > LITTLE_BACKLOG) return;
    this.#silenced = false;
    this.#resume();
  }
}
