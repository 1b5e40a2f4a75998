/** The rules that hold for an agent in a folder: the approvals file, the configuration, and where programs are looked for. */
import { agentName } from '../../../config/agent.ts';
import { postureOf } from '../../../hosts/gateway/posture.ts';
import { rulesOf, searchPath } from '../../../hosts/gateway/prepare.ts';
import { saidIn } from '../../posture.ts';
import type { RulesInForce } from './run.ts';

export async function rulesInForce(folder: string, agent = agentName()): Promise<RulesInForce> {
  const { file, ...said } = await saidIn(folder, agent);
  const { settings, approvals } = said;
  return {
    ...rulesOf(said),
    path: await searchPath(process.env, settings, 'last'),
    posture: postureOf(said, { agent }),
    ...(approvals.broken === undefined ? {} : { broken: approvals.broken }),
    remarks: [...file.remarks().map((remark) => `exec-approvals.json: ${remark}`), ...settings.warnings],
  };
}
