/** The posture of the agent in this folder. */
import { agentName } from '../../../../config/agent.ts';
import { type Check, ok } from '../check.ts';

export const commands: Check = {
  id: 'commands',
  async run({ folder }) {
    const { postureIn } = await import('../../../posture.ts');
    const { kind, commands: message, change, hint } = await postureIn(folder, { agent: agentName() });
    if (kind === 'unknown' || kind === 'failing')
      return [{ status: 'fail', message, ...(hint === undefined ? {} : { fix: hint }) }];
    return change === undefined ? ok(message) : [{ status: 'warn', message, fix: change, alert: true }];
  },
};
