/** Validates the caller before anything is recorded under its name. */
import { Fault } from '../../base/fault.ts';
import { ALL_AGENTS } from '../../wire/actor.ts';
import { clientName, OPERATOR_CLIENT } from '../../wire/client-name.ts';
import type { Caller } from '../../wire/exec.ts';
import { withoutGateway } from '../../wire/nodes/guest-agent.ts';

const LONGEST_AGENT = 200;

/**
 * The caller with a normalised client name, or without one if the name is unusable. Only the operator may be `you`; the entry
 * points check that, and a process that reaches the socket already acts for the user.
 */
export function checkedCaller(caller: Caller): Caller {
  const { client, ...rest } = caller;
  checkAgent(rest.agent);
  if (client === OPERATOR_CLIENT) return caller;
  const name = typeof client === 'string' ? clientName(client, '') : '';
  return name === '' ? rest : { ...rest, client: name };
}

/** `*` means every agent in the approvals file, so it is not a valid name. */
function checkAgent(agent: string): void {
  // A name that is valid at a gateway is valid on its nodes.
  if (agent === '' || agent === ALL_AGENTS || withoutGateway(agent).length > LONGEST_AGENT)
    throw new Fault('EXEC_AGENT_INVALID', `${JSON.stringify(agent)} is not a valid agent name`, {
      hint: 'choose a short name, such as main',
    });
}
