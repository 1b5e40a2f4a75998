/** Builds the toolbox of one agent. Entry point `pincer/tools`: a program that runs agents builds one toolbox for each. */
import { resolve } from 'node:path';
import { Fault, type FaultCode } from '../base/fault.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { isToolAllowed, type ToolPolicy } from '../config/tool-policy.ts';
import { closesWhenUnused } from '../hosts/files/cache/close-when-unused.ts';
import type { LocalFiles } from '../hosts/files/files.ts';
import type { ByteSource, Files } from '../hosts/files/shape.ts';
import type { ImageLimits } from '../hosts/media.ts';
import { toolContext, toolFiles, type ToolPlaces } from '../runner/tools/tool-context.ts';
import { callTool, effectsOfCall, faultResult, findTool } from '../tools/call.ts';
import { refuseTooManyMembers } from '../tools/input-size.ts';
import { hidesFile, type SecretsView } from '../tools/secrets/secrets.ts';
import { inputSchema, type Tool, type ToolContext, type ToolSchema } from '../tools/tool.ts';
import type { Content, ToolCallSettings, ToolResult } from '../wire/tool.ts';
import type { Decision } from '../wire/approval.ts';
import type { Gateway } from '../wire/methods.ts';
import type { SecretRules } from '../wire/tool.ts';
import { isFileTool } from '../wire/tool-names.ts';
import { type AuthorOptions, authorOf } from './author.ts';
import { CATALOGUE, type CatalogueEntry } from './catalogue.ts';
import { completeLeftovers } from './leftovers.ts';
import { type ApplyPatchGate, type ModelName, offersApplyPatch } from './apply-patch-gate.ts';
import { type OpenGateway, openGateway, runningContext } from './running-context.ts';
import { toolDescription } from './tool-description.ts';
import { closeToolbox, registerClose } from './toolbox-close.ts';
import type { SentOptions } from './worker/task.ts';

export { type ApplyPatchGate, type Content, Fault, type FaultCode, type ImageLimits, type ModelName };
export { offersApplyPatch, type OpenGateway, openGateway, type ToolPolicy, type ToolResult, type ToolSchema };
export type { Gateway, Method, Methods, DaemonStatus } from '../wire/methods.ts';
export type { Caller, ExecContext, ExecOutcome, ExecRequest } from '../wire/exec.ts';
export type { ApprovalInfo, AuditEntry, Decision, ResolveAnswer } from '../wire/approval.ts';
export type { FollowEvent, LogPage, PollAnswer, Screen, SessionInfo, SessionInput } from '../wire/session.ts';
export type { EffectivePolicy, Judgement } from '../wire/policy.ts';
export type { SecretRules } from '../wire/tool.ts';
export type { Notice } from '../wire/notice.ts';

export interface ToolboxOptions extends ModelName, AuthorOptions {
  /** The folder that relative paths start from. */
  readonly workspace: string;
  /** Whether the workspace is also the boundary (default: true). */
  readonly workspaceOnly?: boolean;
  /** Where locks, journals and the record of changes are kept (default: `PINCER_STATE_DIR` or the XDG folder). */
  readonly stateDir?: string;
  /** Context window of the model in tokens; decides how much one read returns. */
  readonly modelContextWindowTokens?: number;
  readonly applyPatch?: ApplyPatchGate;
  /** Whether the tool `changes`, with undo and redo, is offered (default: false). */
  readonly allowUndo?: boolean;
  /** Writes to files with several hard links. Default: `refuse`. */
  readonly hardLinks?: 'refuse' | 'in-place';
  /** `none` lets tools write inside `.git`. */
  readonly protect?: 'none';
  /** Whether tools show the values in files with secrets. Default: false. */
  readonly showSecrets?: boolean;
  /** Patterns of further files with secrets (`hide`), and of files without secrets (`show`). */
  readonly secrets?: SecretRules;
  /** What a write does when the file changed since the agent last read it. Default: `advise`. */
  readonly staleCheck?: 'off' | 'advise' | 'refuse';
  readonly imageLimits?: Partial<ImageLimits>;
  /** False: do not fsync written files. */
  readonly durable?: boolean;
  /** The operator's `tools.allow` and `tools.deny`; deny wins. */
  readonly tools?: ToolPolicy;
  /** Settings for commands, in the format of a configuration file. They can only restrict the effective configuration. */
  readonly restrictions?: Readonly<Record<string, unknown>>;
  /** Disabled tools by name, each with its plugin. */
  readonly disabled?: Readonly<Record<string, string>>;
  /** Runs the commands (default: the daemon of the state folder, which the first command starts). */
  readonly gateway?: () => Promise<Gateway>;
  /** Commands inherit the variables of a name list from this environment (default: `process.env`). */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the file tools run in this agent's sandbox, which the gateway owns (default: false). */
  readonly sandboxed?: boolean;
  /** The paired machine whose files the file tools work on, by id or name (default: the files of this machine). */
  readonly node?: string;
  /**
   * Where expensive calls of file tools run. Default: `worker`, a process with a memory limit and a deadline, so that
   * this process stays responsive. `here` suits a program that makes one call and exits.
   */
  readonly heavyCalls?: 'worker' | 'here';
  /** Receives warnings that belong to no result, one sentence at a time. */
  readonly onNotice?: (message: string) => void;
}

/** A tool in the form that model providers expect. */
export interface ToolInfo {
  readonly name: string;
  readonly alsoCalled: readonly string[];
  readonly description: string;
  readonly inputSchema: ToolSchema;
  /** Aliases of parameters by canonical name. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly effects: Tool['effects'];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Creates and replaces no sandbox. */
  readonly onlyRunning?: true;
  /** Receives partial results, such as the output of a running command so far. */
  readonly onUpdate?: (partial: ToolResult) => void;
}

/** A person's answer to a call that returned the status `approval-pending`. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly decision: Decision;
  /** The person who answered, for the audit log. */
  readonly by: string;
  /** For a denial: the explanation for the agent. */
  readonly reason?: string;
  /** Answers only this call: others that wait for the same answer go on waiting, and a denial is not remembered. */
  readonly onlyThis?: true;
}

export interface DecideOptions extends CallOptions {
  /** How long to wait for the command to end, as in `exec`. */
  readonly yieldMs?: number;
}

export interface Toolbox {
  /** The names of the offered tools. */
  readonly names: readonly string[];
  /** Whether its file tools run in a sandbox and not on this machine's files. */
  readonly sandboxed: boolean;
  /** The paired machine whose files its file tools work on; undefined for this machine. */
  readonly node: string | undefined;
  /** The offered tools with their schemas; loads all of them. */
  tools(): Promise<readonly ToolInfo[]>;
  /** Whether parts of a file are hidden from this agent, judged by all its names and its content. */
  hides(names: readonly string[], content: ByteSource): boolean;
  /** The settings behind `hides`, as data. */
  readonly secretsView: SecretsView;
  /** Calls a tool by any of its names. A failure is a result with `isError`; the promise rejects on defects only. */
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>;
  /** Answers an approval request, and returns the result that the call would have returned. */
  decide(answer: ApprovalAnswer, options?: DecideOptions): Promise<ToolResult>;
}

/** How a worker limits the files of a call. */
export interface WorkerFiles {
  readonly lockWaitMs: number;
  /** The time, in `Date.now()` milliseconds, after which no call waits for a lock any more. */
  readonly lockDeadline: () => number;
  filesFor(files: Files, tool: string): Files;
}

/** How long a call in a shared process waits for a file lock; a worker waits longer. */
const SHORT_LOCK_WAIT_MS = 10;

/** JavaScript callers would silently lose their restrictions. */
function expectNoFormerOption(options: ToolboxOptions): void {
  if (!('tighter' in options)) return;
  throw new Fault('PARAM_UNKNOWN', 'the option "tighter" is now called "restrictions"', {
    hint: 'rename it to restrictions; the value stays the same',
  });
}

/** Builds a toolbox. It pins the workspace now, and loads each tool at its first call. */
export function assembleTools(options: ToolboxOptions, inWorker?: WorkerFiles): Toolbox {
  expectNoFormerOption(options);
  const offered = offeredTools(options);
  const isShared = options.heavyCalls !== 'here';
  const places = placesOf(options, isShared ? { lockWaitMs: SHORT_LOCK_WAIT_MS } : waitOf(inWorker));
  const filesFor = filesByBoundary(places, options);
  for (const entry of offered) filesFor(entry);
  const notify = oncePerMessage(options.onNotice);
  const running = runningContext(options);
  const { showSecrets, secrets } = options;

  async function contextOf(entry: CatalogueEntry, { signal, onUpdate }: CallOptions): Promise<ToolContext> {
    const files = filesFor(entry);
    return {
      ...(await toolContext(places, callSettings(entry, options), files)),
      files: inWorker?.filesFor(files, entry.name) ?? files,
      running,
      ...(options.operator === true ? { operator: true as const } : {}),
      ...(signal === undefined ? {} : { signal }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    };
  }

  /** Runs a file tool in the agent's sandbox or on its node: only the call and its result cross the boundary. */
  async function callElsewhere(
    entry: CatalogueEntry,
    args: unknown,
    { signal, onlyRunning }: CallOptions,
  ): Promise<ToolResult> {
    const { caller, restrictions } = running;
    const context = { ...callSettings(entry, options), umask: process.umask() };
    const call = { caller, folder: filesFor(entry).workspace, tool: entry.name, args, context };
    const gateway = await running.gateway();
    const limits = restrictions === undefined ? {} : { restrictions };
    const place = { ...limits, ...(onlyRunning === undefined ? {} : { onlyRunning }) };
    if (options.node === undefined) return gateway.call('sandbox.tool', { ...call, ...place }, signal);
    const reads = effectsOfCall(await entry.load(), args) === 'reads' ? { reads: true as const } : {};
    return gateway.call('node.tool', { ...call, ...limits, node: options.node, ...reads }, signal);
  }

  const use = closesWhenUnused(() => filesFor.close());
  const toolbox: Toolbox = {
    names: offered.map(({ name }) => name),
    sandboxed: options.sandboxed === true,
    node: options.node,
    hides: hidesFile(options),
    secretsView: {
      ...(showSecrets === undefined ? {} : { showSecrets }),
      ...(secrets === undefined ? {} : { secrets }),
    },
    tools: async () => (await Promise.all(offered.map((entry) => entry.load()))).map((tool) => infoOf(tool, options)),
    call: (name, args, callOptions = {}) =>
      use.during(async () => {
        try {
          const entry = offeredTool(name, options, offered);
          refuseTooManyMembers(name, args);
          if ((options.sandboxed === true || options.node !== undefined) && isFileTool(entry.name))
            return await callElsewhere(entry, args, callOptions);
          const context = await contextOf(entry, callOptions);
          const tool = await entry.load();
          if (isShared && isFileTool(entry.name)) {
            const { callShared } = await import('./worker/call-shared.ts');
            const unbounded = () => callOnce({ ...options, heavyCalls: 'here' }, name, args, callOptions);
            const sent = sentOptions(options);
            const call = { tool, name, args, context, options: sent, owner: use, unbounded, notify };
            return saysWhere(name, await callShared(call));
          }
          await completeLeftovers(context.files, notify);
          return saysWhere(name, await callTool([tool], name, args, context));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          return faultResult(error);
        }
      }),
    async decide({ approvalId, decision, by, reason, onlyThis }, { yieldMs, ...callOptions } = {}) {
      try {
        const context = await contextOf(offeredTool('exec', options, offered), callOptions);
        const { decideApproval } = await import('../tools/exec/decide-approval.ts');
        const why = reason === undefined ? {} : { reason };
        const alone = onlyThis === undefined ? {} : { onlyThis };
        const answer = { approvalId, decision, by, ...why, ...alone, ...(yieldMs === undefined ? {} : { yieldMs }) };
        return await decideApproval(answer, context);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return faultResult(error);
      }
    },
  };
  registerClose(toolbox, () => use.close());
  return toolbox;
}

function offeredTools(options: ToolboxOptions): readonly CatalogueEntry[] {
  return CATALOGUE.filter((entry) => isOffered(entry, options));
}

/** The entry with this name. A tool that exists but is not offered fails with another code than an unknown tool. */
export function offeredTool(
  name: string,
  options: ToolboxOptions,
  offered: readonly CatalogueEntry[] = offeredTools(options),
): CatalogueEntry {
  const others = CATALOGUE.filter((entry) => !offered.includes(entry));
  if (others.some((entry) => entry.name === name || entry.alsoCalled.includes(name)))
    throw new Fault('TOOL_NOT_OFFERED', `the tool ${name} is not offered here`, {
      hint: whyNotOffered(name, offered, options),
    });
  return findTool(offered, name);
}

function whyNotOffered(name: string, offered: readonly CatalogueEntry[], { disabled }: ToolboxOptions): string {
  const plugin = disabled?.[name];
  if (plugin !== undefined) return `its plugin ${plugin} is disabled: pincer plugins enable ${plugin}`;
  if (name === 'changes') return 'the operator offers it with --allow-undo, or allowUndo in the library';
  const gate = name === 'apply_patch' ? 'tools.exec.applyPatch, tools.allow' : 'tools.allow';
  return `the operator's ${gate} and tools.deny decide; offered: ${offered.map((entry) => entry.name).join(', ')}`;
}

function isOffered({ name }: CatalogueEntry, options: ToolboxOptions): boolean {
  if (!isToolAllowed(options.tools ?? {}, name) || options.disabled?.[name] !== undefined) return false;
  if (name === 'apply_patch') return offersApplyPatch(options.applyPatch, options);
  return name !== 'changes' || options.allowUndo === true;
}

function isConfined({ name }: CatalogueEntry, { workspaceOnly = true, applyPatch }: ToolboxOptions): boolean {
  return name === 'apply_patch' ? (applyPatch?.workspaceOnly ?? true) : workspaceOnly;
}

/** The operator's settings for the calls of a tool. */
function callSettings(entry: CatalogueEntry, options: ToolboxOptions): ToolCallSettings {
  const { modelContextWindowTokens, showSecrets, secrets, staleCheck, hardLinks, protect, durable, imageLimits } =
    options;
  return {
    workspaceOnly: isConfined(entry, options),
    ...(modelContextWindowTokens === undefined ? {} : { modelContextWindowTokens }),
    ...(showSecrets === undefined ? {} : { showSecrets }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(staleCheck === undefined ? {} : { staleCheck }),
    ...(hardLinks === undefined ? {} : { hardLinks }),
    ...(protect === undefined ? {} : { protect }),
    ...(durable === undefined ? {} : { durable }),
    ...(imageLimits === undefined ? {} : { imageLimits }),
  };
}

/** A result of a `sandboxed_` tool states that it did not run in a sandbox. */
function saysWhere(name: string, result: ToolResult): ToolResult {
  return name.startsWith('sandboxed_') ? { ...result, details: { ...result.details, sandbox: false } } : result;
}

/** The options from which a worker builds the same toolbox. */
function sentOptions(options: ToolboxOptions): SentOptions {
  const { gateway: _, onNotice: __, environment: ___, restrictions: ____, ...data } = options;
  return { ...data, workspace: resolve(options.workspace), stateDir: options.stateDir ?? stateFolder() };
}

/** Makes one call with a toolbox of its own. */
async function callOnce(options: ToolboxOptions, name: string, args: unknown, call: CallOptions): Promise<ToolResult> {
  const toolbox = assembleTools(options);
  try {
    return await toolbox.call(name, args, call);
  } finally {
    closeToolbox(toolbox);
  }
}

type LockSettings = Pick<ToolPlaces, 'lockWaitMs' | 'lockDeadline'>;

function waitOf(inWorker: WorkerFiles | undefined): LockSettings {
  return inWorker === undefined ? {} : { lockWaitMs: inWorker.lockWaitMs, lockDeadline: inWorker.lockDeadline };
}

function placesOf(options: ToolboxOptions, locks: LockSettings): ToolPlaces {
  return {
    workspace: resolve(options.workspace),
    stateDir: options.stateDir ?? stateFolder(),
    home: homeFolder(),
    author: authorOf(options),
    ...locks,
  };
}

/** At most two sets of files: one with the boundary, one without. */
function filesByBoundary(
  places: ToolPlaces,
  options: ToolboxOptions,
): { (entry: CatalogueEntry): Files; close(): void } {
  const made = new Map<boolean, LocalFiles>();
  const filesFor = (entry: CatalogueEntry): Files => {
    const isBound = isConfined(entry, options);
    const files = made.get(isBound) ?? toolFiles(places, callSettings(entry, options));
    made.set(isBound, files);
    return files;
  };
  const close = (): void => {
    for (const files of made.values()) files.close();
    made.clear(); // a later call opens new files
  };
  return Object.assign(filesFor, { close });
}

function infoOf(tool: Tool, { node }: ToolboxOptions): ToolInfo {
  const { name, alsoCalled = [], aliases = [], effects } = tool;
  const others = aliases.map(({ keys: [canonical, ...rest] }) => [canonical, rest] as const);
  return {
    name,
    alsoCalled,
    description: toolDescription(tool, node),
    inputSchema: inputSchema(tool),
    aliases: Object.fromEntries(others),
    effects,
  };
}

/** Sends each message once: every call finds a batch that cannot be completed again. */
function oncePerMessage(listener: ToolboxOptions['onNotice']): (message: string) => void {
  const sent = new Set<string>();
  return (message) => {
    if (sent.has(message)) return;
    sent.add(message);
    listener?.(message);
  };
}
