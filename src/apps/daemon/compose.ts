/** Opens the daemon's gateway with the operator's configuration, its folders, and the runner of the program. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { loadExecSettings } from '../../config/load-exec-settings.ts';
import { homeFolder } from '../../config/state.ts';
import { createGateway } from '../../hosts/gateway/gateway.ts';
import type { NatsSettings } from '../../hosts/nodes/fleet/nats-gateway.ts';
import type { NodeListenOptions } from '../../hosts/nodes/listener.ts';
import { startWithin } from '../../runner/spawn.ts';
import type { OpenOptions } from './daemon.ts';
import { sandboxTechnology } from './sandboxes.ts';
import type { OwnGateway } from './server.ts';

/** The ways by which nodes reach a gateway. */
export interface NodeAccess {
  readonly listen?: NodeListenOptions;
  readonly nats?: NatsSettings;
}

/** With `nodes`, nodes may connect. */
export async function openOwnGateway(program: string, options: OpenOptions, nodes?: NodeAccess): Promise<OwnGateway> {
  const { stateDir, runtimeDir, socket, version, umask } = options;
  const home = homeFolder();
  const runner = runnerOf(program);
  const gateway = await createGateway({
    stateDir,
    runtimeDir,
    socket,
    version,
    umask,
    log: (text) => options.log(text),
    home,
    runner,
    startWithin,
    sandboxes: sandboxTechnology(runner, options),
    leftNats: nodes !== undefined && nodes.nats === undefined,
    // The environment of the daemon may set values. A client that starts the daemon on demand passes none of its own.
    settingsFor: (folder, agent, restrictions) =>
      loadExecSettings({
        folder,
        agent,
        includeEnvironment: true,
        ...(restrictions === undefined ? {} : { restrictions }),
      }),
  });
  try {
    if (nodes?.listen !== undefined) await gateway.listenForNodes(nodes.listen);
    if (nodes?.nats !== undefined) await gateway.connectNats(nodes.nats);
    return gateway;
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/** The built script of the runner, in a folder next to the program. */
export function runnerOf(program: string): string {
  const runner = join(dirname(realpathSync(program)), 'runner', 'runner.cjs');
  if (existsSync(runner)) return runner;
  throw new Fault('GATEWAY_START_FAILED', `${runner} is missing`, {
    hint: 'install pincer again, or build it with npm run build',
  });
}
