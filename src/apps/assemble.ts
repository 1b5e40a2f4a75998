/**
 * The one place where tools, files and what the operator said come together. It is also the door `pincer/tools` of the
 * library: a program that runs agents assembles a toolbox for each of them.
 */
import { resolve } from 'node:path';
import { Fault, type FaultCode } from '../base/fault.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { isToolAllowed, type ToolPolicy } from '../config/tool-policy.ts';
import { closesWhenUnused } from '../hosts/files/cache/close-when-unused.ts';
import type { LocalFiles } from '../hosts/files/files.ts';
import type { ByteSource, Files } from '../hosts/files/shape.ts';
import type { ImageLimits } from '../hosts/media.ts';
import { toolContext, toolFiles, type ToolPlaces } from '../runner/tools/tool-context.ts';
import { callTool, faultResult, findTool } from '../tools/call.ts';
import { refuseTooManyMembers } from '../tools/input-size.ts';
import { hidesFile, type SecretsView } from '../tools/secrets/secrets.ts';
import { inputSchema, type Tool, type ToolContext, type ToolSchema } from '../tools/tool.ts';
import type { Content, ToolCallSettings, ToolResult } from '../wire/tool.ts';
import type { Decision } from '../wire/approval.ts';
import type { Gateway } from '../wire/methods.ts';
import type { SecretRules } from '../wire/secret-rules.ts';
import { isFileTool } from '../wire/tool-names.ts';
import { type AuthorOptions, authorOf } from './author.ts';
import { CATALOGUE, type CatalogueEntry } from './catalogue.ts';
import { completeLeftovers } from './leftovers.ts';
import { type ApplyPatchGate, type ModelName, offersApplyPatch } from './offer.ts';
import { type OpenGateway, openGateway, runningOf } from './running.ts';
import { closeToolbox, registerClose } from './toolbox-close.ts';
import type { SentOptions } from './worker/task.ts';

export { type ApplyPatchGate, type Content, Fault, type FaultCode, type ImageLimits, type ModelName };
export { offersApplyPatch, type OpenGateway, openGateway, type ToolPolicy, type ToolResult, type ToolSchema };
export type { Gateway, Method, Methods, DaemonStatus } from '../wire/methods.ts';
export type { Caller, ExecContext, ExecOutcome, ExecRequest } from '../wire/exec.ts';
export type { ApprovalInfo, AuditEntry, Decision, ResolveAnswer } from '../wire/approval.ts';
export type { FollowEvent, LogPage, PollAnswer, Screen, SessionInfo, SessionInput } from '../wire/session.ts';
export type { EffectivePolicy, Judgement } from '../wire/policy.ts';
export type { SecretRules } from '../wire/secret-rules.ts';
export type { Notice } from '../wire/notice.ts';

/** What the operator says about the tools of one agent. */
export interface ToolboxOptions extends ModelName, AuthorOptions {
  /** The folder that relative paths start from. */
  readonly workspace: string;
  /** Whether the workspace is also the boundary (default: true). */
  readonly workspaceOnly?: boolean;
  /** Where locks, journals and the record of changes are kept (default: `PINCER_STATE_DIR` or the XDG folder). */
  readonly stateDir?: string;
  /** How many tokens the model can hold; decides how much one read gives. */
  readonly modelContextWindowTokens?: number;
  readonly applyPatch?: ApplyPatchGate;
  /** Whether the tool `changes`, with undo and redo, is offered (default: false). */
  readonly allowUndo?: boolean;
  /** Files with several names: refused, unless they are to be written in place. */
  readonly hardLinks?: 'refuse' | 'in-place';
  /** `none` lets tools write inside of `.git`. */
  readonly protect?: 'none';
  /** Whether the values of files with secrets are shown. */
  readonly showSecrets?: boolean;
  /** Patterns of more files with secrets (`hide`), and of files that hold none (`show`). */
  readonly secrets?: SecretRules;
  /** What to do when a file is not as the agent last read it. Default: `advise`. */
  readonly staleCheck?: 'off' | 'advise' | 'refuse';
  readonly imageLimits?: Partial<ImageLimits>;
  /** False skips the flushing of written files to the disk. */
  readonly durable?: boolean;
  /** The operator's `tools.allow` and `tools.deny`: which tools this agent may have; deny wins. */
  readonly tools?: ToolPolicy;
  /** Settings for commands, as a file of configuration says them; they may only make what holds stricter. */
  readonly restrictions?: Readonly<Record<string, unknown>>;
  /** Tools that are switched off with their plugin, and the plugin. */
  readonly disabled?: Readonly<Record<string, string>>;
  /** What commands run through (default: the daemon of the state folder, which the first command starts). */
  readonly gateway?: () => Promise<Gateway>;
  /** The environment that commands inherit from, by a list of names (default: this process's). */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the file tools work in the sandbox of this agent, which the gateway holds (default: false). */
  readonly sandboxed?: boolean;
  /**
   * Where file tools do what may be heavy. Default: `worker`, a process with a ceiling for its memory and a deadline, so
   * that this process goes on answering. `here` suits a program that makes one call and ends.
   */
  readonly heavyCalls?: 'worker' | 'here';
  /** Hears what is worth knowing beside the answers, one sentence at a time. */
  readonly onNotice?: (message: string) => void;
}

/** A tool as a model provider wants to hear of it. */
export interface ToolInfo {
  readonly name: string;
  readonly alsoCalled: readonly string[];
  readonly description: string;
  readonly inputSchema: ToolSchema;
  /** Other names of parameters, by the canonical one. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly effects: Tool['effects'];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Hears what there is so far of an answer that takes its time: the output of a running command. */
  readonly onUpdate?: (partial: ToolResult) => void;
}

/** A person's answer to a call that came back with the status `approval-pending`. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly decision: Decision;
  /** Who answered, for the audit log. */
  readonly by: string;
  /** For a denial: what the agent should know. */
  readonly reason?: string;
}

export interface DecideOptions extends CallOptions {
  /** How long to wait for the end of the command, as in the call. */
  readonly yieldMs?: number;
}

/** The tools of one agent. */
export interface Toolbox {
  /** The names of the tools on offer. */
  readonly names: readonly string[];
  /** Whether its file tools work in a sandbox and not on this machine's files. */
  readonly sandboxed: boolean;
  /** The tools on offer with their schemas; loads them all. */
  tools(): Promise<readonly ToolInfo[]>;
  /** Whether something of a file is hidden from this agent, by any of these names of it or by its content. */
  hides(names: readonly string[], content: ByteSource): boolean;
  /** What decides that, as data. */
  readonly secretsView: SecretsView;
  /** Calls a tool by any of its names. What the tool cannot do is a result with `isError`; it rejects on defects only. */
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>;
  /** Answers for a person, and gives the result that the call would have given. */
  decide(answer: ApprovalAnswer, options?: DecideOptions): Promise<ToolResult>;
}

/** What a worker does with the files of a call before the tool gets them. */
export interface WorkerFiles {
  readonly lockWaitMs: number;
  /** When a wait for a lock gives up in any case, in `Date.now()` time. */
  readonly lockDeadline: () => number;
  filesFor(files: Files, tool: string): Files;
}

/** How long a call in a shared process waits for the lock of a file; a worker waits longer. */
const SHORT_LOCK_WAIT_MS = 10;

/** Puts the tools of one agent together. The workspace is pinned now; a tool is loaded when it is first called. */
export function assembleTools(options: ToolboxOptions, inWorker?: WorkerFiles): Toolbox {
  const offered = CATALOGUE.filter((entry) => isOffered(entry, options));
  const isShared = options.heavyCalls !== 'here';
  const places = placesOf(options, isShared ? { lockWaitMs: SHORT_LOCK_WAIT_MS } : waitOf(inWorker));
  const filesFor = filesByBoundary(places, options);
  for (const entry of offered) filesFor(entry);
  const tell = toldOnce(options.onNotice);
  const running = runningOf(options);
  const { showSecrets, secrets } = options;

  async function contextOf(entry: CatalogueEntry, { signal, onUpdate }: CallOptions): Promise<ToolContext> {
    const files = filesFor(entry);
    return {
      ...(await toolContext(places, callSettings(entry, options), files)),
      files: inWorker?.filesFor(files, entry.name) ?? files,
      running,
      ...(signal === undefined ? {} : { signal }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    };
  }

  /** Runs a file tool in the sandbox of the agent: only the call and its result cross. */
  async function callInSandbox(entry: CatalogueEntry, args: unknown, { signal }: CallOptions): Promise<ToolResult> {
    const { caller, restrictions } = running;
    const context = { ...callSettings(entry, options), umask: process.umask() };
    const call = { caller, folder: filesFor(entry).workspace, tool: entry.name, args, context };
    const gateway = await running.gateway();
    return gateway.call('sandbox.tool', { ...call, ...(restrictions === undefined ? {} : { restrictions }) }, signal);
  }

  const use = closesWhenUnused(() => filesFor.close());
  const toolbox: Toolbox = {
    names: offered.map(({ name }) => name),
    sandboxed: options.sandboxed === true,
    hides: hidesFile(options),
    secretsView: {
      ...(showSecrets === undefined ? {} : { showSecrets }),
      ...(secrets === undefined ? {} : { secrets }),
    },
    tools: async () => (await Promise.all(offered.map((entry) => entry.load()))).map(infoOf),
    call: (name, args, callOptions = {}) =>
      use.during(async () => {
        try {
          const entry = offeredTool(offered, name, options);
          refuseTooManyMembers(name, args);
          if (options.sandboxed === true && isFileTool(entry.name))
            return await callInSandbox(entry, args, callOptions);
          const context = await contextOf(entry, callOptions);
          const tool = await entry.load();
          if (isShared && isFileTool(entry.name)) {
            const { callShared } = await import('./worker/call-shared.ts');
            const unbounded = () => callOnce({ ...options, heavyCalls: 'here' }, name, args, callOptions);
            const sent = sentOptions(options);
            const call = { tool, name, args, context, options: sent, owner: use, unbounded, tell };
            return saysWhere(name, await callShared(call));
          }
          await completeLeftovers(context.files, tell);
          return saysWhere(name, await callTool([tool], name, args, context));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          return faultResult(error);
        }
      }),
    async decide({ approvalId, decision, by, reason }, { yieldMs, ...callOptions } = {}) {
      try {
        const context = await contextOf(offeredTool(offered, 'exec', options), callOptions);
        const { decideApproval } = await import('../tools/exec/decide-approval.ts');
        const why = reason === undefined ? {} : { reason };
        const answer = { approvalId, decision, by, ...why, ...(yieldMs === undefined ? {} : { yieldMs }) };
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

/** The entry with this name; a tool that exists and is kept back is told from one that does not exist. */
function offeredTool(offered: readonly CatalogueEntry[], name: string, options: ToolboxOptions): CatalogueEntry {
  const keptBack = CATALOGUE.filter((entry) => !offered.includes(entry));
  if (keptBack.some((entry) => entry.name === name || entry.alsoCalled.includes(name)))
    throw new Fault('TOOL_NOT_OFFERED', `the tool ${name} is not offered here`, {
      hint: whyKeptBack(name, offered, options),
    });
  return findTool(offered, name);
}

function whyKeptBack(name: string, offered: readonly CatalogueEntry[], { disabled }: ToolboxOptions): string {
  const plugin = disabled?.[name];
  if (plugin !== undefined) return `its plugin ${plugin} is disabled: pincer plugins enable ${plugin}`;
  if (name === 'changes') return 'the operator offers it with --allow-undo, or allowUndo in the library';
  const gate = name === 'apply_patch' ? 'tools.exec.applyPatch, tools.allow' : 'tools.allow';
  return `the operator's ${gate} and tools.deny decide; there are ${offered.map((entry) => entry.name).join(', ')}`;
}

function isOffered({ name }: CatalogueEntry, options: ToolboxOptions): boolean {
  if (!isToolAllowed(options.tools ?? {}, name) || options.disabled?.[name] !== undefined) return false;
  if (name === 'apply_patch') return offersApplyPatch(options.applyPatch, options);
  return name !== 'changes' || options.allowUndo === true;
}

function isConfined({ name }: CatalogueEntry, { workspaceOnly = true, applyPatch }: ToolboxOptions): boolean {
  return name === 'apply_patch' ? (applyPatch?.workspaceOnly ?? true) : workspaceOnly;
}

/** What the operator set for the calls of a tool. */
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

/** A tool that was called by its name for a sandbox says where it ran. */
function saysWhere(name: string, result: ToolResult): ToolResult {
  return name.startsWith('sandboxed_') ? { ...result, details: { ...result.details, sandbox: false } } : result;
}

/** The options that a worker makes the same toolbox from. */
function sentOptions(options: ToolboxOptions): SentOptions {
  const { gateway: _, onNotice: __, environment: ___, restrictions: ____, ...data } = options;
  return { ...data, workspace: resolve(options.workspace), stateDir: options.stateDir ?? stateFolder() };
}

/** One call of a toolbox that is made for it. */
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

/** One set of files with the boundary and one without it, each made once. */
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
    made.clear(); // whoever calls all the same gets files of their own
  };
  return Object.assign(filesFor, { close });
}

function infoOf(tool: Tool): ToolInfo {
  const { name, alsoCalled = [], description, aliases = [], effects } = tool;
  const others = aliases.map(({ keys: [canonical, ...rest] }) => [canonical, rest] as const);
  return {
    name,
    alsoCalled,
    description,
    inputSchema: inputSchema(tool),
    aliases: Object.fromEntries(others),
    effects,
  };
}

/** Hears each message once: what cannot be completed is found again at every call. */
function toldOnce(listener: ToolboxOptions['onNotice']): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    listener?.(message);
  };
}
