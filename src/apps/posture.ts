/** What happens to an agent's commands and files in a folder: the gateway says the first, the tools on offer the second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { execInEnvironment } from '../config/environment.ts';
import { execSettingsIn } from '../config/exec-settings-in.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { approvalsFileIn } from '../hosts/gateway/approvals-file.ts';
import { policyReport } from '../hosts/gateway/posture.ts';
import type { Caller } from '../wire/exec.ts';
import type { PolicyReport, Posture } from '../wire/posture.ts';
import type { Gateway, Methods } from '../wire/rpc.ts';
import { configuredToolbox, type SaidHere } from './configured.ts';
import { filesText } from './file-posture.ts';

/** What a way in decides itself: its gateway, its state folder and what it says about its tools. */
export type PostureOptions = Partial<Omit<SaidHere, 'workspace' | 'agent' | 'conversation' | 'asks'>>;

type Question = Methods['policy.posture']['params'];

/** What happens to commands of a caller in a folder, and the rules in force. */
export async function policyIn(folder: string, caller: Caller, options: PostureOptions = {}): Promise<PolicyReport> {
  const tighter = await execInEnvironment(process.env);
  const question = { caller, folder, ...(tighter === undefined ? {} : { tighter }) };
  const { gateway, stateDir = stateFolder() } = options;
  if (gateway !== undefined) return (await gateway()).call('policy.posture', question);
  return (await askDaemon(question, stateDir)) ?? reportHere(question, stateDir);
}

/** The daemon that runs; one is started where only a database knows what was said in the conversation. */
async function askDaemon(question: Question, stateDir: string): Promise<PolicyReport | undefined> {
  const start = question.caller.conversation !== undefined && existsSync(join(stateDir, 'gateway.db'));
  const { connectGateway } = await import('./client/connect.ts');
  let daemon: Gateway & { close(): void };
  try {
    daemon = await connectGateway({ stateDir, start });
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
  try {
    return await daemon.call('policy.posture', question);
  } finally {
    daemon.close();
  }
}

/** As the daemon would say it that the next command starts. */
async function reportHere({ folder, caller, tighter }: Question, stateDir: string): Promise<PolicyReport> {
  const { agent } = caller;
  const settings = await execSettingsIn({ folder, agent, ...(tighter === undefined ? {} : { tighter }) });
  const file = approvalsFileIn(stateDir, { home: homeFolder() });
  return policyReport({ settings, approvals: file.rulesFor(agent), conversation: {} }, caller, file.remarks());
}

/** What happens to file tools, where commands are treated like this. */
export async function filesIn(
  folder: string,
  { agent, conversation }: Caller,
  sandbox: Posture['sandbox'],
  options: PostureOptions = {},
): Promise<string> {
  const whose = { agent, ...(conversation === undefined ? {} : { conversation }) };
  return filesText(await configuredToolbox({ ...options, workspace: folder, ...whose, asks: 'agent' }), sandbox);
}

/** The posture of a caller in a folder. */
export async function postureIn(folder: string, caller: Caller, options: PostureOptions = {}): Promise<Posture> {
  const { posture } = await policyIn(folder, caller, options);
  return { ...posture, files: await filesIn(folder, caller, posture.sandbox, options) };
}

/** What a display says of a posture; without `files` where the configuration cannot be read. */
export interface PostureReport extends Pick<Posture, 'kind' | 'commands' | 'change' | 'limits'> {
  readonly files?: string;
  /** How many rules of the approvals file allow commands of the agent. */
  readonly rules: number;
}

/** The posture for a display: what cannot be found out is said. */
export async function postureReport(
  folder: string,
  caller: Caller,
  options: PostureOptions = {},
): Promise<PostureReport> {
  try {
    const { posture, rules } = await policyIn(folder, caller, options);
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
    if (error instanceof Fault) return { kind: 'denied', commands: `commands are refused: ${error.message}`, rules: 0 };
    throw error;
  }
}

/** The same in one line of text. */
export async function postureSentence(folder: string, caller: Caller, options: PostureOptions = {}): Promise<string> {
  const { commands, files, limits } = await postureReport(folder, caller, options);
  return [commands, files, limits].filter((part) => part !== undefined).join('; ');
}
