/** Turns a specification into a container request: user, mounts, and checks that the engine can enforce the limits. */
import { createHash, randomBytes } from 'node:crypto';
import { fstatSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { fdPath } from '../../files/gate/pin.ts';
import { INSIDE, type GuardState, type SandboxSpec } from '../backend.ts';
import { chooseSandboxUser, gatewayUser, chownPrivateWorkspace, type SandboxUser } from '../bubblewrap/sandbox-user.ts';
import { openBinds, openWorkspace } from '../bubblewrap/mount-sources.ts';
import type { ExpectedMount } from '../bubblewrap/verify-mounts.ts';
import type { Mount, MountSource } from '../profile.ts';
import { guardState } from '../profile/guard-state.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { createPathHandles, type PathHandle, type PathHandles } from '../profile/path-handles.ts';
import { protectWorkspace, scanWorkspace, type Protection } from '../profile/protect-workspace.ts';
import { checkBinds, reasonAgainst, type BindContext } from './binds.ts';
import { seccompProfile } from './seccomp-profile.ts';
import { EngineError } from './engine.ts';
import { requireLimits, enforceableLimits, type EngineFacts } from './facts.ts';
import { DEFAULT_IMAGE, type ContainerOptions, type ConnectedEngine } from './options.ts';
import { LABELS, gatewayLabel } from './gateway-label.ts';
import { socketCandidates, type EngineName } from './find-engine.ts';
import { containerRequest, specificationHash, type ContainerMount } from './request.ts';

export interface PlannedContainer {
  readonly spec: SandboxSpec;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expected: readonly ExpectedMount[];
  /** A random value in the environment of this container only. */
  readonly token: string;
  /** `pid` is the host PID of a process inside. Call it before `closeHandles`. */
  guardsOf(pid: number): GuardState | undefined;
  closeHandles(): void;
  /** Removes the placeholders from the workspace after the container has ended. */
  release(): void;
}

export async function planContainer(
  asked: SandboxSpec,
  connected: ConnectedEngine,
  options: ContainerOptions,
): Promise<PlannedContainer> {
  const spec = { ...asked, limits: enforceableLimits(asked.limits, connected.facts) };
  if (!connected.facts.seccomp)
    throw new Fault('SANDBOX_UNAVAILABLE', `this ${connected.name} does not support seccomp filters`, {
      hint: 'use an engine and a kernel with seccomp',
    });
  requireLimits(spec.limits, connected.facts, connected.name);
  const context = bindContext(connected, options);
  const image = spec.image ?? options.image ?? DEFAULT_IMAGE;
  const { id, volumes } = await inspectImage(connected, image);
  const agent = await options.agent();
  const token = randomBytes(16).toString('hex');
  const handles = createPathHandles();
  let protection: Protection | undefined;
  try {
    const workspace = openCheckedWorkspace(spec, handles, context);
    const user = sandboxUser(spec, workspace, connected.facts);
    chownPrivateWorkspace(workspace, user, spec.workspaceAccess);
    const programs = agent.originals ?? agent.binds.map(({ source }) => source);
    const scan = await scanWorkspace(spec, workspace);
    protection = protectWorkspace(spec, workspace, handles, { hidden: options.hidden, programs }, scan);
    const seen = mountTable(spec, workspace, protection, openCheckedBinds(spec, workspace, handles, context));
    const body = containerRequest({
      spec,
      engine: connected.name,
      image: id,
      user: `${user.uid}:${user.gid}`,
      command: agent.command,
      mounts: [...agent.binds.map((bind) => ({ ...bind, access: 'ro' as const })), ...seen.mounts],
      hidden: seen.hidden,
      volumes: volumes.filter((path) => !seen.mounts.some(({ target }) => target === path)),
      labels: {
        [LABELS.sandbox]: spec.id,
        [LABELS.specification]: specificationHash(spec, id),
        [LABELS.gateway]: gatewayLabel(),
      },
      facts: connected.facts,
      seccomp: seccompOption(connected.name, options.scratch),
      ceiling: ceiling(),
      token,
    });
    const placeholder = protection.placeholder;
    const { expected } = seen;
    const guards = [...protection.guards, ...protection.lastGuards];
    return {
      spec,
      body,
      expected,
      token,
      // The host cannot see the mounts of a runtime with its own kernel.
      guardsOf: (pid) => (spec.runtime === undefined ? guardState(pid, workspace.path(), guards) : undefined),
      closeHandles: () => handles.close(),
      release: () => placeholder?.release(),
    };
  } catch (error) {
    handles.close();
    protection?.placeholder?.release();
    throw error;
  }
}

function bindContext(connected: ConnectedEngine, { engine, places, home, hidden }: ContainerOptions): BindContext {
  const other = engine === 'docker' ? 'podman' : 'docker';
  const usual = [...socketCandidates(engine, { socket: undefined, runtimeDir: places.runtimeDir })];
  const others = socketCandidates(other, { socket: undefined, runtimeDir: places.runtimeDir });
  return { home, hidden, sockets: [connected.engine.socket, ...usual, ...others] };
}

/** The workspace is a bind too; pincer's own folders in it are hidden, so they are no reason to refuse it. */
function openCheckedWorkspace(spec: SandboxSpec, handles: PathHandles, context: BindContext): PathHandle {
  const workspace = openWorkspace(spec, handles, context);
  const why = spec.workspaceAccess === 'none' ? undefined : reasonAgainst(spec.workspace, { ...context, hidden: [] });
  if (why === undefined) return workspace;
  throw new Fault('SANDBOX_WORKSPACE_REFUSED', `${spec.workspace} ${why}`, {
    hint: 'choose another folder as the workspace, or set sandbox.workspaceAccess to "none"',
  });
}

/** Uid 0 of a rootless engine is the user that runs the engine, without further privileges. */
function sandboxUser(
  { user, workspaceAccess }: SandboxSpec,
  { stats }: PathHandle,
  { rootless }: EngineFacts,
): SandboxUser {
  const gateway = gatewayUser();
  const dropsRoot = gateway.uid === 0;
  if (user !== undefined) {
    const [, uid, gid] = /^(\d{1,10})(?::(\d{1,10}))?$/u.exec(user) ?? [];
    if (uid === undefined)
      throw new Fault('SANDBOX_USER_REFUSED', `sandbox.docker.user is ${JSON.stringify(user)}, which is not a uid`, {
        hint: 'write it as numbers, such as "1000:1000"',
      });
    return { uid: Number(uid), gid: Number(gid ?? uid), dropsRoot, keepsRoot: uid === '0' };
  }
  if (rootless) return { uid: 0, gid: 0, dropsRoot: false, keepsRoot: false };
  const owner = { uid: Number(stats.uid), gid: Number(stats.gid), mode: Number(stats.mode) };
  return chooseSandboxUser(workspaceAccess, owner, gateway);
}

/** The engine receives binds as paths, so this checks that each path still leads to the checked file. */
function openCheckedBinds(
  spec: SandboxSpec,
  workspace: PathHandle,
  handles: PathHandles,
  context: BindContext,
): Mount[] {
  const checked = checkBinds(spec.binds, context);
  return openBinds(spec, workspace, handles, context).map((mount, i) => {
    const source = checked[i]?.source;
    if (source !== undefined && pathOf(mount.source) === source) return mount;
    throw new Fault('SANDBOX_BIND_REFUSED', `${source} was replaced while the sandbox was created`, {
      hint: 'find out what replaces it, then try again',
    });
  });
}

interface MountTable {
  readonly mounts: readonly ContainerMount[];
  readonly hidden: readonly string[];
  readonly expected: readonly ExpectedMount[];
}

/** All mounts by target; where two have the same target, the later one counts. */
function mountTable(
  spec: SandboxSpec,
  workspace: PathHandle,
  protection: Protection,
  binds: readonly Mount[],
): MountTable {
  const mounts = new Map<string, ContainerMount>();
  const hidden = new Set<string>();
  const expected = new Map<string, ExpectedMount>();
  const add = (source: MountSource, target: string, access: 'ro' | 'rw'): void => {
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

function pathOf(source: MountSource): string {
  return 'fd' in source ? readlinkSync(fdPath(source.fd)) : source.path;
}

function identityOf(source: MountSource): string | undefined {
  return 'fd' in source ? identity(fstatSync(source.fd, { bigint: true })) : undefined;
}

/** Docker takes the text of the profile, podman the path of a file. */
function seccompOption(name: EngineName, scratch: string): string | undefined {
  const profile = seccompProfile();
  if (profile === undefined) return undefined;
  const text = JSON.stringify(profile);
  if (name === 'docker') return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(scratch, `calls-${hash}.json`);
  // Rewritten each time, since the file may be outdated, and by a rename, since another sandbox may be starting.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text, { mode: 0o644 });
  renameSync(own, path);
  return path;
}

/** The hard rlimits of this process. */
function ceiling(): { readonly files: number; readonly processes: number } {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string): number => {
    const [, limit = 'unlimited'] = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'mu').exec(text) ?? [];
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  };
  return { files: hard('Max open files'), processes: hard('Max processes') };
}

interface FoundImage {
  /** Stays the same when the image's name is moved to another image. */
  readonly id: string;
  /** The VOLUME folders of the image. */
  readonly volumes: readonly string[];
}

/** Throws SANDBOX_IMAGE_MISSING where the engine does not have the image: pincer never pulls one itself. */
async function inspectImage({ engine, name }: ConnectedEngine, image: string): Promise<FoundImage> {
  if (!/^[\w][\w./:@-]*$/u.test(image))
    throw new Fault('SANDBOX_IMAGE_MISSING', `${JSON.stringify(image)} is not a valid image name`, {
      hint: 'set sandbox.docker.image to a name such as debian:bookworm-slim',
    });
  try {
    const answer = (await engine.ask('GET', `/images/${image}/json`)) as {
      readonly Id?: unknown;
      readonly Config?: { readonly Volumes?: Readonly<Record<string, unknown>> | null } | null;
    };
    if (typeof answer.Id !== 'string') throw new EngineError(0, 'the engine did not return an image id');
    return { id: answer.Id, volumes: Object.keys(answer.Config?.Volumes ?? {}) };
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error;
    throw new Fault('SANDBOX_IMAGE_MISSING', `${name} does not have the image ${image}`, {
      hint: `run "${name} pull ${image}", or "${name} import <file.tar> ${image}" without a network; pincer never pulls images itself`,
      details: { image },
      cause: error,
    });
  }
}
