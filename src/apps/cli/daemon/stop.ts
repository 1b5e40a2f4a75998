/** `pincer daemon stop`: asks the daemon to exit; with --force, kills it if it does not. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { stateFolder } from '../../../config/state.ts';
import { killTree, signalProcess } from '../../../hosts/process/kill.ts';
import { markedSessions } from '../../../hosts/process/marked-sessions.ts';
import { processAt, type ProcessId } from '../../../hosts/process/processes.ts';
import { recordedAsRunning } from '../../../hosts/sessions/past-sessions.ts';
import { unresponsive } from '../../client/silence.ts';
import { daemonProcess } from '../../daemon/daemon-process.ts';
import type { SessionCounts } from '../../../wire/methods.ts';
import { openGateway } from '../gateway.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';

/** A daemon needs up to 15 s to end its sessions first. */
const END_MS = 20_000;
/**
 * With --force everything takes less than 20 s: 3 s for an answer, 6 s for a regular exit, 10 s for SIGKILL. A daemon of
 * another version that is being replaced gets 3 s more, and no regular exit.
 */
const FORCED_ANSWER_MS = 3_000;
const FORCED_END_MS = 6_000;
const POLL_MS = 10;

type Counted = Pick<SessionCounts, 'running' | 'withLeftovers' | 'onNodes'>;

/** What keeps a daemon running. */
export function runningText({ running, withLeftovers, onNodes }: Counted): string {
  const elsewhere = onNodes === undefined ? '' : ` (${onNodes} on nodes)`;
  return `${running} running${elsewhere}${withLeftovers === undefined ? '' : `, ${withLeftovers} ended with processes left`}`;
}

/** Sessions on nodes outlive the daemon. */
function continuingText({ onNodes }: Counted): string {
  if (onNodes === undefined) return '';
  const sessions = onNodes === 1 ? '1 session continues on its node' : `${onNodes} sessions continue on their nodes`;
  return `; ${sessions}, and the next daemon continues with ${onNodes === 1 ? 'it' : 'them'}`;
}

interface Stop extends Counted {
  readonly stopping: boolean;
  readonly ended: boolean;
  readonly pid?: number;
}

export async function stopDaemon(force: boolean, json: boolean, output: Output): Promise<number> {
  const { ended, pid, ...stop } = force ? await stopByForce() : await stopOnRequest();
  const isStopped = ended || !stop.stopping;
  const hasSessions = stop.running > (stop.onNodes ?? 0) || stop.withLeftovers !== undefined;
  const hint = hasSessions && !stop.stopping ? { hint: 'pincer daemon stop --force ends them' } : {};
  if (json) jsonOutput(output).out(`${JSON.stringify({ ...stop, ...hint }, null, 2)}\n`);
  else if (pid === undefined) output.out('no daemon is running\n');
  else if (!stop.stopping) output.out(`${runningText(stop)}; ${hint.hint ?? 'pincer daemon stop --force ends it'}\n`);
  else
    output.out(
      ended ? `the daemon has stopped${continuingText(stop)}\n` : `the daemon is still stopping (pid ${pid})\n`,
    );
  return pid === undefined || (stop.stopping && isStopped) ? 0 : 1;
}

const NONE: Stop = { stopping: false, running: 0, ended: true };

/** Waits for the exit, so that the next command does not meet a stopping daemon or its files. */
export async function stopOnRequest(): Promise<Stop> {
  const asked = await requestStop(false);
  if (asked === undefined) return NONE;
  const { process: daemon, ...stop } = asked;
  return { ...stop, pid: daemon.pid, ended: stop.stopping && (await hasEnded(daemon, END_MS)) };
}

/**
 * A daemon that does not understand the request gets SIGTERM. One that does not answer is killed: its sessions end with it,
 * and the next daemon lists them as lost, with their logs.
 */
async function stopByForce(): Promise<Stop> {
  const asked = await requestStop(true).catch((error: unknown) => {
    if (error instanceof Fault && SIGNALLED.has(error.code)) return error;
    throw error;
  });
  const answer = asked instanceof Fault ? undefined : asked;
  const isHung = asked instanceof Fault && asked.code === 'GATEWAY_UNRESPONSIVE';
  if (answer !== undefined && (await hasEnded(answer.process, FORCED_END_MS))) return endedBy(answer);
  const found = daemonProcess(stateFolder());
  if (found.kind === 'unproven') throw unprovenProcess(found);
  if (found.kind === 'none') return answer === undefined ? NONE : endedBy(answer);
  const counted = answer ?? { running: await countRunning() };
  if (answer === undefined && !isHung) signalProcess(found.process, 'SIGTERM');
  if (answer !== undefined || isHung || !(await hasEnded(found.process, FORCED_END_MS)))
    await killTree({ roots: [found.process], mark: [] }, 0);
  return endedBy({ ...counted, process: found.process });
}

function endedBy({ process: daemon, ...counted }: Counted & Pick<StopAnswer, 'process'>): Stop {
  const { running, withLeftovers, onNodes } = counted;
  const left = withLeftovers === undefined ? {} : { withLeftovers };
  const elsewhere = onNodes === undefined ? {} : { onNodes };
  return { stopping: true, running, ...left, ...elsewhere, ended: true, pid: daemon.pid };
}

/** Counts the sessions of a daemon that does not answer, by their processes and records. */
async function countRunning(): Promise<number> {
  const stateDir = realpathSync(stateFolder());
  return new Set([...markedSessions(stateDir), ...(await recordedAsRunning(join(stateDir, 'sessions')))]).size;
}

/** The daemon does not answer, or speaks another protocol version. */
const SIGNALLED: ReadonlySet<string> = new Set(['GATEWAY_UNRESPONSIVE', 'GATEWAY_PROTOCOL', 'GATEWAY_LOST']);

interface StopAnswer extends Counted {
  readonly stopping: boolean;
  readonly process: ProcessId;
}

/** Undefined if no daemon runs. */
async function requestStop(force: boolean): Promise<StopAnswer | undefined> {
  const deadline = performance.now() + FORCED_ANSWER_MS;
  try {
    const client = await openGateway(false, force ? { silenceMs: FORCED_ANSWER_MS } : {});
    try {
      const { pid } = client.daemon;
      const startTime = processAt(pid)?.startTime ?? '';
      const answer = client.call('daemon.stop', { force });
      const late = (): Fault => unresponsive(pid, FORCED_ANSWER_MS);
      return { ...(await (force ? before(deadline, answer, late) : answer)), process: { pid, startTime } };
    } finally {
      client.close();
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

/** Needed because a daemon of an earlier version sends no heartbeats, so silence is not detected otherwise. */
async function before<T>(deadline: number, answer: Promise<T>, late: () => Fault): Promise<T> {
  const timer = new AbortController();
  const end = pause(Math.max(0, deadline - performance.now()), undefined, { signal: timer.signal });
  try {
    return await Promise.race([answer, end.then(() => Promise.reject(late()))]);
  } finally {
    timer.abort();
    end.catch(() => undefined); // cancelled
    answer.catch(() => undefined); // the connection is closed
  }
}

/** Waits for the exit of the process. */
async function hasEnded({ pid, startTime }: ProcessId, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const entry = processAt(pid);
    if (entry === undefined || entry.ended || entry.startTime !== startTime) return true;
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
}

function unprovenProcess({ pid, why }: { readonly pid: number; readonly why: string }): Fault {
  return new Fault('GATEWAY_UNPROVEN', `pid ${pid} was not signalled: ${why}`, {
    hint: `check it with ps -fp ${pid}; if it is a daemon of pincer, kill it manually`,
    details: { pid },
  });
}
