/** What the gateway does with sandboxes: file tools inside of them, what is told about them, and their lines in the audit log. */
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { actorOf } from '../../wire/actor.ts';
import type { Caller, ExecContext } from '../../wire/exec.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { Methods } from '../../wire/methods.ts';
import type { BackendName, SandboxExplanation, SandboxProbe, SandboxSettings } from '../../wire/sandbox.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { FILE_TOOLS, isFileTool } from '../../wire/tool-names.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import type { Launcher } from '../process/launch.ts';
import { offBackend, sandboxingIsOff } from '../sandbox/off.ts';
import { promisesOfWritable } from '../sandbox/probe/promises.ts';
import { isSandboxed, placeFor, type SandboxPlace } from '../sandbox/owner.ts';
import { createSandboxes, type SandboxesOptions } from '../sandbox/sandboxes.ts';
import { insidePath, workspaceOf } from './inside.ts';
import { answerObeyed, tellGuardLost } from './obeyed.ts';
import { postureOf } from './posture.ts';
import type { Said } from './route.ts';
import { sayingAccess } from './workspace-access.ts';

/** What makes sandboxes, and speaks to the agent inside. */
export type SandboxTechnology = Pick<SandboxesOptions, 'backendFor' | 'connect' | 'egress'>;

export interface SandboxingParts {
  readonly stateDir: string;
  readonly technology: SandboxTechnology;
  readonly store: Pick<ApprovalStore, 'audit' | 'notice'>;
  /** There are new notices in the store. */
  readonly told?: () => void;
  readonly now: () => number;
  /** What holds for a caller in a folder. */
  readonly saidFor: (folder: string, caller: Caller, tighter?: ExecContext['tighter']) => Promise<Said>;
  readonly log: (text: string) => void;
}

/** Where nobody has given any technology. */
export const NO_SANDBOXES: SandboxTechnology = {
  backendFor: async ({ backend }) => {
    throw new Fault('SANDBOX_UNAVAILABLE', `this gateway has no sandboxes of the kind ${backend}`, {
      hint: 'run commands through the daemon of the program pincer',
    });
  },
  connect: () => {
    throw new Fault('SANDBOX_UNAVAILABLE', 'this gateway cannot speak to a sandbox');
  },
};

type Asked<M extends keyof Methods> = Methods[M]['params'];

export interface Sandboxing {
  launcher(local: Launcher): Launcher;
  /** Makes the sandbox of a command before its start is noted; one that cannot be made is a fault. */
  open(place: SandboxPlace | undefined): Promise<void>;
  callTool(call: Asked<'sandbox.tool'>, signal?: AbortSignal): Promise<ToolResult>;
  explain(asked: Asked<'sandbox.explain'>): Promise<SandboxExplanation>;
  /** Why the sandbox of a caller cannot be made; undefined where it can, or where none belongs to the caller. */
  whyUnavailable(said: Said, caller: Caller): Promise<string | undefined>;
  list(): Methods['sandbox.list']['result'];
  recreate(asked: Asked<'sandbox.recreate'>): Promise<Methods['sandbox.recreate']['result']>;
  close(): Promise<void>;
}

export function createSandboxing({ stateDir, technology, store, saidFor, ...parts }: SandboxingParts): Sandboxing {
  const telling = { store, told: () => parts.told?.() };
  const sandboxes = createSandboxes({
    ...technology,
    folder: join(stateDir, 'sandboxes'),
    now: parts.now,
    onRefused: (place, { host, port, reason, untold }) =>
      store.audit({
        event: 'egress',
        ...actorOf(place),
        details: {
          refused: `${host.slice(0, 300)}:${port}`,
          reason,
          owner: place.owner,
          ...(untold === 0 ? {} : { untold }),
        },
      }),
    onAllowed: (place, { host, port, address, untold }) =>
      store.audit({
        event: 'egress',
        ...actorOf(place),
        details: {
          allowed: `${host.slice(0, 300)}:${port}`,
          address,
          owner: place.owner,
          ...(untold === 0 ? {} : { untold }),
        },
      }),
    onObeyed: (place, workspace, differences, look) =>
      answerObeyed(place, { workspace, differences, look, stateDir }, telling),
    onGuardLost: (place, lost) => tellGuardLost(place, lost, telling),
    onBroken: ({ id, owner }, reason) => parts.log(`the sandbox ${id} of ${owner} has ended: ${reason}`),
  });

  /** Whether the technology works, and makes the very sandbox that is asked about: its workspace, binds and limits may be refused. */
  async function triedOut(settings: SandboxSettings, caller: Caller, folder: string): Promise<SandboxProbe> {
    const probe = await sandboxes.probe(settings);
    if (!probe.ok) return probe;
    const told = settings.workspaceAccess === 'rw' ? { ...probe, promises: promisesOfWritable(probe.promises) } : probe;
    // A setup command may take long, and does things.
    if (settings.container.setupCommand !== undefined) return told;
    try {
      await sandboxes.open(placeFor(settings, caller, workspaceOf(folder)));
      return told;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ok: false, message: error.message, hint: error.hint ?? '' };
    }
  }

  return {
    launcher: (local) => sandboxes.launcher(local),
    async open(place) {
      if (place !== undefined) await sandboxes.open(place);
    },
    async callTool({ caller, folder, tool, args, context = {}, tighter }, signal) {
      const { sandbox } = (await saidFor(folder, caller, tighter)).settings;
      if (!isSandboxed(sandbox, caller)) throw sandboxingIsOff(whoIs(caller));
      if (!isFileTool(tool)) throw noFileTool(tool);
      const workspace = workspaceOf(folder);
      const call = {
        tool,
        args: insideArguments(args, [folder, workspace]),
        context: { ...context, ...actorOf(caller) },
      };
      return sayingAccess(await sandboxes.callTool(placeFor(sandbox, caller, workspace), call, signal), sandbox);
    },
    async explain({ caller, folder, tighter }) {
      const said = await saidFor(folder, caller, tighter);
      const { sandbox: settings } = said.settings;
      const sandboxed = isSandboxed(settings, caller);
      const probe = await (sandboxed ? triedOut(settings, caller, folder) : offBackend.probe());
      const { kind, commands, change } = postureOf(said, caller, probe.ok ? undefined : probe.message);
      const backend: BackendName = sandboxed ? settings.backend : offBackend.name;
      return {
        agent: caller.agent,
        folder,
        sandboxed,
        commandsSandboxed: kind === 'sandboxed',
        commands,
        ...(change === undefined ? {} : { change }),
        reason: whySandboxed(settings, sandboxed, caller),
        backend,
        settings,
        probe,
        open: sandboxes.of(caller.agent),
      };
    },
    whyUnavailable: async ({ settings: { sandbox } }, caller) =>
      isSandboxed(sandbox, caller) ? sandboxes.whyUnavailable(sandbox) : undefined,
    list: () => sandboxes.list(),
    recreate: ({ agent }) => sandboxes.end(agent),
    close: () => sandboxes.close(),
  };
}

/** What tools call the parameter that is a path. */
const PATHS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'filepath', 'file']);

/** A file of the workspace may be named as this machine names it; inside it has another name. */
function insideArguments(args: unknown, folders: readonly string[]): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const named = Object.entries(args).map(([name, value]: [string, unknown]) => {
    if (!PATHS.has(name) || typeof value !== 'string') return [name, value];
    return [name, folders.map((folder) => insidePath(folder, value)).find((path) => path !== undefined) ?? value];
  });
  return Object.fromEntries(named);
}

function whySandboxed({ mode }: SandboxSettings, sandboxed: boolean, caller: Caller): string {
  if (mode === 'off' || mode === 'all') return `sandbox.mode is ${mode}`;
  const other = sandboxed ? 'is not' : 'is';
  return `sandbox.mode is ${mode}, and this ${other} the main conversation of ${whoIs(caller)}`;
}

function noFileTool(tool: string): Fault {
  return new Fault('TOOL_UNKNOWN', `there is no file tool ${JSON.stringify(tool)} in a sandbox`, {
    hint: `there are ${FILE_TOOLS.join(', ')}`,
  });
}

function whoIs({ agent }: Caller): string {
  return `the agent ${agent}`;
}

/** What is said of a command that policy is not asked about. */
export function notConsulted(sandboxed: boolean): Judgement {
  const allowed = { verdict: 'allow', code: 'not-consulted', stages: [] } as const;
  if (sandboxed)
    return { ...allowed, reason: 'host=sandbox runs in a sandbox, which is the boundary, without being judged' };
  return {
    ...allowed,
    reason: 'host=sandbox with sandboxing off runs on this machine without being judged',
    hint: 'set tools.exec.host to gateway to have commands judged',
  };
}
