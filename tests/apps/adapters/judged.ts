import { join } from 'node:path';
import type { AgentToolboxOptions } from '../../../src/apps/library/agent-toolbox.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { JUDGED, testGateway } from '../../support/gateway.ts';

/** What adapters take, over a gateway in this process whose commands are judged. */
export async function judgedOptions(config: ConfigFile = JUDGED) {
  const { gateway, folder, stateDir } = await testGateway(config);
  const options: AgentToolboxOptions = {
    workspace: folder,
    stateDir: join(stateDir, 'files'),
    gateway: async () => gateway,
    environment: { PATH: '/usr/bin:/bin', HOME: '/', LANG: 'C.UTF-8' },
    durable: false,
  };
  return { gateway, folder, options };
}
