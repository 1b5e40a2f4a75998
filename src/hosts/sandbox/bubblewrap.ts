/** The bubblewrap backend: namespaces and a seccomp filter, without a daemon and without an image. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { SandboxLimits, SandboxPromise } from '../../wire/sandbox.ts';
import { probeSpec, type Backend, type GuardState, type OpenSandbox, type Probe, type SandboxSpec } from './backend.ts';
import { dropCommand, expectedMounts, joinCommand, stageUnreachable } from './bubblewrap/pre-exec.ts';
import {
  chooseSandboxUser,
  gatewayUser,
  idsInside,
  chownPrivateWorkspace,
  type SandboxUser,
} from './bubblewrap/sandbox-user.ts';
import { openBinds, openWorkspace, type OwnFolders } from './bubblewrap/mount-sources.ts';
import { isReachable } from './bubblewrap/stage.ts';
import { startBubblewrap, type Started } from './bubblewrap/start.ts';
import { verifyMounts } from './bubblewrap/verify-mounts.ts';
import { planLimits } from './limits.ts';
import { bubblewrapState, findPrograms, type Programs } from './probe.ts';
import { promisesOf, type PromiseId } from './probe/promises.ts';
import { HOME_INSIDE, PATH_INSIDE, profile, type Mount, type ProfileParts } from './profile.ts';
import { guardState } from './profile/guard-state.ts';
import { createPathHandles, type PathHandles } from './profile/path-handles.ts';
import { recordPlaceholder, sweepPlaceholders } from './profile/placeholder.ts';
import { protectWorkspace, scanWorkspace, type Protection } from './profile/protect-workspace.ts';
import { pathsToMask, isVisible, kernelFiles, rootParts } from './profile/root.ts';
import { seccompFilter } from './seccomp.ts';

/** The files that the runner runs from, bound read-only, and its command by paths inside. */
export interface AgentProvisions {
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  readonly command: readonly string[];
  /** The files that `binds` were copied from; no sandbox may change those either. */
  readonly originals?: readonly string[];
}

export interface BubblewrapOptions extends OwnFolders {
  readonly provisions: () => AgentProvisions | Promise<AgentProvisions>;
  /** A folder for temporary files of pincer. */
  readonly scratch: string;
}

export function createBubblewrap(options: BubblewrapOptions): Backend {
  let isSwept = false;
  return {
    name: 'bubblewrap',
    async probe() {
      try {
        return await probeProfile(await findPrograms(), options);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return { ok: false, message: error.message, hint: error.hint ?? '' };
      }
    },
    dependsOn: bubblewrapState,
    async open(spec) {
      if (!isSwept) sweepPlaceholders(options.scratch);
      isSwept = true;
      return open(spec, options);
    },
  };
}

async function probeProfile(programs: Programs, options: BubblewrapOptions): Promise<Probe> {
  const workspace = mkdtempSync(join(options.scratch, 'probe-'));
  try {
    const box = await open(probeSpec(workspace), {
      ...options,
      provisions: () => ({ binds: [], command: ['/bin/sh', '-c', 'read -r line <&3'] }),
    });
    await box.end();
    return { ok: true, version: programs.version, promises: await localPromises(programs) };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function open(spec: SandboxSpec, options: BubblewrapOptions): Promise<OpenSandbox> {
  const programs = await findPrograms();
  const agent = await options.provisions();
  const handles = createPathHandles();
  const undo: (() => void | Promise<void>)[] = [];
  try {
    const workspace = openWorkspace(spec, handles, options);
    const { uid, gid, mode } = workspace.stats;
    const owner = { uid: Number(uid), gid: Number(gid), mode: Number(mode) };
    const user = chooseSandboxUser(spec.workspaceAccess, owner, gatewayUser());
    chownPrivateWorkspace(workspace, user, spec.workspaceAccess);
    const own = {
      hidden: options.hidden,
      programs: agent.originals ?? agent.binds.map(({ source }) => source),
    };
    const protection = protectWorkspace(spec, workspace, handles, own, await scanWorkspace(spec, workspace));
    undo.push(() => protection.placeholder?.release());
    if (protection.placeholder !== undefined) undo.push(recordPlaceholder(options.scratch, spec.id, workspace.path()));
    const limits = planLimits({ id: spec.id, limits: spec.limits, isRoot: user.uid === 0, programs });
    undo.push(() => limits.remove());
    const mount: Mount = {
      source: { fd: workspace.fd },
      target: '/workspace',
      access: spec.workspaceAccess === 'ro' ? 'ro' : 'rw',
    };
    const parts = partsOf(spec, {
      agent,
      protection,
      user,
      workspace: mount,
      binds: openBinds(spec, workspace, handles, options),
      handles,
    });
    const { prefix, parts: reachable } = stageUnreachable(parts, user, programs);
    const started = await startBubblewrap({
      prefix: [...joinCommand(limits), ...prefix, ...dropCommand(user, programs), ...limits.outside],
      bwrap: programs.bwrap,
      profile: profile(reachable),
      command: [...limits.inside, ...agent.command],
      env: limits.env,
    });
    undo.push(() => started.end());
    verifyMounts(started.agent, expectedMounts(parts));
    const guards = guardState(started.agent, workspace.path(), [...protection.guards, ...protection.lastGuards]);
    handles.close();
    return opened(started, guards, undo);
  } catch (error) {
    handles.close();
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

function opened(started: Started, guards: GuardState, undo: (() => void | Promise<void>)[]): OpenSandbox {
  const ended = started.ended.then(async (reason) => {
    started.channel.destroy();
    const failures: string[] = [];
    for (const step of undo.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push((error as Error).message); // the other steps still run
      }
    }
    return failures.length === 0 ? reason : `${reason}; cleanup failed: ${failures.join('; ')}`;
  });
  return {
    channel: started.channel,
    pid: started.pid,
    guards,
    ownProcesses: true,
    ended,
    async end() {
      await started.end();
      await ended;
    },
  };
}

interface ProfileInputs {
  readonly agent: AgentProvisions;
  readonly protection: Protection;
  readonly user: SandboxUser;
  readonly workspace: Mount;
  readonly binds: readonly Mount[];
  readonly handles: PathHandles;
}

function partsOf(
  spec: SandboxSpec,
  { agent, protection, user, workspace, binds, handles }: ProfileInputs,
): ProfileParts {
  const ids = idsInside(user);
  const root = rootParts(ids, HOME_INSIDE, handles);
  const masked = user.keepsRoot ? pathsToMask(root) : { files: [], folders: [] };
  return {
    ids,
    limits: spec.limits,
    root,
    kernel: kernelFiles(),
    masked,
    provisions: agent.binds.map(({ source, target }) =>
      isVisible(source, root, masked) && isReachable(source, user)
        ? { kind: 'link', path: target, to: source }
        : { source: { path: source }, target, access: 'ro' },
    ),
    workspace,
    guards: protection.guards,
    binds,
    lastGuards: protection.lastGuards,
    env: {
      PATH: PATH_INSIDE,
      HOME: HOME_INSIDE,
      USER: 'sandbox',
      LOGNAME: 'sandbox',
      SHELL: '/bin/sh',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      ...spec.env,
    },
    seccomp: seccompFilter(),
  };
}

const MIB = 1024 * 1024;

const LIMIT_PROMISES: readonly (readonly [PromiseId, Partial<SandboxLimits>])[] = [
  ['fork-bomb', { pids: 100 }],
  ['memory-bomb', { memoryBytes: 256 * MIB }],
  ['file-size', { fileBytes: MIB }],
];

const AS_ROOT =
  'the gateway runs as root: in a writable workspace that root owns, commands write as uid 0 without capabilities; `id` shows 1000';

/** Limits need cgroups, and a gateway that is root keeps more privileges than others. */
async function localPromises(programs: Programs): Promise<readonly SandboxPromise[]> {
  const isRoot = gatewayUser().uid === 0;
  const broken: Partial<Record<PromiseId, string>> = {};
  for (const [id, limits] of LIMIT_PROMISES) {
    const reason = await reasonUnenforceable(limits, isRoot, programs);
    if (reason !== undefined) broken[id] = reason;
  }
  const promises = promisesOf(broken);
  return isRoot
    ? promises.map((promise) => (promise.id === 'host-secrets' ? { ...promise, reason: AS_ROOT } : promise))
    : promises;
}

async function reasonUnenforceable(
  limits: Partial<SandboxLimits>,
  isRoot: boolean,
  programs: Programs,
): Promise<string | undefined> {
  try {
    const plan = planLimits({ id: 'probe', limits: { tmpBytes: MIB, ...limits }, isRoot, programs });
    await plan.remove();
    return undefined;
  } catch (error) {
    if (error instanceof Fault)
      return `${error.message}; pincer skips the default limit, and a configured limit is an error`;
    throw error;
  }
}
