/** `pincer daemon stop`: asks the daemon to end, and with --force makes it. */
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { killTree, signalProcess } from '../../../hosts/process/kill.ts';
import { processAt, type ProcessId } from '../../../hosts/process/processes.ts';
import { daemonProcess } from '../../gateway/daemon-process.ts';
import { openGateway } from '../gateway.ts';
import { jsonOutput, type Output } from '../output.ts';

/** A daemon ends its sessions first, for which it takes 15 seconds at most. */
const END_MS = 20_000;
/** With --force all of it takes less than 20 s: 3 s for an answer, 6 s for an end of its own accord, 10 s for KILL. */
const FORCED_ANSWER_MS = 3_000;
const FORCED_END_MS = 6_000;
const LOOK_MS = 10;

/** What became of the daemon. */
interface Stop {
  readonly stopping: boolean;
  readonly running: number;
  readonly ended: boolean;
  readonly pid?: number;
}

export async function stopDaemon(force: boolean, json: boolean, output: Output): Promise<number> {
  const { ended, pid, ...stop } = force ? await stopByForce() : await stopOnRequest();
  const isStopped = ended || !stop.stopping;
  const hint = stop.running > 0 && !stop.stopping ? { hint: 'pincer daemon stop --force ends them' } : {};
  if (json) jsonOutput(output).out(`${JSON.stringify({ ...stop, ...hint }, null, 2)}\n`);
  else if (pid === undefined) output.out('no daemon is running\n');
  else if (!stop.stopping)
    output.out(`${stop.running} running; ${hint.hint ?? 'pincer daemon stop --force ends it'}\n`);
  else output.out(ended ? 'the daemon has ended\n' : `the daemon is still ending (process ${pid})\n`);
  return pid === undefined || (stop.stopping && isStopped) ? 0 : 1;
}

const NONE: Stop = { stopping: false, running: 0, ended: true };

/** Whoever comes next meets no half-ended daemon, and finds nothing of it in its folder. */
export async function stopOnRequest(): Promise<Stop> {
  const asked = await ask(false);
  if (asked === undefined) return NONE;
  const { process: daemon, stopping, running } = asked;
  return { stopping, running, pid: daemon.pid, ended: stopping && (await hasEnded(daemon, END_MS)) };
}

/** A daemon that does not answer, or does not understand the request, understands a signal. */
async function stopByForce(): Promise<Stop> {
  const asked = await ask(true).catch((error: unknown) => {
    if (error instanceof Fault && SIGNALLED.has(error.code)) return undefined;
    throw error;
  });
  const running = asked?.running ?? 0;
  if (asked !== undefined && (await hasEnded(asked.process, FORCED_END_MS)))
    return { stopping: true, running, ended: true, pid: asked.process.pid };
  const found = daemonProcess(stateFolder());
  if (found.kind === 'unproven') throw notProven(found);
  if (found.kind === 'none') return asked === undefined ? NONE : { ...NONE, stopping: true, pid: asked.process.pid };
  if (asked === undefined) for (const signal of ['SIGTERM', 'SIGCONT'] as const) signalProcess(found.process, signal);
  if (asked !== undefined || !(await hasEnded(found.process, FORCED_END_MS)))
    await killTree({ roots: [found.process], mark: [] }, 0);
  return { stopping: true, running, ended: true, pid: found.process.pid };
}

/** The daemon answers nothing, or in another protocol. */
const SIGNALLED: ReadonlySet<string> = new Set(['GATEWAY_UNRESPONSIVE', 'GATEWAY_PROTOCOL', 'GATEWAY_LOST']);

interface Asked {
  readonly stopping: boolean;
  readonly running: number;
  readonly process: ProcessId;
}

/** Undefined when none runs. */
async function ask(force: boolean): Promise<Asked | undefined> {
  try {
    const client = await openGateway(false, force ? { silenceMs: FORCED_ANSWER_MS } : {});
    try {
      const { pid } = client.daemon;
      const startTime = processAt(pid)?.startTime ?? '';
      return { ...(await client.call('daemon.stop', { force })), process: { pid, startTime } };
    } finally {
      client.close();
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

/** Waits for the end of the process itself. */
async function hasEnded({ pid, startTime }: ProcessId, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const entry = processAt(pid);
    if (entry === undefined || entry.ended || entry.startTime !== startTime) return true;
    if (performance.now() > deadline) return false;
    await pause(LOOK_MS);
  }
}

function notProven({ pid, why }: { readonly pid: number; readonly why: string }): Fault {
  return new Fault('GATEWAY_UNPROVEN', `process ${pid} is not signalled: ${why}`, {
    hint: `look at it with ps -fp ${pid}; if it is a daemon of pincer, end it by hand`,
    details: { pid },
  });
}
