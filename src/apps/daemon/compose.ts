/** The daemon's composition: the operator's configuration, the folders, the spawner beside the program. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { execSettingsIn } from '../../config/exec-settings-in.ts';
import { homeFolder } from '../../config/state.ts';
import { createGateway } from '../../hosts/gateway/gateway.ts';
import { startWithin } from '../../runner/within.ts';
import type { OpenOptions } from './daemon.ts';
import { sandboxTechnology } from './sandboxes.ts';
import type { OwnGateway } from './server.ts';

/** Opens the gateway that the daemon of this program serves. */
export function openOwnGateway(program: string, options: OpenOptions): Promise<OwnGateway> {
  const { stateDir, runtimeDir, socket, version, umask } = options;
  const home = homeFolder();
  return createGateway({
    stateDir,
    runtimeDir,
    socket,
    version,
    umask,
    log: (text) => options.log(text),
    home,
    spawner: spawnerOf(program),
    startWithin,
    sandboxes: sandboxTechnology(program, options),
    // Whoever starts it may set values by variables; a client that starts it by need hands none of its own over.
    settingsFor: (folder, agent, tighter) =>
      execSettingsIn({ folder, agent, heedEnvironment: true, ...(tighter === undefined ? {} : { tighter }) }),
  });
}

function spawnerOf(program: string): string {
  const spawner = join(dirname(realpathSync(program)), 'spawner.cjs');
  if (existsSync(spawner)) return spawner;
  throw new Fault('GATEWAY_START_FAILED', `${spawner} is missing`, {
    hint: 'install pincer again, or build it with npm run build',
  });
}
