/** The rules that hold for an agent in a folder, as the gateway has them, and where programs are looked for. */
import { agentName } from '../../../config/agent.ts';
import { searchPath } from '../../../hosts/gateway/prepare.ts';
import { filesIn, policyIn } from '../../posture.ts';
import type { RulesInForce } from './run.ts';

export async function rulesInForce(folder: string): Promise<RulesInForce> {
  const caller = { agent: agentName() };
  const { rules, posture, pathPrepend, ...others } = await policyIn(folder, caller);
  return {
    ...rules,
    ...others,
    path: await searchPath(process.env, { pathPrepend }, 'last'),
    posture: { ...posture, files: await filesIn(folder, caller, posture.sandbox) },
  };
}
