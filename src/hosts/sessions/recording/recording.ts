import { messageOf } from '../../../base/message-of.ts';
import type { RecordingMark, RecordingPage } from '../../../wire/sessions/recording.ts';
import type { TerminalSize } from '../../../wire/session.ts';
import type { Exit } from '../../process/launch.ts';
import { CastFile } from './cast-file.ts';
import { type CastEvent, exitEvents } from './cast-lines.ts';
import { CastWriter, type CastWriterParts } from './cast-writer.ts';

/** Output within this time is one event: a display draws no faster. */
const FRAME_MS = 16;
/** How long events wait for more. After a crash of this process they are missing. */
const GATHER_MS = 50;
/** With this much new output they do not wait. */
const WORTH_WRITING = 0x2_0000;
/** More events wait only if the disk does not answer; resizes and marks are then dropped. */
const MOST_QUEUED = 10_000;
/** One mark for all input within this time: the number of keys and their times could reveal a typed password. */
const INPUT_MS = 1000;
const DEFAULT_READ_BYTES = 0x4_0000;
const MOST_READ_BYTES = 0x40_0000;

export interface RecordingParts extends CastWriterParts {
  readonly folder: string;
  readonly monotonic: () => number;
  /** When the session started, on the monotonic clock. */
  readonly startedAt: number;
}

/** What an earlier process has recorded. */
export interface EarlierRecording {
  readonly file: CastFile;
  /** Where the log continues; undefined if the session has ended. */
  readonly position?: number;
  /** How old its last event is. */
  readonly ageMs: number;
}

/** Output up to a position of the log, or another event. */
type Entry = { readonly at: number; end: number } | { readonly at: number; readonly event: CastEvent };

/**
 * The recording of a session with a terminal, in the format asciicast v3. It reads the log as any other reader does, and adds the
 * times. It never slows down the output: what the log has dropped before it was recorded is a gap.
 */
export class Recording {
  readonly #parts: RecordingParts;
  readonly #file: CastFile;
  readonly #writer: CastWriter;
  readonly #queue: Entry[] = [];
  readonly #startedAt: number;
  #end: readonly CastEvent[] | undefined;
  #isFinished: boolean;
  #isWriting = false;
  #inputAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #note: string | undefined;

  constructor(parts: RecordingParts, earlier?: EarlierRecording) {
    this.#parts = parts;
    this.#file = earlier?.file ?? new CastFile(parts.folder);
    this.#startedAt = earlier === undefined ? parts.startedAt : parts.monotonic() - Math.max(0, earlier.ageMs);
    this.#isFinished = earlier !== undefined && earlier.position === undefined;
    const isContinued = earlier?.position !== undefined;
    this.#writer = new CastWriter(parts, this.#file, earlier?.position ?? 0, isContinued);
    if (isContinued) this.mark({ kind: 'restarted' }); // what was not written yet is missing
  }

  get bytesOnDisk(): number {
    return this.#file.size;
  }

  /** Whether there is or will be something to read. */
  get isReadable(): boolean {
    return this.#file.size > 0 || (!this.#isFinished && this.#note === undefined);
  }

  /** Why it was not written. */
  get note(): string | undefined {
    return this.#note;
  }

  /** There is new output in the log. */
  output(): void {
    if (!this.#isTaking) return;
    const at = this.#now();
    const { end } = this.#parts.log;
    const last = this.#queue.at(-1);
    if (last !== undefined && 'end' in last && (at - last.at < FRAME_MS || this.#isQueueFull)) last.end = end;
    else this.#queue.push({ at, end });
    if (end - this.#writer.position >= WORTH_WRITING) this.#writeNow();
    else this.#writeSoon();
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#add({ code: 'r', size: { cols, rows } });
  }

  mark(mark: RecordingMark): void {
    if (mark.kind === 'input') {
      if (this.#now() - this.#inputAt < INPUT_MS) return;
      this.#inputAt = this.#now();
    }
    this.#add({ code: 'm', mark });
  }

  /** Writes what is left, and how the session ended. */
  finish(exit: Exit): Promise<void> {
    this.#end ??= exitEvents(exit);
    return this.suspend();
  }

  /** Writes what is left, and closes the file. */
  suspend(): Promise<void> {
    const endedAt = this.#now();
    return this.#inTurn(async () => {
      if (this.#isFinished) return;
      this.#isFinished = true;
      try {
        await this.#write();
        await this.#writer.end(endedAt, this.#end ?? []);
      } finally {
        await this.#file.close(); // also where the disk is full
      }
    });
  }

  /** Keeps half of it; a mark has the size of the rest. Returns how many bytes of the disk that freed. */
  async cut(): Promise<number> {
    const before = this.bytesOnDisk;
    await this.#inTurn(async () => {
      try {
        await this.#writer.cut(this.#isFinished ? (this.#end ?? []) : undefined);
      } finally {
        if (this.#isFinished) await this.#file.close();
      }
    });
    return Math.max(0, before - this.bytesOnDisk);
  }

  /** Records no more; its end has a mark with the size of the rest. */
  stopTaking(): void {
    this.#writer.stop();
  }

  async read(from = 0, maxBytes = DEFAULT_READ_BYTES): Promise<RecordingPage> {
    await this.#inTurn(() => this.#write());
    const isFinished = this.#isFinished;
    const { text, next } = await this.#file.read(from, Math.min(Math.max(1, maxBytes), MOST_READ_BYTES));
    return {
      text,
      next,
      done: isFinished && next >= this.#file.size,
      ...(this.#writer.isTruncated ? { truncated: true as const } : {}),
    };
  }

  /** Before its folder is removed. */
  async close(): Promise<void> {
    this.stopTaking();
    await this.#inTurn(async () => {
      clearTimeout(this.#timer);
      this.#isFinished = true;
      await this.#file.close();
    });
  }

  get #isTaking(): boolean {
    return !this.#isFinished && this.#end === undefined && this.#writer.isTaking;
  }

  get #isQueueFull(): boolean {
    return this.#queue.length >= MOST_QUEUED;
  }

  /** Milliseconds since its start. */
  #now(): number {
    return this.#parts.monotonic() - this.#startedAt;
  }

  #add(event: CastEvent): void {
    if (!this.#isTaking || this.#isQueueFull) return;
    this.#queue.push({ at: this.#now(), event });
    this.#writeSoon();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#writeNow(), GATHER_MS);
  }

  #writeNow(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#inTurn(() => this.#write()).finally(() => {
      this.#isWriting = false;
      if (this.#queue.length > 0) this.#writeSoon();
    });
  }

  /** One after the other. A failure ends the recording, not the session. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#note ??= `the recording could not be written (${codeOf(error)})`;
      this.#writer.stop();
      this.#queue.length = 0;
    });
    return this.#work;
  }

  /** Writes what there is now. */
  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const upTo = this.#parts.log.end;
    for (let entry = this.#queue[0]; entry !== undefined; entry = this.#queue[0]) {
      if ('event' in entry) await this.#writer.event(entry.at, entry.event);
      else await this.#writer.output(entry.at, Math.min(entry.end, upTo));
      if ('end' in entry && entry.end > upTo && this.#writer.isTaking) break; // it grew since
      this.#queue.shift();
    }
    await this.#writer.flush();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}
