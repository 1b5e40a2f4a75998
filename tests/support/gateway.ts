import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { execSettings } from '../../src/config/exec.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import { createGateway, type GatewayOptions, type LocalGateway } from '../../src/hosts/gateway/gateway.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../src/wire/exec.ts';
import { makeFolder } from './folder.ts';
import { builtSpawner } from './spawner.ts';

/** A gateway in this process, with a state folder and a working folder of its own. */
export interface TestGateway {
  readonly gateway: LocalGateway;
  readonly folder: string;
  readonly stateDir: string;
  readonly exec: (request: ExecRequest, context?: Partial<ExecContext>) => Promise<ExecOutcome>;
  /** Closes it and opens another on the same state folder. */
  again(): Promise<TestGateway>;
}

export async function testGateway(
  config: ConfigFile = {},
  more: Partial<GatewayOptions> = {},
  root = makeFolder(),
): Promise<TestGateway> {
  const folder = join(root, 'work');
  const stateDir = join(root, 'state');
  mkdirSync(folder, { recursive: true });
  const gateway = await createGateway({
    stateDir,
    runtimeDir: join(root, 'run'),
    spawner: await builtSpawner(),
    socket: '',
    version: 'test',
    settingsFor: async (_, agent) => execSettings({ config, sources: [], warnings: [] }, agent, root),
    ...more,
  });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await gateway.close();
  };
  onTestFinished(close);
  const context: ExecContext = {
    caller: { agent: 'main', conversation: 'c' },
    folder,
    environment: { HOME: root, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
  };
  return {
    gateway,
    folder,
    stateDir,
    exec: (request, changes) => gateway.call('exec.start', { request, context: { ...context, ...changes } }),
    again: async () => {
      await close();
      return testGateway(config, more, root);
    },
  };
}
