/** What the agent holds of a command that runs. */
import type { TerminalSize } from '../wire/session.ts';

export interface Handle {
  /** Undefined once it has ended: its number may be another one's by then. */
  readonly pid: number | undefined;
  input(bytes: Uint8Array): void;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** So many more bytes of this stream may be sent. */
  grant(stream: 'out' | 'err', bytes: number): void;
}
