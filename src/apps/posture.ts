/** The posture of an agent in a folder: the gateway reports it for commands, the offered tools for files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { environmentRestrictions } from '../config/load/environment.ts';
import { loadExecSettings } from '../config/load-exec-settings.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { isToolAllowed } from '../config/tool-policy.ts';
import { approvalsFileIn } from '../hosts/gateway/approvals/approvals-file.ts';
import { policyReport } from '../hosts/gateway/posture/posture.ts';
import { sandboxInUse } from '../hosts/gateway/inside/instead-of-asking.ts';
import type { PolicyInputs } from '../hosts/host.ts';
import type { Caller } from '../wire/exec.ts';
import type { PolicyReport, Posture, PostureKind } from '../wire/posture.ts';
import type { Gateway, Methods } from '../wire/methods.ts';
import type { ExecSettings } from '../wire/settings.ts';
import { FILE_TOOLS } from '../wire/tool-names.ts';
import type { ToolboxOptions } from './assemble.ts';
import { answeredWithin, SILENCE_MS } from './client/silence.ts';
import { configuredNode, configuredToolbox, type EntryOptions, isOfConfiguration } from './configured-toolbox.ts';

/** Options of an entry point: its gateway, its state folder, and its toolbox options. */
export type PostureOptions = Partial<Omit<EntryOptions, 'workspace' | 'agent' | 'conversation' | 'asks'>>;

type Question = Methods['policy.posture']['params'];

/** The posture of a caller's commands in a folder, and the effective rules. Rejects if the gateway is silent for `silenceMs`. */
export async function policyIn(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
  silenceMs: number = SILENCE_MS,
): Promise<PolicyReport> {
  const restrictions = await environmentRestrictions(process.env);
  const question = { caller, folder, ...(restrictions === undefined ? {} : { restrictions }) };
  const { gateway, stateDir = stateFolder() } = options;
  if (gateway === undefined) {
    const isRecorded = existsSync(join(stateDir, 'gateway.db'));
    // The database may contain settings of the conversation.
    const isNeeded = isRecorded && caller.conversation !== undefined;
    const answer = await askDaemon(question, stateDir, silenceMs, isNeeded);
    if (answer !== undefined) return answer;
    const report = await reportHere(question, stateDir, silenceMs);
    // Only a daemon knows the nodes.
    const isOnNode = isRecorded && report.posture.effective.host === 'node';
    return (isOnNode ? await askDaemon(question, stateDir, silenceMs, true) : undefined) ?? report;
  }
  return answeredWithin(silenceMs, async () => (await gateway()).call('policy.posture', question));
}

/** Asks the daemon; undefined if none runs and none is to be started. */
async function askDaemon(
  question: Question,
  stateDir: string,
  silenceMs: number,
  start: boolean,
): Promise<PolicyReport | undefined> {
  const { connectGateway } = await import('./client/connect.ts');
  let daemon: Gateway & { close(): void };
  try {
    daemon = await connectGateway({ stateDir, start, silenceMs });
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
  try {
    // A daemon that probes a sandbox sends heartbeats meanwhile.
    return await answeredWithin(silenceMs, () => daemon.call('policy.posture', question));
  } finally {
    daemon.close();
  }
}

/** Computes the report in this process, like a newly started daemon. */
async function reportHere(
  { folder, caller, restrictions }: Question,
  stateDir: string,
  silenceMs: number,
): Promise<PolicyReport> {
  const { agent } = caller;
  const settings = await loadExecSettings({ folder, agent, ...(restrictions === undefined ? {} : { restrictions }) });
  const file = approvalsFileIn(stateDir, { home: homeFolder() });
  const inputs = { settings, approvals: file.rulesFor(agent), conversation: {} };
  const unavailable = await answeredWithin(
    silenceMs,
    () => whyUnavailable(inputs, caller),
    probeTimeout(settings, silenceMs),
  );
  return policyReport(inputs, caller, { remarks: file.remarks(), unavailable });
}

function probeTimeout({ sandbox: { backend } }: ExecSettings, silenceMs: number): Fault {
  const hint = 'run pincer sandbox explain, which waits longer';
  return new Fault('SANDBOX_UNAVAILABLE', `${backend} created no sandbox within ${silenceMs / 1_000} s`, { hint });
}

/** Why the sandbox of a caller is unavailable. Probes the backend, as the daemon does before its first use. */
async function whyUnavailable(inputs: PolicyInputs, caller: Caller): Promise<string | undefined> {
  const sandbox = sandboxInUse(inputs, caller);
  if (sandbox === undefined) return undefined;
  const [{ probeSandbox }, { programFile }] = await Promise.all([
    import('./sandbox-probe.ts'),
    import('./client/program.ts'),
  ]);
  const program = programFile();
  if (program === undefined) return undefined;
  const probe = await probeSandbox(sandbox, program);
  return probe.ok ? undefined : probe.message;
}

/** The posture of the file tools. `known` is the gateway's; `unknown` if the gateway did not answer. */
export async function filesIn(
  folder: string,
  caller: Caller,
  known: KnownPlaces | 'unknown',
  options: PostureOptions = {},
): Promise<string> {
  return filesText(await configuredToolbox(entryIn(folder, caller, options)), known);
}

/** The node whose files the file tools work on. */
export function filesNodeIn(folder: string, caller: Caller, options: PostureOptions = {}): Promise<string | undefined> {
  return configuredNode(entryIn(folder, caller, options));
}

function entryIn(folder: string, { agent, conversation }: Caller, options: PostureOptions): EntryOptions {
  const whose = { agent, ...(conversation === undefined ? {} : { conversation }) };
  return { ...options, workspace: folder, ...whose, asks: 'agent' };
}

/** A posture for display. */
export interface PostureReport extends Pick<Posture, 'commands' | 'change' | 'limits' | 'nodes'> {
  readonly kind: PostureKind | 'unknown';
  /** Absent if the configuration cannot be read. */
  readonly files?: string;
  /** What to do if the posture is unknown. */
  readonly hint?: string;
  /** The fault code if the posture is unknown. */
  readonly code?: string;
  /** The number of rules in the approvals file that allow commands of the agent. */
  readonly rules: number;
}

/** The posture for display. Rejects if the configuration cannot be read. */
export async function postureIn(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
  silenceMs: number = SILENCE_MS,
): Promise<PostureReport> {
  try {
    const { posture, rules } = await policyIn(folder, caller, options, silenceMs);
    const { kind, commands, change, limits, nodes } = posture;
    return {
      kind,
      commands,
      files: await filesIn(folder, caller, posture, options),
      rules: rules.allowlist.length,
      ...(change === undefined ? {} : { change }),
      ...(limits === undefined ? {} : { limits }),
      ...(nodes === undefined ? {} : { nodes }),
    };
  } catch (error) {
    return unknownPosture(error, folder, caller, options);
  }
}

/** The report if the gateway did not answer. Rethrows any other error: an unreadable configuration, a defect. */
export async function unknownPosture(
  error: unknown,
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
): Promise<PostureReport> {
  if (!(error instanceof Fault) || isOfConfiguration(error)) throw error;
  const files = await filesIn(folder, caller, 'unknown', options);
  const commands = `the posture of commands is unknown: ${error.message}`;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return { kind: 'unknown', commands, files, ...hint, code: error.code, rules: 0 };
}

/** The posture for display, also if the configuration cannot be read. */
export async function postureReport(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
  silenceMs: number = SILENCE_MS,
): Promise<PostureReport> {
  try {
    return await postureIn(folder, caller, options, silenceMs);
  } catch (error) {
    if (!(error instanceof Fault) || !isOfConfiguration(error)) throw error;
    return { kind: 'denied', commands: `commands are refused: ${error.message}`, rules: 0 };
  }
}

/** How long a connecting client waits for the posture: clients give up on a server that starts slowly. */
const GREETING_MS = 3_000;

/** The posture in one line, for a connecting client. */
export async function postureSentence(folder: string, caller: Caller, options: PostureOptions = {}): Promise<string> {
  const { commands, files, limits, nodes = [] } = await postureReport(folder, caller, options, GREETING_MS);
  const remote =
    nodes.length === 0
      ? undefined
      : `host=node runs a command on ${nodes.length === 1 ? 'the node' : 'another machine, node is one of'} ${nodes.join(', ')}`;
  return [commands, remote, files, limits].filter((part) => part !== undefined).join('; ');
}

const ACCESS = { none: 'a private workspace', ro: 'the workspace for reading', rw: 'the workspace' } as const;

/** Where the file tools of a caller can run, as the gateway knows it. */
type KnownPlaces = Pick<Posture, 'sandbox' | 'filesNode'>;

/** One sentence about the file tools of these options. */
export function filesText(
  { sandboxed = false, node, workspaceOnly = true, tools = {}, applyPatch = {} }: ToolboxOptions,
  known: KnownPlaces | 'unknown',
): string {
  const refused = FILE_TOOLS.filter((name) => !isToolAllowed(tools, name));
  if (refused.length === FILE_TOOLS.length) return 'file tools are refused: tools.deny or tools.allow denies them';
  const but = refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`;
  if (node !== undefined) return `${nodeText(node, known === 'unknown' ? undefined : known.filesNode)}${but}`;
  if (!sandboxed) {
    const where = workspaceOnly ? 'within the workspace' : 'and outside the workspace';
    const isWider = applyPatch.enabled === true && applyPatch.workspaceOnly === false;
    const patches = workspaceOnly && isWider ? ', apply_patch also outside it' : '';
    return `file tools work on this machine, ${where}${patches}${but}`;
  }
  if (known === 'unknown') return `file tools run only in a sandbox, which the daemon starts${but}`;
  const { sandbox } = known;
  if (sandbox === undefined) return 'file tools fail: they must run in a sandbox, and sandboxing is off in the daemon';
  if (sandbox.unavailable !== undefined)
    return `file tools fail: they must run in a sandbox (${sandbox.backend}), and ${sandbox.unavailable}`;
  return `file tools run in the sandbox (${sandbox.backend}), with ${ACCESS[sandbox.workspaceAccess]}${but}`;
}

/** `node` is the name that routes; the gateway knows the node that it means. */
function nodeText(node: string, found: KnownPlaces['filesNode']): string {
  if (found === undefined) return `file tools work only on the files of node ${node}`;
  const { name, workspace, access, unavailable } = found;
  if (unavailable !== undefined) return `file tools fail: they must work on node ${node}, and ${unavailable}`;
  const where = workspace === undefined ? '' : `, within its workspace ${workspace}`;
  return `file tools work on the files of node ${name}${where}${access === 'ro' ? ', and only read' : ''}`;
}
