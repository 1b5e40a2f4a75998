/** The rules that hold for an agent in a folder, as the gateway has them, and where programs are looked for. */
import { agentName } from '../../../config/agent.ts';
import { searchPath } from '../../../hosts/gateway/prepare.ts';
import type { Rules } from '../../../wire/policy.ts';
import type { PolicyReport, Posture } from '../../../wire/posture.ts';
import { filesIn, policyIn } from '../../posture.ts';

/** The rules in force, and where programs are looked for. */
export interface RulesInForce extends Rules, Partial<Omit<PolicyReport, 'rules' | 'posture' | 'pathPrepend'>> {
  /** Folders separated by `:`. */
  readonly path: string;
  /** What happens to commands here; absent where only the rules are known. */
  readonly posture?: Posture;
}

/** Asks for them. */
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
