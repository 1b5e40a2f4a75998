/** Runs a command of the operator when a person is needed. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { messageOf } from '../../../base/message-of.ts';
import { endStarted } from '../../../hosts/process/kill.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';

export interface Notifier {
  /** The requests that wait now. Those that it has not seen before are new. */
  pending(approvals: readonly ApprovalInfo[]): void;
}

export interface NotifierOptions {
  /** Text for /bin/sh. It gets numbers and ids in variables; the command of an agent is never part of its text or arguments. */
  readonly command: string;
  /** The number of requests that wait. */
  readonly count: () => Promise<number>;
  readonly failed: (text: string) => void;
  /** A command that runs longer is ended (default: 60 s). */
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
const LONGEST_ERROR = 200;
/** How long after its end what it wrote to stderr may take to arrive. */
const LATE_ERROR_MS = 200;

/** One command at a time. For requests that arrive while it runs, it runs once more, with the newest state. */
export function createNotifier({ command, count, failed, limitMs = LIMIT_MS }: NotifierOptions): Notifier {
  let known: ReadonlySet<string> = new Set();
  let isRunning = false;
  let newest: string | undefined;

  function run(): void {
    const id = newest;
    if (isRunning || id === undefined) return;
    newest = undefined;
    isRunning = true;
    count()
      .then((pending) => start(command, { PINCER_PENDING: String(pending), PINCER_APPROVAL: id }, limitMs))
      .catch((error: unknown) => failed(`the command of --notify ${messageOf(error)}`))
      .finally(() => {
        isRunning = false;
        run();
      });
  }

  return {
    pending(approvals) {
      const fresh = approvals.filter(({ id }) => !known.has(id));
      known = new Set(approvals.map(({ id }) => id));
      const [first, ...others] = fresh;
      if (first === undefined) return;
      newest = others.reduce((a, b) => (b.createdAt >= a.createdAt ? b : a), first).id;
      run();
    },
  };
}

/** Rejects with how it failed. */
function start(command: string, variables: Readonly<Record<string, string>>, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // keys of the terminal are not for it
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endStarted(child);
    }, limitMs);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < LONGEST_ERROR) said += text;
    });
    child.once('error', (error) => reject(new Error(`could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve();
      if (isLate) return reject(new Error(`was ended after ${limitMs / 1000} s`));
      const report = (): void => {
        const line = said.trim().split('\n')[0]!.slice(0, LONGEST_ERROR);
        const how = code === null ? signal : `exit status ${code}`;
        reject(new Error(`failed with ${how}${line === '' ? '' : `: ${line}`}`));
      };
      // A program that it left in the background may keep its stderr open.
      child.once('close', report);
      setTimeout(report, LATE_ERROR_MS).unref();
    });
    // The end of the watch does not wait for it.
    timer.unref();
    child.unref();
    (child.stderr as Socket).unref();
  });
}
