/** The posture of the agent in this folder. */
import { agentName } from '../../../../config/agent.ts';
import { readPairing } from '../../../node/node-store.ts';
import { type Check, ok } from '../check.ts';

export const commands: Check = {
  id: 'commands',
  async run({ folder, stateDir }) {
    const { postureIn } = await import('../../../posture.ts');
    const { kind, commands: own, change, hint } = await postureIn(folder, { agent: agentName() });
    // The check own-node is about the commands of a gateway.
    const message = (await readPairing(stateDir)) === undefined ? own : `agents of this machine: ${own}`;
    if (kind === 'unknown' || kind === 'failing')
      return [{ status: 'fail', message, ...(hint === undefined ? {} : { fix: hint }) }];
    return change === undefined ? ok(message) : [{ status: 'warn', message, fix: change, alert: true }];
  },
};
