/** The program under test, as an agent's harness drives it: lines of JSON in, lines of JSON out. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { boundedBy } from '../support/until.ts';
import { CANARY, type Ground } from './ground.ts';

/** The built command line, or the one that `PINCER_PROGRAM` names; a judge may be given another program to judge. */
export const PINCER: readonly string[] = [
  process.execPath,
  process.env['PINCER_PROGRAM'] ?? resolve(import.meta.dirname, '../../dist/pincer.cjs'),
];

export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly id?: string | null;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly error?: string;
}

export interface Batch {
  readonly answers: readonly Answer[];
  /** All that was printed, for the search for secrets. */
  readonly printed: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface BatchOptions {
  readonly ground: Ground;
  readonly workspace?: string;
  readonly timeoutMs?: number;
  readonly program?: readonly string[];
}

/** Sends all the calls to one process and waits for its end, but not forever. */
export function callBatch(calls: readonly ToolCall[], options: BatchOptions): Promise<Batch> {
  const { ground, workspace = ground.ws, timeoutMs = 40_000, program = PINCER } = options;
  const [command = '', ...first] = program;
  const env = { PATH: process.env['PATH'], HOME: ground.home, PINCER_STATE_DIR: ground.state, CANARY };
  return new Promise((done, fail) => {
    const args = [...first, 'call', '--batch', '--workspace', workspace, '--json'];
    const child = spawn(command, args, { env, cwd: ground.top, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    const release = boundedBy(timeoutMs, () => {
      timedOut = true;
      child.kill('SIGKILL');
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', fail);
    child.on('close', () => {
      release();
      done({ answers: readAnswers(stdout), printed: stdout + stderr, stderr, timedOut });
    });
    child.stdin.on('error', () => {}); // a program that ended early is judged by its answers
    child.stdin.end(calls.map((call, id) => `${JSON.stringify({ id: String(id), ...call })}\n`).join(''));
  });
}

function readAnswers(stdout: string): Answer[] {
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return JSON.parse(line) as Answer;
      } catch {
        return { isError: true, error: `not an answer: ${line.slice(0, 200)}` };
      }
    });
}

/** The words of an answer. */
export function textOf(answer: Answer | undefined): string {
  return (answer?.content ?? []).map(({ text }) => text ?? '').join('\n');
}

/** The code of a refusal; empty when there is none. */
export function codeOf(answer: Answer | undefined): string {
  const code = answer?.details?.['code'];
  return typeof code === 'string' ? code : '';
}
