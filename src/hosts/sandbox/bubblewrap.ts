/** The bubblewrap backend: a sandbox of namespaces and a filter on system calls, without a daemon and without an image. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { probeSpec, type Backend, type GuardState, type OpenSandbox, type Probe, type SandboxSpec } from './backend.ts';
import { dropCommand, expectedOf, joinCommand, setStage } from './bubblewrap/pre-exec.ts';
import { chooseInhabitant, gatewayUser, seenAs, settle, type Chosen } from './bubblewrap/sandbox-user.ts';
import { holdBinds, holdWorkspace, type OwnFolders } from './bubblewrap/sources.ts';
import { isReachable } from './bubblewrap/stage.ts';
import { start, type Started } from './bubblewrap/start.ts';
import { verify } from './bubblewrap/verify.ts';
import { planLimits } from './limits.ts';
import { bubblewrapState, findPrograms, type Programs } from './probe.ts';
import { promisesHere } from './bubblewrap/promises-here.ts';
import { HOME_INSIDE, PATH_INSIDE, profile, type Mount, type ProfileParts } from './profile.ts';
import { guardState } from './profile/guard-state.ts';
import { createHolds, type Holds } from './profile/hold.ts';
import { noteLeftover, sweepLeftovers } from './profile/leftovers.ts';
import { protect, scanWorkspace, type Protection } from './profile/protected.ts';
import { closedParts, isSeen, kernelFiles, rootParts } from './profile/root.ts';
import { seccompFilter } from './seccomp.ts';

/** What the agent inside needs: things that are bound read-only, and how it is started by its path inside. */
export interface AgentProvisions {
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  readonly command: readonly string[];
  /** What it was copied from, where it was: no sandbox may change that. */
  readonly originals?: readonly string[];
}

export interface BubblewrapOptions extends OwnFolders {
  readonly provisions: () => AgentProvisions | Promise<AgentProvisions>;
  /** A folder of ours for what a probe needs for a moment. */
  readonly scratch: string;
}

/** The backend. */
export function createBubblewrap(options: BubblewrapOptions): Backend {
  let isSwept = false;
  return {
    name: 'bubblewrap',
    async probe() {
      try {
        return await tryOut(await findPrograms(), options);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return { ok: false, message: error.message, hint: error.hint ?? '' };
      }
    },
    dependsOn: bubblewrapState,
    async open(spec) {
      if (!isSwept) sweepLeftovers(options.scratch);
      isSwept = true;
      return open(spec, options);
    },
  };
}

/** Runs the real profile once. */
async function tryOut(programs: Programs, options: BubblewrapOptions): Promise<Probe> {
  const workspace = mkdtempSync(join(options.scratch, 'probe-'));
  try {
    const box = await open(probeSpec(workspace), {
      ...options,
      provisions: () => ({ binds: [], command: ['/bin/sh', '-c', 'read -r line <&3'] }),
    });
    await box.end();
    return { ok: true, version: programs.version, promises: await promisesHere(programs) };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function open(spec: SandboxSpec, options: BubblewrapOptions): Promise<OpenSandbox> {
  const programs = await findPrograms();
  const agent = await options.provisions();
  const holds = createHolds();
  const undo: (() => void | Promise<void>)[] = [];
  try {
    const workspace = holdWorkspace(spec, holds, options);
    const { uid, gid, mode } = workspace.stats;
    const premises = { uid: Number(uid), gid: Number(gid), mode: Number(mode) };
    const who = chooseInhabitant(spec.workspaceAccess, premises, gatewayUser());
    settle(workspace, who, spec.workspaceAccess);
    const own = {
      hidden: options.hidden,
      programs: agent.originals ?? agent.binds.map(({ source }) => source),
    };
    const protection = protect(spec, workspace, holds, own, await scanWorkspace(spec, workspace));
    undo.push(() => protection.placeholder?.release());
    if (protection.placeholder !== undefined) undo.push(noteLeftover(options.scratch, spec.id, workspace.path()));
    const limits = planLimits({ id: spec.id, limits: spec.limits, isRoot: who.uid === 0, programs });
    undo.push(() => limits.remove());
    const mount: Mount = {
      source: { fd: workspace.fd },
      target: '/workspace',
      access: spec.workspaceAccess === 'ro' ? 'ro' : 'rw',
    };
    const parts = partsOf(spec, {
      agent,
      protection,
      who,
      workspace: mount,
      binds: holdBinds(spec, workspace, holds, options),
      holds,
    });
    const { prefix, parts: reachable } = setStage(parts, who, programs);
    const started = await start({
      prefix: [...joinCommand(limits), ...prefix, ...dropCommand(who, programs), ...limits.outside],
      bwrap: programs.bwrap,
      profile: profile(reachable),
      command: [...limits.inside, ...agent.command],
      env: limits.env,
    });
    undo.push(() => started.end());
    verify(started.agent, expectedOf(parts));
    const guards = guardState(started.agent, workspace.path(), [...protection.guards, ...protection.lastGuards]);
    holds.close();
    return opened(started, guards, undo);
  } catch (error) {
    holds.close();
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

function opened(started: Started, guards: GuardState, undo: (() => void | Promise<void>)[]): OpenSandbox {
  const ended = started.ended.then(async (reason) => {
    started.channel.destroy();
    const left: string[] = [];
    for (const step of undo.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        left.push((error as Error).message); // everything else is still cleaned
      }
    }
    return left.length === 0 ? reason : `${reason}; not all of it could be cleaned: ${left.join('; ')}`;
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

interface Gathered {
  readonly agent: AgentProvisions;
  readonly protection: Protection;
  readonly who: Chosen;
  readonly workspace: Mount;
  readonly binds: readonly Mount[];
  readonly holds: Holds;
}

function partsOf(spec: SandboxSpec, { agent, protection, who, workspace, binds, holds }: Gathered): ProfileParts {
  const inhabitant = seenAs(who);
  const root = rootParts(inhabitant, HOME_INSIDE, holds);
  const masked = who.keepsRoot ? closedParts(root) : { files: [], folders: [] };
  return {
    inhabitant,
    limits: spec.limits,
    root,
    kernel: kernelFiles(),
    masked,
    provisions: agent.binds.map(({ source, target }) =>
      isSeen(source, root, masked) && isReachable(source, who)
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
