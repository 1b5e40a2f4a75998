/** Looks at a container that has just started: whether it runs on this machine, and whether in it stands what was planned. */
import { readdirSync, readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { processAt, type ProcessId } from '../../process/processes.ts';
import { verify, type Expected } from '../bubblewrap/verify.ts';
import { EngineError, type Engine } from './engine.ts';
import { limitFault } from './facts.ts';
import type { MetEngine } from './options.ts';
import type { Planned } from './plan.ts';
import { PROOF } from './request.ts';

const BECOMING_MS = 5000;
const LOOK_MS = 20;

/**
 * Finds its first process and looks at what stands inside; undefined when it has ended meanwhile. Only an engine of this very
 * machine can be held to that: the process is proven to be the container's.
 */
export async function check(
  met: MetEngine,
  id: string,
  { spec, expected, proof }: Planned,
): Promise<ProcessId | undefined> {
  const { name, facts } = met;
  const told = await inspect(met.engine, id);
  if (told?.State?.Running !== true) return undefined; // it ended at once: what it said is the reason
  if (spec.runtime !== undefined) {
    const used = String(told.OCIRuntime ?? told.HostConfig?.Runtime);
    if (used !== spec.runtime && !used.endsWith(`/${spec.runtime}`))
      throw new Fault('SANDBOX_UNAVAILABLE', `${name} ran the container with ${used} and not with ${spec.runtime}`, {
        hint: `start the engine with that runtime (podman: "podman --runtime ${spec.runtime} system service"), or leave out sandbox.docker.runtime; it knows ${facts.runtimes.join(', ')}`,
      });
  }
  const pid = Number(told.State.Pid);
  if (!(await isProven(pid, id, proof))) {
    // It has ended, or is no process of this machine: who waits for its first words finds out which.
    if (seen(pid, 'cgroup') === '') return undefined;
    if ((await inspect(met.engine, id))?.State?.Running === true) throw elsewhere(name);
    return undefined;
  }
  try {
    await whenAllowed(() => readFileSync(`/proc/${pid}/mountinfo`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL') return undefined; // it ended meanwhile
    throw elsewhere(name, error);
  }
  const first = processAt(pid);
  try {
    await whenAllowed(() =>
      spec.runtime === undefined ? verify(pid, expected) : verifyAny([pid, ...processesOf(id)], expected),
    );
    // What an engine says that it does is one thing.
    if (spec.limits.fileBytes !== undefined && fileLimit(pid) !== spec.limits.fileBytes)
      throw limitFault('fileSize', facts, name);
    return first;
  } catch (error) {
    if ((await inspect(met.engine, id))?.State?.Running === true) throw error;
    return undefined; // it ended meanwhile, so there was nothing to look at
  }
}

/** A process that changes its user may not be looked at until it has become the first program of the container. */
async function whenAllowed(look: () => unknown): Promise<void> {
  for (const until = performance.now() + BECOMING_MS; ; ) {
    try {
      look();
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'EACCES' && code !== 'EPERM') || performance.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * Another runtime may have a process for the files of the container that is not its first one; what is empty inside it may
 * make by itself. None of these processes runs anything of the image.
 */
function verifyAny(pids: readonly number[], expected: readonly Expected[]): void {
  const [first = 0, ...others] = pids;
  try {
    verify(first, expected);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const bound = expected.filter(({ identity }) => identity !== undefined);
    if (!others.some((pid) => holds(pid, bound))) throw error;
  }
}

function holds(pid: number, expected: readonly Expected[]): boolean {
  try {
    verify(pid, expected);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** The processes of this machine in the control group of a container. */
function processesOf(id: string): number[] {
  const pids = readdirSync('/proc').map(Number);
  return pids.filter((pid) => pid > 1 && seen(pid, 'cgroup').includes(id));
}

/** How large a file of this process may become, at most. */
function fileLimit(pid: number): number {
  const [, hard = ''] = /^Max file size\s+\S+\s+(\S+)/mu.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return Number(hard);
}

interface Inspected {
  readonly State?: { readonly Pid?: unknown; readonly Running?: unknown };
  readonly HostConfig?: { readonly Runtime?: unknown };
  readonly OCIRuntime?: unknown;
}

/** What the engine knows of it; undefined when it is gone. */
async function inspect(engine: Engine, id: string): Promise<Inspected | undefined> {
  try {
    return (await engine.ask('GET', `/containers/${id}/json`)) as Inspected;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}

/** For an engine whose containers are not processes that we may look at. */
export function elsewhere(name: string, cause?: unknown): Fault {
  return new Fault(
    'SANDBOX_UNAVAILABLE',
    `what stands in the containers of this ${name} cannot be looked at from here`,
    {
      hint: 'use an engine that runs on this machine itself, as root or as the user of the gateway',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/**
 * Whether this process of this machine is the container's: its control group has the container's name, or, where engines
 * without root make no groups, its environment has what only this container was told.
 */
async function isProven(pid: number, id: string, proof: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  if (seen(pid, 'cgroup').includes(id)) return true;
  // It has that environment when it has become the first program of the container, which may take a moment.
  for (const until = performance.now() + BECOMING_MS; performance.now() < until; ) {
    if (seen(pid, 'environ').split('\0').includes(`${PROOF}=${proof}`)) return true;
    if (seen(pid, 'cgroup') === '') return false; // it is gone
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}

/** What the kernel says of a process of this machine; nothing where it is gone, or another user's. */
function seen(pid: number, what: 'cgroup' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return '';
    throw error;
  }
}
