import type { OutputLog } from '../log/log.ts';
import type { CastFile } from './cast-file.ts';
import { type CastEvent, eventLine } from './cast-lines.ts';
import { OutputDecoder } from './output-decoder.ts';

/** The most output of one event. */
const EVENT_BYTES = 0x8000;
const WRITE_CHARS = 0x2_0000;
/** The most bytes of a UTF-16 unit, and of a byte of output in a line: a control character is `\u001b`. */
const UNIT_BYTES = 3;
const ESCAPED_BYTES = 6;
/** With less room than this the recording is full. */
const SMALLEST_ROOM = 512;
/** The recording can be cut at every such number of bytes. */
const CUT_STEP = 0x10_0000;

export interface CastWriterParts {
  readonly log: OutputLog;
  /** The most bytes on disk, without the last events. */
  readonly cap: number;
  readonly header: () => string;
  /** How many more bytes the agent may have on the disk before the next call. */
  readonly room: () => number;
}

interface Cut {
  readonly size: number;
  readonly position: number;
  readonly ms: number;
}

/** Writes events and the output of a log as lines of a recording, many lines at a time. */
export class CastWriter {
  readonly #parts: CastWriterParts;
  readonly #file: CastFile;
  readonly #decoder = new OutputDecoder();
  /** Where the recording can be cut. */
  readonly #cuts: Cut[] = [];
  /** The time of the last event, in whole milliseconds, so that the rounded intervals do not drift. */
  #ms = 0;
  #lines = '';
  #position: number;
  #isTruncated: boolean;
  #droppedFrom: number | undefined;

  constructor(parts: CastWriterParts, file: CastFile, position: number, isTruncated: boolean) {
    this.#parts = parts;
    this.#file = file;
    this.#position = position;
    this.#isTruncated = isTruncated;
  }

  /** How much of the log it has read. */
  get position(): number {
    return this.#position;
  }

  /** Whether it takes more. */
  get isTaking(): boolean {
    return this.#droppedFrom === undefined;
  }

  /** Whether a part of the output is not recorded. */
  get isTruncated(): boolean {
    return this.#isTruncated || !this.isTaking;
  }

  /** Takes no more: the output from here on is not recorded. */
  stop(): void {
    this.#droppedFrom ??= this.#position;
  }

  /** Times are milliseconds since the start of the recording. */
  async event(ms: number, event: CastEvent): Promise<void> {
    if (!this.isTaking || !(await this.#hasRoom())) return;
    this.#add(ms, event);
  }

  /** Adds the output of the log up to a position. */
  async output(ms: number, end: number): Promise<void> {
    while (this.isTaking && this.#position < end && (await this.#hasRoom())) {
      const most = Math.min(EVENT_BYTES, end - this.#position, Math.floor(this.#room() / ESCAPED_BYTES / 2));
      const piece = await this.#parts.log.nextAsync(this.#position, most);
      if (piece === undefined) return;
      const missing = piece.start - this.#position;
      this.#position = piece.start + piece.bytes.length;
      if (missing > 0) {
        this.#addText(ms, this.#decoder.end());
        this.#add(ms, { code: 'm', mark: { kind: 'gap', bytes: missing } });
        this.#isTruncated = true;
      }
      this.#addText(ms, this.#decoder.decode(piece.bytes));
      if (this.#lines.length >= WRITE_CHARS) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = '';
    if (lines === '') return;
    if (this.#file.size === 0) {
      if (!(await this.#parts.log.hasFolder())) throw new Error('the session has no folder');
      await this.#file.append(this.#parts.header());
    }
    const hasRoom = this.#file.hasRoom(Buffer.byteLength(lines), () => this.#parts.room());
    if (!hasRoom) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    await this.#file.append(lines);
    if (this.#file.size - (this.#cuts.at(-1)?.size ?? 0) >= CUT_STEP)
      this.#cuts.push({ size: this.#file.size, position: this.#position, ms: this.#ms });
  }

  /** Adds the last events: short ones, which have their place beyond the limit. */
  async end(ms: number, events: readonly CastEvent[]): Promise<void> {
    this.#addText(ms, this.#decoder.end());
    this.#addEnd(ms, events);
    await this.flush();
  }

  /** Keeps half of the recording. If it has ended, a mark with the size of the rest follows, and the last events. */
  async cut(end: readonly CastEvent[] | undefined): Promise<void> {
    const wanted = this.#file.size / 2;
    const { size, position, ms } = this.#cuts.findLast((cut) => cut.size <= wanted) ?? { size: 0, position: 0, ms: 0 };
    const endMs = this.#ms;
    this.#droppedFrom = Math.min(this.#droppedFrom ?? position, position);
    this.#ms = ms;
    this.#lines = '';
    await this.#file.truncate(size);
    if (end === undefined) return;
    this.#addEnd(endMs, end);
    await this.flush();
  }

  #addEnd(ms: number, events: readonly CastEvent[]): void {
    const bytes = this.#droppedFrom === undefined ? 0 : this.#parts.log.end - this.#droppedFrom;
    if (bytes > 0) this.#add(ms, { code: 'm', mark: { kind: 'gap', bytes } });
    for (const event of events) this.#add(ms, event);
  }

  #addText(ms: number, text: string): void {
    if (text !== '') this.#add(ms, { code: 'o', text });
  }

  #add(at: number, event: CastEvent): void {
    const ms = Math.max(this.#ms, Math.round(at));
    this.#lines += eventLine(ms - this.#ms, event);
    this.#ms = ms;
  }

  #room(): number {
    return this.#parts.cap - this.#file.size - this.#lines.length * UNIT_BYTES;
  }

  /** Otherwise it is full. */
  async #hasRoom(): Promise<boolean> {
    if (this.#room() >= SMALLEST_ROOM) return true;
    await this.flush(); // then the exact size is known
    if (this.#room() < SMALLEST_ROOM) this.stop();
    return this.isTaking;
  }
}
