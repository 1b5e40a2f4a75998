/** Connects this terminal to a session: forwards all keys, and every change of the size. */
import type { TerminalSize } from '../../../wire/session.ts';
import type { Sink } from './stdin.ts';

export function terminalSize(): TerminalSize | undefined {
  const { columns, rows } = process.stdout;
  return columns > 0 && rows > 0 ? { cols: columns, rows } : undefined;
}

export interface TerminalOptions {
  readonly sink: Sink;
  readonly resize: (size: TerminalSize) => void;
  readonly failed: (error: unknown) => void;
  /** Called for Ctrl-\; without it, that key is forwarded too. */
  readonly detach?: () => void;
}

/** Ctrl-\: programs rarely use it, and every terminal can send it. */
const DETACH_KEY = 0x1c;

/** Puts the terminal in raw mode until `stop`. */
export function takeTerminal({ sink, resize, failed, detach }: TerminalOptions): { stop(): void } {
  const input = process.stdin;
  let last: Promise<void> = Promise.resolve();
  const onData = (bytes: Buffer): void => {
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
  process.once('exit', release); // the shell gets its terminal back however this program ends
  input.on('data', onData).resume();
  process.stdout.on('resize', measure);
  return {
    stop() {
      process.off('exit', release);
      process.stdout.off('resize', measure);
      input.off('data', onData).pause();
      release();
      input.unref();
    },
  };
}
