import type { OutputLog } from './log/log.ts';
import type { SessionTerminal } from './terminal/session-terminal.ts';

/** What a session has on the disk: its log, and the recording of its terminal. */
export class SessionDisk {
  readonly #log: OutputLog;
  readonly #terminal: () => SessionTerminal | undefined;

  constructor(log: OutputLog, terminal: () => SessionTerminal | undefined) {
    this.#log = log;
    this.#terminal = terminal;
  }

  get bytes(): number {
    return this.#log.bytesOnDisk + (this.#terminal()?.bytesOnDisk ?? 0);
  }

  /** Removes the middle of the log and the end of the recording; returns how many bytes that freed. */
  async cut(hasEnded: boolean): Promise<number> {
    return (await this.#log.cut(hasEnded)) + ((await this.#terminal()?.cutRecording()) ?? 0);
  }

  /** Writes no more. */
  async stopTaking(): Promise<void> {
    this.#terminal()?.stopRecording();
    await this.#log.stopTaking();
  }

  async remove(): Promise<void> {
    await this.#terminal()?.closeRecording();
    await this.#log.remove();
  }
}
