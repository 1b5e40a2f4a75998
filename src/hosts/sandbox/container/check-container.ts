/** Checks a container that has just started: it must run on this machine and have the planned mounts. */
import { readdirSync, readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { processAt, type ProcessId } from '../../process/processes.ts';
import { verifyMounts, type ExpectedMount } from '../bubblewrap/verify-mounts.ts';
import { EngineError, type Engine } from './engine.ts';
import { limitFault } from './facts.ts';
import type { ConnectedEngine } from './options.ts';
import type { PlannedContainer } from './plan.ts';
import { TOKEN_VARIABLE } from './request.ts';

const EXEC_MS = 5000;
const POLL_MS = 20;

/**
 * Finds the first process of the container and verifies its mounts; undefined when it has ended meanwhile. This works only
 * for an engine on this machine, so the process must prove that it belongs to the container.
 */
export async function checkContainer(
  connected: ConnectedEngine,
  id: string,
  { spec, expected, token }: PlannedContainer,
): Promise<ProcessId | undefined> {
  const { name, facts } = connected;
  const answer = await inspect(connected.engine, id);
  if (answer?.State?.Running !== true) return undefined; // it ended immediately; its stderr has the reason
  if (spec.runtime !== undefined) {
    const used = String(answer.OCIRuntime ?? answer.HostConfig?.Runtime);
    if (used !== spec.runtime && !used.endsWith(`/${spec.runtime}`))
      throw new Fault('SANDBOX_UNAVAILABLE', `${name} ran the container with ${used} and not with ${spec.runtime}`, {
        hint: `start the engine with that runtime (podman: "podman --runtime ${spec.runtime} system service"), or remove sandbox.docker.runtime; available: ${facts.runtimes.join(', ')}`,
      });
  }
  const pid = Number(answer.State.Pid);
  if (!(await hasToken(pid, id, token))) {
    // It has ended, or it runs on another machine; the wait for the agent finds out which.
    if (readProc(pid, 'cgroup') === '') return undefined;
    if ((await inspect(connected.engine, id))?.State?.Running === true) throw notInspectable(name);
    return undefined;
  }
  try {
    await whenAllowed(() => readFileSync(`/proc/${pid}/mountinfo`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL') return undefined; // it has ended meanwhile
    throw notInspectable(name, error);
  }
  const first = processAt(pid);
  try {
    await whenAllowed(() =>
      spec.runtime === undefined ? verifyMounts(pid, expected) : verifyAny([pid, ...processesOf(id)], expected),
    );
    // An engine may accept this limit and not apply it.
    if (spec.limits.fileBytes !== undefined && fileLimit(pid) !== spec.limits.fileBytes)
      throw limitFault('fileSize', facts, name);
    return first;
  } catch (error) {
    if ((await inspect(connected.engine, id))?.State?.Running === true) throw error;
    return undefined; // it has ended meanwhile, so there was nothing to check
  }
}

/** While the runtime changes its user, /proc of the process is unreadable until it has executed the first program. */
async function whenAllowed(check: () => unknown): Promise<void> {
  for (const until = performance.now() + EXEC_MS; ; ) {
    try {
      check();
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'EACCES' && code !== 'EPERM') || performance.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * With another runtime, the process that has the container's mounts may not be the first one, and the runtime may create
 * empty folders itself. None of these processes runs a program of the image.
 */
function verifyAny(pids: readonly number[], expected: readonly ExpectedMount[]): void {
  const [first = 0, ...others] = pids;
  try {
    verifyMounts(first, expected);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const bound = expected.filter(({ identity }) => identity !== undefined);
    if (!others.some((pid) => matches(pid, bound))) throw error;
  }
}

function matches(pid: number, expected: readonly ExpectedMount[]): boolean {
  try {
    verifyMounts(pid, expected);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** The host processes in the cgroup of a container. */
function processesOf(id: string): number[] {
  const pids = readdirSync('/proc').map(Number);
  return pids.filter((pid) => pid > 1 && readProc(pid, 'cgroup').includes(id));
}

function fileLimit(pid: number): number {
  const [, hard = ''] = /^Max file size\s+\S+\s+(\S+)/mu.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return Number(hard);
}

interface Inspected {
  readonly State?: { readonly Pid?: unknown; readonly Running?: unknown };
  readonly HostConfig?: { readonly Runtime?: unknown };
  readonly OCIRuntime?: unknown;
}

/** Undefined when the container no longer exists. */
async function inspect(engine: Engine, id: string): Promise<Inspected | undefined> {
  try {
    return (await engine.ask('GET', `/containers/${id}/json`)) as Inspected;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}

export function notInspectable(name: string, cause?: unknown): Fault {
  return new Fault('SANDBOX_UNAVAILABLE', `the containers of this ${name} cannot be inspected from this machine`, {
    hint: 'use an engine that runs on this machine, as root or as the user of the gateway',
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Whether a host process belongs to the container: its cgroup has the id of the container, or, where a rootless engine creates
 * no cgroups, its environment has the token of this container.
 */
async function hasToken(pid: number, id: string, token: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  if (readProc(pid, 'cgroup').includes(id)) return true;
  // The process has that environment once it has executed the first program of the container.
  for (const until = performance.now() + EXEC_MS; performance.now() < until; ) {
    if (readProc(pid, 'environ').split('\0').includes(`${TOKEN_VARIABLE}=${token}`)) return true;
    if (readProc(pid, 'cgroup') === '') return false; // it has ended
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** Empty where the process has ended, or belongs to another user. */
function readProc(pid: number, what: 'cgroup' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return '';
    throw error;
  }
}
