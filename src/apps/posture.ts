/** What happens to an agent's commands and files in a folder: the gateway says the first, the tools on offer the second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { environmentRestrictions } from '../config/load/environment.ts';
import { loadExecSettings } from '../config/load-exec-settings.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { isToolAllowed } from '../config/tool-policy.ts';
import { approvalsFileIn } from '../hosts/gateway/approvals/approvals-file.ts';
import { policyReport } from '../hosts/gateway/posture/posture.ts';
import { isSandboxed } from '../hosts/sandbox/owner.ts';
import type { Caller } from '../wire/exec.ts';
import type { PolicyReport, Posture, PostureKind } from '../wire/posture.ts';
import type { Gateway, Methods } from '../wire/methods.ts';
import type { ExecSettings } from '../wire/settings.ts';
import { FILE_TOOLS } from '../wire/tool-names.ts';
import type { ToolboxOptions } from './assemble.ts';
import { answeredWithin, SILENCE_MS } from './client/silence.ts';
import { configuredToolbox, type EntryOptions } from './configured.ts';

/** What a way in decides itself: its gateway, its state folder and what it says about its tools. */
export type PostureOptions = Partial<Omit<EntryOptions, 'workspace' | 'agent' | 'conversation' | 'asks'>>;

type Question = Methods['policy.posture']['params'];

/** What happens to commands of a caller in a folder, and the rules in force; rejects where the gateway is silent for `silenceMs`. */
export async function policyIn(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
  silenceMs: number = SILENCE_MS,
): Promise<PolicyReport> {
  const restrictions = await environmentRestrictions(process.env);
  const question = { caller, folder, ...(restrictions === undefined ? {} : { restrictions }) };
  const { gateway, stateDir = stateFolder() } = options;
  if (gateway === undefined)
    return (await askDaemon(question, stateDir, silenceMs)) ?? reportHere(question, stateDir, silenceMs);
  return answeredWithin(silenceMs, async () => (await gateway()).call('policy.posture', question));
}

/** The daemon that runs; one is started where only a database knows what was said in the conversation. */
async function askDaemon(question: Question, stateDir: string, silenceMs: number): Promise<PolicyReport | undefined> {
  const start = question.caller.conversation !== undefined && existsSync(join(stateDir, 'gateway.db'));
  const { connectGateway } = await import('./client/connect.ts');
  let daemon: Gateway & { close(): void };
  try {
    daemon = await connectGateway({ stateDir, start, silenceMs });
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
  try {
    // A daemon that tries a sandbox out sends heartbeats meanwhile.
    return await answeredWithin(silenceMs, () => daemon.call('policy.posture', question));
  } finally {
    daemon.close();
  }
}

/** As the daemon would say it that the next command starts. */
async function reportHere(
  { folder, caller, restrictions }: Question,
  stateDir: string,
  silenceMs: number,
): Promise<PolicyReport> {
  const { agent } = caller;
  const settings = await loadExecSettings({ folder, agent, ...(restrictions === undefined ? {} : { restrictions }) });
  const file = approvalsFileIn(stateDir, { home: homeFolder() });
  const said = { settings, approvals: file.rulesFor(agent), conversation: {} };
  const unavailable = await answeredWithin(
    silenceMs,
    () => whyUnavailable(settings, caller),
    late(settings, silenceMs),
  );
  return policyReport(said, caller, { remarks: file.remarks(), unavailable });
}

function late({ sandbox: { backend } }: ExecSettings, silenceMs: number): Fault {
  const hint = 'pincer sandbox explain waits longer';
  return new Fault('SANDBOX_UNAVAILABLE', `${backend} made no sandbox within ${silenceMs / 1_000} s`, { hint });
}

/** Why the sandbox of a caller cannot be made: the backend is tried out, as a daemon does before its first use. */
async function whyUnavailable({ sandbox }: ExecSettings, caller: Caller): Promise<string | undefined> {
  if (!isSandboxed(sandbox, caller)) return undefined;
  const [{ probeSandbox }, { programFile }] = await Promise.all([
    import('./sandbox-probe.ts'),
    import('./client/program.ts'),
  ]);
  const program = programFile();
  if (program === undefined) return undefined;
  const probe = await probeSandbox(sandbox, program);
  return probe.ok ? undefined : probe.message;
}

/** What happens to file tools; `sandbox` is the one of the gateway, `unknown` where the gateway cannot say. */
export async function filesIn(
  folder: string,
  { agent, conversation }: Caller,
  sandbox: Posture['sandbox'] | 'unknown',
  options: PostureOptions = {},
): Promise<string> {
  const whose = { agent, ...(conversation === undefined ? {} : { conversation }) };
  return filesText(await configuredToolbox({ ...options, workspace: folder, ...whose, asks: 'agent' }), sandbox);
}

/** What a display says of a posture; `unknown` is one that the gateway could not say. */
export interface PostureReport extends Pick<Posture, 'commands' | 'change' | 'limits'> {
  readonly kind: PostureKind | 'unknown';
  /** Absent where the configuration cannot be read. */
  readonly files?: string;
  /** What to do where the posture is unknown. */
  readonly hint?: string;
  /** The code of the fault that makes it unknown. */
  readonly code?: string;
  /** How many rules of the approvals file allow commands of the agent. */
  readonly rules: number;
}

/** The posture for a display. Rejects where the configuration cannot be read. */
export async function postureIn(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
  silenceMs: number = SILENCE_MS,
): Promise<PostureReport> {
  try {
    const { posture, rules } = await policyIn(folder, caller, options, silenceMs);
    const { kind, commands, change, limits, sandbox } = posture;
    return {
      kind,
      commands,
      files: await filesIn(folder, caller, sandbox, options),
      rules: rules.allowlist.length,
      ...(change === undefined ? {} : { change }),
      ...(limits === undefined ? {} : { limits }),
    };
  } catch (error) {
    return unknownPosture(error, folder, caller, options);
  }
}

/** What is said where the gateway could not answer. Throws what is no such failure: a configuration that cannot be read, a defect. */
export async function unknownPosture(
  error: unknown,
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
): Promise<PostureReport> {
  if (!(error instanceof Fault) || isOfConfiguration(error)) throw error;
  const files = await filesIn(folder, caller, 'unknown', options);
  const commands = `it is not known what happens to commands: ${error.message}`;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return { kind: 'unknown', commands, files, ...hint, code: error.code, rules: 0 };
}

/** The gateway refuses every command with such a fault, and so do the tools. */
function isOfConfiguration({ code }: Fault): boolean {
  return code.startsWith('CONFIG_');
}

/** The posture for a display, with a configuration that cannot be read said as well. */
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

/** How long a client that connects waits for the posture: clients give up on a server that is slow to start. */
const GREETING_MS = 3_000;

/** The posture in one line, for a client that connects. */
export async function postureSentence(folder: string, caller: Caller, options: PostureOptions = {}): Promise<string> {
  const { commands, files, limits } = await postureReport(folder, caller, options, GREETING_MS);
  return [commands, files, limits].filter((part) => part !== undefined).join('; ');
}

// One sentence about what happens to file tools, from the options that the tools on offer are made with.

const ACCESS = { none: 'a private workspace', ro: 'the workspace for reading', rw: 'the workspace' } as const;

/** The sentence; `sandbox` is the one that the gateway has for the caller, `unknown` where the gateway cannot say. */
export function filesText(
  { sandboxed = false, workspaceOnly = true, tools = {}, applyPatch = {} }: ToolboxOptions,
  sandbox: Posture['sandbox'] | 'unknown',
): string {
  const refused = FILE_TOOLS.filter((name) => !isToolAllowed(tools, name));
  if (refused.length === FILE_TOOLS.length) return 'file tools are refused: tools.deny or tools.allow denies them';
  const but = refused.length === 0 ? '' : `; refused: ${refused.join(', ')}`;
  if (!sandboxed) {
    const where = workspaceOnly ? 'within the workspace' : 'also outside of the workspace';
    const isWider = applyPatch.enabled === true && applyPatch.workspaceOnly === false;
    const patches = workspaceOnly && isWider ? ', apply_patch also outside of it' : '';
    return `file tools work on this machine, ${where}${patches}${but}`;
  }
  if (sandbox === 'unknown') return `file tools run only in a sandbox, which the daemon opens${but}`;
  if (sandbox === undefined) return 'file tools fail: they must run in a sandbox, and sandboxing is off in the daemon';
  if (sandbox.unavailable !== undefined)
    return `file tools fail: they must run in a sandbox (${sandbox.backend}), and ${sandbox.unavailable}`;
  return `file tools run in the sandbox (${sandbox.backend}), with ${ACCESS[sandbox.workspaceAccess]}${but}`;
}
