/** From a specification to a container: who runs in it, what is seen, and whether the engine can hold what it promises. */
import { createHash, randomBytes } from 'node:crypto';
import { fstatSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { fdPath } from '../../files/gate/pin.ts';
import { INSIDE, type GuardState, type SandboxSpec } from '../backend.ts';
import { chooseInhabitant, gatewayUser, settle, type Chosen } from '../bubblewrap/sandbox-user.ts';
import { holdBinds, holdWorkspace } from '../bubblewrap/sources.ts';
import type { Expected } from '../bubblewrap/verify.ts';
import type { Mount, Source } from '../profile.ts';
import { guardState } from '../profile/guard-state.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { createHolds, type Held, type Holds } from '../profile/hold.ts';
import { protect, scanWorkspace, type Protection } from '../profile/protected.ts';
import { checkBinds, reasonAgainst, type BindContext } from './binds.ts';
import { callProfile } from './calls.ts';
import { EngineError } from './engine.ts';
import { demandLimits, limitsHeld, type EngineFacts } from './facts.ts';
import { DEFAULT_IMAGE, type ContainerOptions, type MetEngine } from './options.ts';
import { LABELS, thisGateway } from './owner.ts';
import { candidates, type EngineName } from './places.ts';
import { containerRequest, specificationHash, type ContainerMount } from './request.ts';

/** A container that can be made. */
export interface Planned {
  readonly spec: SandboxSpec;
  readonly body: Readonly<Record<string, unknown>>;
  /** What has to stand inside once it runs. */
  readonly expected: readonly Expected[];
  /** What only this container is told, in its environment. */
  readonly proof: string;
  /** Watches the guards through a process inside; before the descriptors are let go of. */
  guardsOf(pid: number): GuardState | undefined;
  /** Lets go of the descriptors that held what was looked at. */
  letGo(): void;
  /** Takes away what was laid into the workspace for it, when it has ended. */
  release(): void;
}

/** Plans the container; a fault says what stands in the way. Nothing has been started then. */
export async function planContainer(asked: SandboxSpec, met: MetEngine, options: ContainerOptions): Promise<Planned> {
  const spec = { ...asked, limits: limitsHeld(asked.limits, met.facts) };
  if (!met.facts.seccomp)
    throw new Fault('SANDBOX_UNAVAILABLE', `this ${met.name} has no filter on system calls`, {
      hint: 'use an engine and a kernel with seccomp',
    });
  demandLimits(spec.limits, met.facts, met.name);
  const context = bindContext(met, options);
  const image = spec.image ?? options.image ?? DEFAULT_IMAGE;
  const { id, volumes } = await lookAtImage(met, image);
  const agent = await options.agent();
  const proof = randomBytes(16).toString('hex');
  const holds = createHolds();
  let protection: Protection | undefined;
  try {
    const workspace = holdChecked(spec, holds, context);
    const who = inhabitant(spec, workspace, met.facts);
    settle(workspace, who, spec.workspaceAccess);
    const programs = agent.originals ?? agent.binds.map(({ source }) => source);
    const scan = await scanWorkspace(spec, workspace);
    protection = protect(spec, workspace, holds, { hidden: options.hidden, programs }, scan);
    const seen = seenInside(spec, workspace, protection, holdChosen(spec, workspace, holds, context));
    const body = containerRequest({
      spec,
      engine: met.name,
      image: id,
      user: `${who.uid}:${who.gid}`,
      command: agent.command,
      mounts: [...agent.binds.map((bind) => ({ ...bind, access: 'ro' as const })), ...seen.mounts],
      hidden: seen.hidden,
      volumes: volumes.filter((path) => !seen.mounts.some(({ target }) => target === path)),
      labels: {
        [LABELS.sandbox]: spec.id,
        [LABELS.specification]: specificationHash(spec, id),
        [LABELS.gateway]: thisGateway(),
      },
      facts: met.facts,
      calls: callFilter(met.name, options.scratch),
      ceiling: ceiling(),
      proof,
    });
    const placeholder = protection.placeholder;
    const { expected } = seen;
    const guards = [...protection.guards, ...protection.lastGuards];
    return {
      spec,
      body,
      expected,
      proof,
      // A runtime with a kernel of its own has mounts that nobody sees from here.
      guardsOf: (pid) => (spec.runtime === undefined ? guardState(pid, workspace.path(), guards) : undefined),
      letGo: () => holds.close(),
      release: () => placeholder?.release(),
    };
  } catch (error) {
    holds.close();
    protection?.placeholder?.release();
    throw error;
  }
}

function bindContext(met: MetEngine, { engine, places, home, hidden }: ContainerOptions): BindContext {
  const other = engine === 'docker' ? 'podman' : 'docker';
  const usual = [...candidates(engine, { socket: undefined, runtimeDir: places.runtimeDir })];
  const others = candidates(other, { socket: undefined, runtimeDir: places.runtimeDir });
  return { home, hidden, sockets: [met.engine.socket, ...usual, ...others] };
}

/** The workspace is a bind, too; what of ours stands in it is hidden and no reason against it. */
function holdChecked(spec: SandboxSpec, holds: Holds, context: BindContext): Held {
  const workspace = holdWorkspace(spec, holds, context);
  const why = spec.workspaceAccess === 'none' ? undefined : reasonAgainst(spec.workspace, { ...context, hidden: [] });
  if (why === undefined) return workspace;
  throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${spec.workspace} ${why}`, {
    hint: 'choose another folder as the workspace, or set sandbox.workspaceAccess to "none"',
  });
}

/** Who runs inside. The user 0 of a rootless engine is the user who runs it, without any rights beyond that. */
function inhabitant({ user, workspaceAccess }: SandboxSpec, { stats }: Held, { rootless }: EngineFacts): Chosen {
  const gateway = gatewayUser();
  const drops = gateway.uid === 0;
  if (user !== undefined) {
    const [, uid, gid] = /^(\d{1,10})(?::(\d{1,10}))?$/u.exec(user) ?? [];
    if (uid === undefined)
      throw new Fault('SANDBOX_USER_REFUSED', `sandbox.docker.user is ${JSON.stringify(user)}, which is no number`, {
        hint: 'write it as numbers, such as "1000:1000"',
      });
    return { uid: Number(uid), gid: Number(gid ?? uid), drops, keepsRoot: uid === '0' };
  }
  if (rootless) return { uid: 0, gid: 0, drops: false, keepsRoot: false };
  const premises = { uid: Number(stats.uid), gid: Number(stats.gid), mode: Number(stats.mode) };
  return chooseInhabitant(workspaceAccess, premises, gateway);
}

/** The operator's binds, which the engine is told by their paths: what stands there is what was looked at. */
function holdChosen(spec: SandboxSpec, workspace: Held, holds: Holds, context: BindContext): Mount[] {
  const checked = checkBinds(spec.binds, context);
  return holdBinds(spec, workspace, holds, context).map((mount, i) => {
    const source = checked[i]?.source;
    if (source !== undefined && pathOf(mount.source) === source) return mount;
    throw new Fault('SANDBOX_BIND_REFUSED', `${source} was swapped while the sandbox was made`, {
      hint: 'find out what moves it, then try again',
    });
  });
}

interface Seen {
  readonly mounts: readonly ContainerMount[];
  readonly hidden: readonly string[];
  readonly expected: readonly Expected[];
}

/** All that is laid over each other, by its place inside: the later one counts. */
function seenInside(spec: SandboxSpec, workspace: Held, protection: Protection, binds: readonly Mount[]): Seen {
  const mounts = new Map<string, ContainerMount>();
  const hidden = new Set<string>();
  const expected = new Map<string, Expected>();
  const add = (source: Source, target: string, access: 'ro' | 'rw'): void => {
    hidden.delete(target);
    mounts.set(target, { source: pathOf(source), target, access });
    expected.set(target, { target, identity: identityOf(source) });
  };
  add({ fd: workspace.fd }, INSIDE, spec.workspaceAccess === 'ro' ? 'ro' : 'rw');
  for (const each of [...protection.guards, ...binds, ...protection.lastGuards]) {
    const { target, source } = each;
    if (!('how' in each)) add(source, target, each.access);
    else if (each.how !== 'hidden') add(source, target, each.how === 'ro' ? 'ro' : 'rw');
    else {
      mounts.delete(target);
      hidden.add(target);
      expected.set(target, { target, identity: undefined });
    }
  }
  return { mounts: [...mounts.values()], hidden: [...hidden], expected: [...expected.values()] };
}

function pathOf(source: Source): string {
  return 'fd' in source ? readlinkSync(fdPath(source.fd)) : source.path;
}

function identityOf(source: Source): string | undefined {
  return 'fd' in source ? identity(fstatSync(source.fd, { bigint: true })) : undefined;
}

/** The filter on system calls: docker takes its text, podman the path of a file. */
function callFilter(name: EngineName, scratch: string): string | undefined {
  const profile = callProfile();
  if (profile === undefined) return undefined;
  const text = JSON.stringify(profile);
  if (name === 'docker') return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(scratch, `calls-${hash}.json`);
  // Written anew each time, and in one go: what stands there may be old, and another sandbox may be starting.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text, { mode: 0o644 });
  renameSync(own, path);
  return path;
}

/** The limits of this process, as far as they can be raised. */
function ceiling(): { readonly files: number; readonly processes: number } {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string): number => {
    const [, limit = 'unlimited'] = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'mu').exec(text) ?? [];
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  };
  return { files: hard('Max open files'), processes: hard('Max processes') };
}

// The image of a container: it is there, or it is said how to get it; nothing is ever fetched by itself.

/** An image that the engine has. */
interface FoundImage {
  /** Names exactly this one, also when its name is given to another. */
  readonly id: string;
  /** Folders that it wants to be written. */
  readonly volumes: readonly string[];
}

/** Asks for the image; SANDBOX_IMAGE_MISSING where the engine does not have it. */
async function lookAtImage({ engine, name }: MetEngine, image: string): Promise<FoundImage> {
  if (!/^[\w][\w./:@-]*$/u.test(image))
    throw new Fault('SANDBOX_IMAGE_MISSING', `${JSON.stringify(image)} is not the name of an image`, {
      hint: 'set sandbox.docker.image to a name such as debian:bookworm-slim',
    });
  try {
    const told = (await engine.ask('GET', `/images/${image}/json`)) as {
      readonly Id?: unknown;
      readonly Config?: { readonly Volumes?: Readonly<Record<string, unknown>> | null } | null;
    };
    if (typeof told.Id !== 'string') throw new EngineError(0, 'the engine did not say which image that is');
    return { id: told.Id, volumes: Object.keys(told.Config?.Volumes ?? {}) };
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error;
    throw new Fault('SANDBOX_IMAGE_MISSING', `${name} does not have the image ${image}`, {
      hint: `run "${name} pull ${image}", or "${name} import <file.tar> ${image}" without a network; images are never fetched by themselves`,
      details: { image },
      cause: error,
    });
  }
}
