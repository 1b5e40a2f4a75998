/** Who calls the gateway, checked before anything is recorded under that name. */
import { Fault } from '../../base/fault.ts';
import { clientName, OPERATOR_CLIENT } from '../../wire/client-name.ts';
import type { Caller } from '../../wire/exec.ts';

const LONGEST_AGENT = 200;

/**
 * The caller with the client that records keep; a caller without a usable name has none. That only the operator is `you` was
 * settled where the caller came in: whoever reaches the socket acts for the user already.
 */
export function checkedCaller(caller: Caller): Caller {
  const { client, ...rest } = caller;
  checkAgent(rest.agent);
  if (client === OPERATOR_CLIENT) return caller;
  const name = typeof client === 'string' ? clientName(client, '') : '';
  return name === '' ? rest : { ...rest, client: name };
}

/** `*` stands for every agent in the file of rules, so nobody may be called that. */
function checkAgent(agent: string): void {
  if (agent === '' || agent === '*' || agent.length > LONGEST_AGENT)
    throw new Fault('EXEC_AGENT_INVALID', `${JSON.stringify(agent)} is no name for an agent`, {
      hint: 'choose a short name, such as main',
    });
}
