/** What happens to an agent's commands and files in a folder, as a program that has not asked the daemon knows it. */
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { execSettings } from '../config/exec.ts';
import { loadConfig } from '../config/load.ts';
import { homeFolder, stateFolder } from '../config/state.ts';
import { openApprovalsFile } from '../hosts/approvals/file.ts';
import { type Posture, postureOf } from '../hosts/gateway/posture.ts';
import type { Said } from '../hosts/gateway/prepare.ts';
import { checkRules } from '../policy/rules-check.ts';
import type { Caller } from '../wire/exec.ts';

/** What the operator and the approvals file say, outside of any conversation. */
export interface SaidInFolder extends Said {
  readonly file: ReturnType<typeof openApprovalsFile>;
}

/** Reads the configuration of a folder and the approvals file. */
export async function saidIn(folder: string, agent: string): Promise<SaidInFolder> {
  const home = homeFolder();
  const settings = execSettings(await loadConfig({ folder }), agent, home);
  const file = openApprovalsFile({ path: join(stateFolder(), 'exec-approvals.json'), checkRules, home });
  return { settings, approvals: file.rulesFor(agent), conversation: {}, file };
}

/** The posture of a caller in a folder. */
export async function postureIn(folder: string, caller: Caller): Promise<Posture> {
  return postureOf(await saidIn(folder, caller.agent), caller);
}

/** What a display says of a posture; without `files` where the configuration cannot be read. */
export interface PostureReport extends Pick<Posture, 'kind' | 'commands' | 'change'> {
  readonly files?: string;
  /** How many rules of the approvals file allow commands of the agent. */
  readonly rules: number;
}

/** The posture for a display: what cannot be found out is said. */
export async function postureReport(folder: string, caller: Caller): Promise<PostureReport> {
  try {
    const said = await saidIn(folder, caller.agent);
    const { kind, commands, files, change } = postureOf(said, caller);
    const rules = said.approvals.allowlist.length;
    return { kind, commands, files, rules, ...(change === undefined ? {} : { change }) };
  } catch (error) {
    if (error instanceof Fault) return { kind: 'denied', commands: `commands are refused: ${error.message}`, rules: 0 };
    throw error;
  }
}

/** The same in one line of text. */
export async function postureSentence(folder: string, caller: Caller): Promise<string> {
  const { commands, files } = await postureReport(folder, caller);
  return files === undefined ? commands : `${commands}; ${files}`;
}
