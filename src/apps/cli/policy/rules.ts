/** The effective rules of an agent in a folder, from the gateway. */
import { agentName } from '../../../config/agent.ts';
import { searchPath } from '../../../hosts/gateway/prepare.ts';
import type { Rules } from '../../../wire/policy.ts';
import type { PolicyReport, Posture } from '../../../wire/posture.ts';
import { filesIn, policyIn } from '../../posture.ts';

export interface RulesInForce extends Rules, Partial<Omit<PolicyReport, 'rules' | 'posture' | 'pathPrepend'>> {
  /** Where to look for programs: folders separated by `:`. */
  readonly path: string;
  /** Absent if only rules are given. */
  readonly posture?: Posture;
}

export async function rulesInForce(folder: string, agent = agentName()): Promise<RulesInForce> {
  const caller = { agent };
  const { rules, posture, pathPrepend, ...others } = await policyIn(folder, caller);
  return {
    ...rules,
    ...others,
    path: await searchPath(process.env, { pathPrepend }, 'last'),
    posture: { ...posture, files: await filesIn(folder, caller, posture) },
  };
}
