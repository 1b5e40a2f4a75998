/** Commands of the gateway that this machine is a node of, which wait for an answer or were allowed. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { isAnsweredAtGateway } from '../../../wire/nodes/answered-by.ts';
import { isGuestAgent } from '../../../wire/nodes/guest-agent.ts';
import type { ExecSettings } from '../../../wire/settings.ts';
import { isNoPerson } from '../../approvals/answerers.ts';

/**
 * The setting that forbids the command of an older question, which would run outside of a sandbox. An answer of a person on this
 * machine overrides it; one at the gateway, and `askFallback`, do not. Checked whenever a stored command starts, by any daemon of the
 * state folder.
 */
export function forbiddingSetting(
  { binding, resolvedBy }: Pick<ApprovalInfo, 'binding' | 'resolvedBy'>,
  { exec, sandbox }: ExecSettings['guests'],
): 'node.exec' | 'node.sandbox' | undefined {
  if (!isGuestAgent(binding.agent) || isPersonHere(resolvedBy)) return undefined;
  if (exec === 'off') return 'node.exec';
  return sandbox ? 'node.sandbox' : undefined;
}

function isPersonHere(name: string | undefined): boolean {
  return name !== undefined && !isNoPerson(name) && !isAnsweredAtGateway(name);
}
