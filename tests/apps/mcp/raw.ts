/** The server seen from its streams: lines in, lines out. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type Ground, PROGRAM } from './serving.ts';
import { boundedBy, PATIENCE_MS } from '../../support/patience.ts';

export interface Message {
  readonly id?: string | number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
}

export interface Raw {
  readonly child: ChildProcess;
  readonly messages: readonly Message[];
  readonly write: (...lines: readonly (string | object)[]) => void;
  /** Reads on until an answer with this id has come. */
  readonly answerTo: (id: string | number) => Promise<Message>;
  /** Closes its input and gives its exit code. */
  readonly end: () => Promise<number | null>;
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const callOf = (id: string | number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Starts the server; a line of its output that is no JSON fails whoever waits. */
export function startRaw(
  at: Ground,
  { reads = true, args = [] as readonly string[] } = {},
): Raw & { readonly read: () => void } {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--workspace', at.workspace, ...args], {
    env: at.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close'); // with it the last line that it wrote has been read
  const messages: Message[] = [];
  const waiting = new Map<unknown, (message: Message) => void>();
  let rest = '';
  const read = (): void => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const message = JSON.parse(line) as Message;
        messages.push(message);
        waiting.get(message.id)?.(message);
      }
    });
  };
  if (reads) read();
  child.stdin.on('error', () => undefined); // the server may have left already
  return {
    child,
    messages,
    read,
    write(...lines) {
      for (const line of lines) child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    },
    answerTo: (id) =>
      new Promise((resolve, reject) => {
        const found = messages.find((message) => message.id === id);
        if (found !== undefined) return resolve(found);
        const release = boundedBy(PATIENCE_MS, () => reject(new Error(`no answer to ${JSON.stringify(id)}`)));
        waiting.set(id, (message) => {
          release();
          resolve(message);
        });
      }),
    async end() {
      child.stdin.end();
      return (await closed)[0] as number | null;
    },
  };
}
