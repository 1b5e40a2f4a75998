/** The container backend: docker and podman, rootful and rootless, over the one API that both answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { probeSpec, type Backend, type OpenSandbox, type Probe, type SandboxSpec } from '../backend.ts';
import { EngineError } from './engine.ts';
import { promisesWith } from './facts.ts';
import { createMeeting, socketStamp } from './engine-discovery.ts';
import type { ContainerOptions, MetEngine } from './options.ts';
import type { EngineName } from './places.ts';
import { planContainer } from './plan.ts';
import { startContainer } from './start.ts';
import { removeEarlier } from './sweep.ts';

/** Engines that start more at once answer nobody for seconds. */
const MOST_AT_ONCE = 4;

/** The backend. */
export function createContainers(options: ContainerOptions): Backend {
  const inTurn = createTurns(MOST_AT_ONCE);
  const meetEngine = createMeeting(options.engine, options.places);
  return {
    name: options.engine,
    probe: () => tryOut(options, meetEngine),
    dependsOn: async () => {
      const { engine, version } = await engineFault(options.engine, meetEngine);
      return `${version} ${socketStamp(engine.socket)}`;
    },
    open: (spec) => inTurn(spec.id, async () => open(spec, await engineFault(options.engine, meetEngine), options)),
  };
}

/** Runs the real profile once. */
async function tryOut(options: ContainerOptions, meetEngine: () => Promise<MetEngine>): Promise<Probe> {
  const { runtime, user } = options;
  const workspace = mkdtempSync(join(options.scratch, 'probe-'));
  try {
    const met = await engineFault(options.engine, meetEngine);
    const box = await open(
      {
        ...probeSpec(workspace),
        ...(runtime === undefined ? {} : { runtime }),
        ...(user === undefined ? {} : { user }),
      },
      met,
      options,
    );
    await box.end();
    return { ok: true, version: `${met.name} ${met.version}`, promises: promisesWith(met.facts, met.name, runtime) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, message: error.message, hint: error.hint ?? '' };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function open(spec: SandboxSpec, met: MetEngine, options: ContainerOptions): Promise<OpenSandbox> {
  return engineFault(met.name, async () => {
    const planned = await planContainer(spec, met, options);
    try {
      await removeEarlier(met.engine, spec.id);
      return await startContainer(met, planned, options.startMs);
    } catch (error) {
      planned.release();
      throw error;
    }
  });
}

/** What an engine refused, in its own words. */
async function engineFault<T>(name: EngineName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new Fault('SANDBOX_UNAVAILABLE', `${name} could not make the sandbox: ${error.message}`, {
      hint: hintFor(name, error.message),
      cause: error,
      details: { status: error.status },
    });
  }
}

const HINTS: readonly (readonly [said: RegExp, hint: string])[] = [
  [/init binary|docker-init|catatonit/iu, 'run "apt install catatonit" (podman) or "apt install tini" (docker)'],
  [
    /[Uu]nknown runtime|invalid runtime|runtime name/u,
    'tell the engine of that runtime, or leave out sandbox.docker.runtime',
  ],
  [/rlimit/iu, 'let the engine run with the capability CAP_SYS_RESOURCE, or raise the limits that it runs with'],
  [/seccomp/iu, 'use an engine and a kernel with seccomp'],
  [/cgroup/iu, 'use cgroup v2, or the runtime runc'],
];

function hintFor(name: EngineName, message: string): string {
  const known = HINTS.find(([said]) => said.test(message))?.[1];
  return (
    known ??
    `see whether "${name} run --rm --network none" works with the same image; nothing was run on this machine instead`
  );
}

// Who may open a sandbox now.

/** Opens when it is this sandbox's turn. */
type InTurn = (id: string, open: () => Promise<OpenSandbox>) => Promise<OpenSandbox>;

/**
 * One sandbox of a name at a time: the earlier one has ended, with all that it left in the workspace, before the next is
 * made. And so many of all names are opening at once.
 */
export function createTurns(atOnce: number): InTurn {
  const latest = new Map<string, Promise<OpenSandbox | undefined>>();
  const waiting: (() => void)[] = [];
  let opening = 0;

  const limited = async (open: () => Promise<OpenSandbox>): Promise<OpenSandbox> => {
    if (opening >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else opening++;
    try {
      return await open();
    } finally {
      // Whoever waits longest takes over the place.
      const next = waiting.shift();
      if (next === undefined) opening--;
      else next();
    }
  };

  return (id, open) => {
    const earlier = latest.get(id);
    const turn = (async () => {
      await (await earlier)?.end();
      return limited(open);
    })();
    const settled = turn.catch(() => undefined);
    latest.set(id, settled);
    void settled.then(async (box) => {
      await box?.ended;
      if (latest.get(id) === settled) latest.delete(id);
    });
    return turn;
  };
}
