/** The caller's terminal, given over to a session: every key as it is, and the size whenever it changes. */
import type { TerminalSize } from '../../../wire/session.ts';
import type { Sink } from './stdin.ts';

/** The size of the terminal that the program stands in. */
export function terminalSize(): TerminalSize | undefined {
  const { columns, rows } = process.stdout;
  return columns > 0 && rows > 0 ? { cols: columns, rows } : undefined;
}

export interface TerminalOptions {
  readonly sink: Sink;
  readonly resize: (size: TerminalSize) => void;
  readonly failed: (error: unknown) => void;
  /** Called for the key that leaves the session alone; without it the key is one like others. */
  readonly detach?: () => void;
}

/** Ctrl-\: programs seldom want it, and every terminal can send it. */
const DETACH_KEY = 0x1c;

/** Takes the terminal over until `stop`, which gives it back as it was. */
export function takeTerminal({ sink, resize, failed, detach }: TerminalOptions): { stop(): void } {
  const input = process.stdin;
  let last: Promise<void> = Promise.resolve();
  const hear = (bytes: Buffer): void => {
    const at = detach === undefined ? -1 : bytes.indexOf(DETACH_KEY);
    const keys = at < 0 ? bytes : bytes.subarray(0, at);
    if (keys.length > 0) last = last.then(() => sink.write(keys)).catch(failed);
    if (at >= 0) void last.then(detach);
  };
  const measure = (): void => {
    const size = terminalSize();
    if (size !== undefined) resize(size);
  };
  const release = (): void => void input.setRawMode(false);
  input.setRawMode(true);
  process.once('exit', release); // however the program ends, the shell gets its terminal back
  input.on('data', hear).resume();
  process.stdout.on('resize', measure);
  return {
    stop() {
      process.off('exit', release);
      process.stdout.off('resize', measure);
      input.off('data', hear).pause();
      release();
      input.unref();
    },
  };
}
