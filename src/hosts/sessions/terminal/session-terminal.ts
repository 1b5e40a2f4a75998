import type { RecordingMark, RecordingPage } from '../../../wire/sessions/recording.ts';
import type { Screen, TerminalSize } from '../../../wire/session.ts';
import type { Exit } from '../../process/launch.ts';
import type { OutputLog } from '../log/log.ts';
import type { Recording } from '../recording/recording.ts';
import { TerminalModel } from './terminal.ts';

/** The terminal of a session: its size, the model of its screen, and its recording. */
export class SessionTerminal {
  readonly #model: TerminalModel;
  readonly #log: OutputLog;
  #recording: Recording | undefined;
  #size: TerminalSize;

  constructor(log: OutputLog, size: TerminalSize, reply: (text: string) => void) {
    this.#log = log;
    this.#size = size;
    this.#model = new TerminalModel(log, size, reply);
  }

  /** From now on it is recorded, with the output that there is already. */
  record(recording: Recording): void {
    this.#recording = recording;
    if (this.#log.end > 0) recording.output();
  }

  get size(): TerminalSize {
    return this.#size;
  }

  get isRecorded(): boolean {
    return this.#recording?.isReadable === true;
  }

  get bytesOnDisk(): number {
    return this.#recording?.bytesOnDisk ?? 0;
  }

  /** Why it was not recorded. */
  get note(): string | undefined {
    return this.#recording?.note;
  }

  /** There is new output in the log. */
  output(): void {
    this.#model.feed();
    this.#recording?.output();
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#size = { cols, rows };
    this.#model.resize(this.#size);
    this.#recording?.resize(this.#size);
  }

  /** The node of the session is not connected any more, or again. */
  noteLink(isConnected: boolean): void {
    this.mark({ kind: 'node', state: isConnected ? 'connected' : 'disconnected' });
  }

  mark(mark: RecordingMark): void {
    this.#recording?.mark(mark);
  }

  modes(): ReturnType<TerminalModel['modes']> {
    return this.#model.modes();
  }

  screen(): Promise<Omit<Screen, 'session'>> {
    return this.#model.screen();
  }

  /** Undefined without a recording. */
  recording(from: number | undefined, maxBytes: number | undefined): Promise<RecordingPage> | undefined {
    return this.#recording?.read(from, maxBytes);
  }

  async end(exit: Exit): Promise<void> {
    await Promise.all([this.#model.close(), this.#recording?.finish(exit)]);
  }

  /** Leaves the recording to the next process. */
  async suspend(): Promise<void> {
    await this.#recording?.suspend();
  }

  async cutRecording(): Promise<number> {
    return (await this.#recording?.cut()) ?? 0;
  }

  stopRecording(): void {
    this.#recording?.stopTaking();
  }

  async closeRecording(): Promise<void> {
    await this.#recording?.close();
  }
}
