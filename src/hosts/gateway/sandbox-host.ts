/** The sandboxes as a host: commands and file tools run inside. The sandbox is their boundary; what crosses it is audited. */
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { stackOf } from '../../base/message-of.ts';
import { actorOf } from '../../wire/actor.ts';
import type { Caller, ExecContext, ExecOutcome } from '../../wire/exec.ts';
import type { Methods } from '../../wire/methods.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { BackendName, SandboxExplanation, SandboxProbe, SandboxSettings } from '../../wire/sandbox.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { FILE_TOOLS, isFileTool } from '../../wire/tool-names.ts';
import type { ApprovalStore } from '../approvals/shape.ts';
import type { Host, PolicyInputs, RoutedRequest } from '../host.ts';
import { offBackend, sandboxingIsOff } from '../sandbox/off.ts';
import { withGuardLimits } from '../sandbox/probe/promises.ts';
import { isSandboxed, placeFor, type SandboxPlace } from '../sandbox/owner.ts';
import { createSandboxes, type SandboxesOptions } from '../sandbox/sandboxes.ts';
import { insideEnvironment, insideFolder, insidePath, insideStage, workspaceOf } from './sandbox-command.ts';
import { forGuestSandbox, guestJudgement } from './inside/guest-sandbox.ts';
import { answerObeyed, reportGuardLost } from './obeyed/answer-obeyed.ts';
import { postureOf } from './posture/posture.ts';
import { type Ready, withoutEffect } from './prepare.ts';
import { deny } from './deny.ts';
import { finalJudgement, isRefusal, notJudged, treatmentOf } from './treatment.ts';
import { awaitForeground, type HostParts, type Start, startSession } from './start-session.ts';
import { type InsteadOfAsking, routedInside, sandboxInUse, sandboxText } from './inside/instead-of-asking.ts';
import { withWorkspaceAccess } from './inside/workspace-access.ts';

/** Creates sandboxes and communicates with the runner. */
export type SandboxTechnology = Pick<SandboxesOptions, 'backendFor' | 'connect' | 'egress'>;

export interface SandboxHostParts extends HostParts {
  readonly stateDir: string;
  readonly technology: SandboxTechnology;
  readonly store: HostParts['store'] & Pick<ApprovalStore, 'notice'>;
  /** Called after new notices were stored. */
  readonly onNotice: () => void;
  readonly now: () => number;
  /** The effective settings and rules for a caller in a folder. */
  readonly inputsFor: (
    folder: string,
    caller: Caller,
    restrictions?: ExecContext['restrictions'],
  ) => Promise<PolicyInputs>;
  readonly log: (text: string) => void;
}

/** For a gateway that was created without sandboxes. */
export const NO_SANDBOXES: SandboxTechnology = {
  backendFor: async ({ backend }) => {
    throw new Fault('SANDBOX_UNAVAILABLE', `this gateway has no sandbox backend ${backend}`, {
      hint: 'run commands through the pincer daemon',
    });
  },
  connect: () => {
    throw new Fault('SANDBOX_UNAVAILABLE', 'this gateway has no connection to sandboxes');
  },
};

type ParamsOf<M extends keyof Methods> = Methods[M]['params'];

export interface SandboxHost extends Host {
  readonly insteadOfAsking: InsteadOfAsking;
  callTool(call: ParamsOf<'sandbox.tool'>, signal?: AbortSignal): Promise<ToolResult>;
  /** Where the caller's commands run, and whether the sandbox can be created. */
  explainSandbox(asked: ParamsOf<'sandbox.explain'>): Promise<SandboxExplanation>;
  /** Why the sandbox of a caller cannot be created; undefined where it can, or where no command of the caller runs in one. */
  whyUnavailable(inputs: PolicyInputs, caller: Caller, folder: string): Promise<string | undefined>;
  /** Whether a sandbox has a record of changes, which is lost with it. */
  hasRecord(): boolean;
  list(): Methods['sandbox.list']['result'];
  recreate(asked: ParamsOf<'sandbox.recreate'>): Promise<Methods['sandbox.recreate']['result']>;
}

interface ReadyInside extends Ready {
  readonly place: SandboxPlace;
  /** Undefined where nothing is judged: the sandbox is the boundary. */
  readonly judgement: Judgement | undefined;
}

export function sandboxHost(parts: SandboxHostParts): SandboxHost {
  const { stateDir, technology, store, inputsFor } = parts;
  const reporting = { store, onNotice: parts.onNotice };
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
      answerObeyed(place, { workspace, differences, look, stateDir }, reporting),
    onGuardLost: (place, lost) => reportGuardLost(place, lost, reporting),
    onBroken: ({ id, owner }, reason) => parts.log(`the sandbox ${id} of ${owner} has ended: ${reason}`),
    onDefect: (error) => parts.log(`a message of a sandbox failed: ${stackOf(error)}`),
  });

  /** Whether the backend works and creates exactly this sandbox: its workspace, binds or limits may be refused. */
  async function probeSandbox(settings: SandboxSettings, caller: Caller, folder: string): Promise<SandboxProbe> {
    const probe = await sandboxes.probe(settings);
    if (!probe.ok) return probe;
    const result = settings.workspaceAccess === 'rw' ? { ...probe, promises: withGuardLimits(probe.promises) } : probe;
    // A setup command may take long and has side effects.
    if (settings.container.setupCommand !== undefined) return result;
    try {
      await sandboxes.open(placeFor(settings, caller, workspaceOf(folder)));
      return result;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { ok: false, message: error.message, hint: error.hint ?? '' };
    }
  }

  async function whyUnavailable(inputs: PolicyInputs, caller: Caller, folder: string): Promise<string | undefined> {
    const sandbox = sandboxInUse(inputs, caller);
    if (sandbox === undefined) return undefined;
    try {
      await sandboxes.requireWorking(placeFor(sandbox, caller, workspaceOf(folder)));
      return undefined;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return error.message;
    }
  }

  async function start(
    ready: ReadyInside,
    judgement: Judgement | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ExecOutcome> {
    const runner = sandboxes.runnerOf(ready.place);
    const begun: Start = { runner, stages: [insideStage(ready.request.command)], isInside: true, judgement };
    return awaitForeground(await startSession(parts, ready, begun), ready, begun, signal);
  }

  return {
    async exec(routed, signal) {
      const ready = prepareInside(routed);
      const { place, judgement } = ready;
      const treatment = treatmentOf(ready);
      if (isRefusal(treatment)) return deny(store, ready, treatment);
      await sandboxes.open(place); // fails before anything is recorded if the sandbox cannot be created
      return start(ready, judgement, signal);
    },
    insteadOfAsking: {
      async whyNot(routed, isStarting) {
        try {
          const inside = routedInside(routed);
          const ready = prepareInside(inside);
          const effective = { ...ready.effective, security: 'full', ask: 'off' } as const;
          const denied = guestJudgement({ ...inside, route: { ...inside.route, effective } }, ready.cwd);
          if (denied?.verdict === 'deny') return denied.reason;
          await (isStarting ? sandboxes.open(ready.place) : sandboxes.requireWorking(ready.place));
          return undefined;
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          return error.message;
        }
      },
      exec(routed, { judgement, warnings }, signal) {
        const ready = prepareInside(routedInside(routed));
        if (judgement === undefined) throw new TypeError('a request that is not judged cannot miss a rule');
        const where = `it ran in ${sandboxText(ready.settings.sandbox)} instead of asking: ${judgement.reason}`;
        return start({ ...ready, warnings: [...warnings, where] }, finalJudgement(judgement, 'sandbox'), signal);
      },
    },
    async explain(routed) {
      const ready = prepareInside(routed);
      const { effective, judgement = notJudged(true) } = ready;
      const { runsOn, isJudged } = routed.route;
      return { judgement: finalJudgement(judgement, treatmentOf(ready)), effective, runsOn, isJudged };
    },
    async callTool({ caller, folder, tool, args, context = {}, restrictions, onlyRunning }, signal) {
      const { sandbox } = (await inputsFor(folder, caller, restrictions)).settings;
      if (!isSandboxed(sandbox, caller)) throw sandboxingIsOff(whoIs(caller));
      if (!isFileTool(tool)) throw noFileTool(tool);
      const workspace = workspaceOf(folder);
      const place = placeFor(sandbox, caller, workspace);
      const who = { ...actorOf(caller), ...(caller.operator === true ? { operator: true as const } : {}) };
      const call = { tool, args: insideArguments(args, [folder, workspace]), context: { ...context, ...who } };
      return withWorkspaceAccess(
        await sandboxes.callTool(place, call, { signal, onlyRunning: onlyRunning === true }),
        sandbox,
      );
    },
    async explainSandbox({ caller, folder, restrictions, guestSandbox }) {
      const found = await inputsFor(folder, caller, restrictions);
      const inputs = guestSandbox === true ? forGuestSandbox(found) : found;
      const { sandbox: settings } = inputs.settings;
      const sandboxed = isSandboxed(settings, caller);
      const probe = await (sandboxed ? probeSandbox(settings, caller, folder) : offBackend.probe());
      const unavailable = probe.ok ? await whyUnavailable(inputs, caller, folder) : probe.message;
      const { kind, commands, change } = postureOf(inputs, caller, unavailable);
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
    whyUnavailable,
    hasRecord: () => sandboxes.hasRecord(),
    list: () => sandboxes.list(),
    recreate: ({ agent }) => sandboxes.end(agent),
    close: () => sandboxes.close(),
  };
}

/** What the run of a request in its sandbox depends on. Own agents are not judged: the sandbox is the boundary. */
function prepareInside(routed: RoutedRequest): ReadyInside {
  const { request, context, inputs, route } = routed;
  const { settings } = inputs;
  const workspace = workspaceOf(context.folder);
  const cwd = insideFolder(context, workspace, request.workdir);
  return {
    request,
    context,
    settings,
    effective: route.effective,
    cwd,
    judgement: route.isJudged ? guestJudgement(routed, cwd) : undefined,
    env: insideEnvironment({ request, context, settings, workspace }),
    place: placeFor(settings.sandbox, context.caller, workspace),
    warnings: [...route.warnings, ...(route.isJudged ? [] : withoutEffect(request)), ...settings.warnings],
  };
}

/** Names that tools use for a path parameter. */
const PATHS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'filepath', 'file']);

/** A workspace file may be given as a path of this machine; it is translated to the path inside. */
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
    hint: `tools: ${FILE_TOOLS.join(', ')}`,
  });
}

function whoIs({ agent }: Caller): string {
  return `the agent ${agent}`;
}
