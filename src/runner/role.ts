/** What each role of the runner is given, and what it has to do. */
import type { Readable, Writable } from 'node:stream';

export interface Channel {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends this process, after all that it started. */
  readonly leave: () => void;
}

export interface Role {
  /** Ends all that was started. */
  end(): Promise<void>;
}
