/** The container backend: docker and podman, rootful and rootless, over the Docker Engine API. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { probeSpec, type Backend, type OpenSandbox, type Probe, type SandboxSpec } from '../backend.ts';
import { EngineError } from './engine.ts';
import { enginePromises } from './facts.ts';
import { createEngineDiscovery, socketStamp } from './engine-discovery.ts';
import type { ContainerOptions, ConnectedEngine } from './options.ts';
import type { EngineName } from './find-engine.ts';
import { planContainer } from './plan.ts';
import { startContainer } from './start.ts';
import { removeEarlier } from './sweep.ts';

/** An engine that starts more containers at the same time does not answer for seconds. */
const MOST_AT_ONCE = 4;

export function createContainers(options: ContainerOptions): Backend {
  const inTurn = createTurns(MOST_AT_ONCE);
  const connect = createEngineDiscovery(options.engine, options.places);
  return {
    name: options.engine,
    probe: () => probeProfile(options, connect),
    dependsOn: async () => {
      const { engine, version } = await engineFault(options.engine, connect);
      return `${version} ${socketStamp(engine.socket)}`;
    },
    open: (spec) => inTurn(spec.id, async () => open(spec, await engineFault(options.engine, connect), options)),
  };
}

async function probeProfile(options: ContainerOptions, connect: () => Promise<ConnectedEngine>): Promise<Probe> {
  const { runtime, user } = options;
  const workspace = mkdtempSync(join(options.scratch, 'probe-'));
  try {
    const connected = await engineFault(options.engine, connect);
    const sandbox = await open(
      {
        ...probeSpec(workspace),
        ...(runtime === undefined ? {} : { runtime }),
        ...(user === undefined ? {} : { user }),
      },
      connected,
      options,
    );
    await sandbox.end();
    return {
      ok: true,
      version: `${connected.name} ${connected.version}`,
      promises: enginePromises(connected.facts, connected.name, runtime),
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, message: error.message, hint: error.hint ?? '' };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function open(spec: SandboxSpec, connected: ConnectedEngine, options: ContainerOptions): Promise<OpenSandbox> {
  return engineFault(connected.name, async () => {
    const planned = await planContainer(spec, connected, options);
    try {
      await removeEarlier(connected.engine, spec.id);
      return await startContainer(connected, planned, options.startMs);
    } catch (error) {
      planned.release();
      throw error;
    }
  });
}

/** Turns an EngineError into a fault with the engine's own message. */
async function engineFault<T>(name: EngineName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new Fault('SANDBOX_UNAVAILABLE', `${name} could not create the sandbox: ${error.message}`, {
      hint: hintFor(name, error.message),
      cause: error,
      details: { status: error.status },
    });
  }
}

const HINTS: readonly (readonly [message: RegExp, hint: string])[] = [
  [/init binary|docker-init|catatonit/iu, 'run "apt install catatonit" (podman) or "apt install tini" (docker)'],
  [
    /[Uu]nknown runtime|invalid runtime|runtime name/u,
    'register that runtime with the engine, or remove sandbox.docker.runtime',
  ],
  [/rlimit/iu, 'run the engine with CAP_SYS_RESOURCE, or raise its own rlimits'],
  [/seccomp/iu, 'use an engine and a kernel with seccomp'],
  [/cgroup/iu, 'use cgroup v2, or the runtime runc'],
];

function hintFor(name: EngineName, message: string): string {
  const known = HINTS.find(([pattern]) => pattern.test(message))?.[1];
  return (
    known ??
    `check whether "${name} run --rm --network none" works with the same image; nothing was run on this machine instead`
  );
}

type InTurn = (id: string, open: () => Promise<OpenSandbox>) => Promise<OpenSandbox>;

/**
 * Opens one sandbox per id at a time: the earlier one has ended and cleaned up the workspace before the next is created. At
 * most `atOnce` sandboxes of all ids are opening at the same time.
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
      // The caller that has waited longest takes over the slot.
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
    void settled.then(async (sandbox) => {
      await sandbox?.ended;
      if (latest.get(id) === settled) latest.delete(id);
    });
    return turn;
  };
}
