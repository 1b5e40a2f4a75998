/** The rules that hold for an agent in a folder: the approvals file, the configuration, and where programs are looked for. */
import { join } from 'node:path';
import { agentName } from '../../../config/agent.ts';
import { execSettings } from '../../../config/exec.ts';
import { loadConfig } from '../../../config/load.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { openApprovalsFile } from '../../../hosts/approvals/file.ts';
import { rulesOf, searchPath } from '../../../hosts/gateway/prepare.ts';
import { isSandboxed } from '../../../hosts/sandbox/owner.ts';
import { effectivePolicy } from '../../../policy/effective.ts';
import { checkRules } from '../../../policy/rules-check.ts';
import type { RulesInForce } from './run.ts';

export async function rulesInForce(folder: string, agent = agentName()): Promise<RulesInForce> {
  const home = homeFolder();
  const settings = execSettings(await loadConfig({ folder }), agent, home);
  const file = openApprovalsFile({ path: join(stateFolder(), 'exec-approvals.json'), checkRules, home });
  const approvals = file.rulesFor(agent);
  return {
    ...rulesOf({ settings, approvals }),
    path: await searchPath(process.env, settings),
    effective: effectivePolicy({ config: settings, conversation: {}, call: {}, approvals }),
    ...(isSandboxed(settings.sandbox, { agent }) ? { sandbox: settings.sandbox.backend } : {}),
    ...(approvals.broken === undefined ? {} : { broken: approvals.broken }),
    remarks: [...file.remarks().map((remark) => `exec-approvals.json: ${remark}`), ...settings.warnings],
  };
}
