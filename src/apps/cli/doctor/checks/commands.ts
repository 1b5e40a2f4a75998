/** What happens to the commands of agents in this folder. */
import { agentName } from '../../../../config/agent.ts';
import { type Check, ok, warn } from '../check.ts';

export const commands: Check = {
  id: 'commands',
  async look({ folder }) {
    const { postureIn } = await import('../../../posture.ts');
    const posture = await postureIn(folder, { agent: agentName() });
    return posture.change === undefined ? ok(posture.commands) : warn(posture.commands, posture.change);
  },
};
