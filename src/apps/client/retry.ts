/** Starts a daemon and waits until one answers: this one, or that of somebody who was faster. */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { ANOTHER_RUNS } from '../daemon/exit.ts';
import { daemonLog } from '../daemon/pointer.ts';
import { type Started, startDaemon } from './start.ts';

const LOOK_MS = 10;
/** How long whoever was faster may take to answer before another start is tried. */
const PATIENCE_MS = 1_000;

export async function startAndConnect<T>(
  program: string,
  stateDir: string,
  limitMs: number,
  tryConnect: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let started = startDaemon(program, stateDir);
  let endedAt: number | undefined;
  for (;;) {
    await pause(LOOK_MS);
    const client = await tryConnect();
    if (client !== undefined) return client;
    const code = started.exit();
    if (code !== undefined && code !== 0 && code !== ANOTHER_RUNS)
      throw failed(started, stateDir, `ended with exit code ${code}`);
    if (performance.now() > deadline) throw failed(started, stateDir, `did not answer within ${limitMs} ms`);
    if (code === undefined) continue;
    endedAt ??= performance.now();
    if (performance.now() - endedAt < PATIENCE_MS) continue;
    started = startDaemon(program, stateDir); // the other one was about to leave, or has died
    endedAt = undefined;
  }
}

function failed(started: Started, stateDir: string, what: string): Fault {
  const tail = started.logTail().trim();
  const said = tail === '' ? '' : `: ${tail.split('\n').slice(-3).join(' | ')}`;
  return new Fault('GATEWAY_START_FAILED', `the daemon ${what}${said}`, {
    hint: `its log is ${daemonLog(stateDir)}`,
    details: { log: tail },
  });
}
