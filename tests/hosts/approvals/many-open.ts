import { join } from 'node:path';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import { BINDING, JUDGEMENT } from './sample.ts';

/** Leaves open questions of these agents in a state folder, as a daemon would. */
export async function leaveQuestions(
  stateDir: string,
  agents: Readonly<Record<string, number>>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const store = await openApprovalStore({ file: join(stateDir, 'gateway.db') });
  const context = { caller: { agent: 'x' }, folder: '/', environment: {} };
  for (const [agent, count] of Object.entries(agents)) {
    for (let number = 0; number < count; number++) {
      store.ask({
        binding: { ...BINDING, agent, command: `rm -rf ${agent}-${number}`, env },
        judgement: JUDGEMENT,
        expiresAt: Date.now() + 3_600_000,
        run: { request: { command: `rm -rf ${agent}-${number}` }, context },
      });
    }
  }
  store.close();
}
