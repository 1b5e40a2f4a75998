/** The container backend on an engine of tests, with everything that it is given told here. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '../../../src/hosts/sandbox/backend.ts';
import { createContainers } from '../../../src/hosts/sandbox/container/backend.ts';
import type { ContainerOptions } from '../../../src/hosts/sandbox/container/options.ts';
import { containerAgent } from '../../contracts/sandbox-escape/setup.ts';
import { builtScript } from '../built.ts';
import { IMAGE, type RunningEngine } from './engine.ts';

export interface EngineBackend {
  readonly backend: Backend;
  readonly options: ContainerOptions;
  /** Removes its folders. */
  readonly clean: () => void;
}

export function engineBackend(engine: RunningEngine, changes: Partial<ContainerOptions> = {}): EngineBackend {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-backend-')));
  const state = join(folder, 'state');
  const scratch = join(folder, 'scratch');
  for (const each of [state, scratch]) mkdirSync(each);
  const options: ContainerOptions = {
    engine: engine.name,
    places: { socket: engine.socket },
    agent: async () => containerAgent(builtScript('runner')),
    hidden: [state],
    home: join(folder, 'home'),
    scratch,
    image: IMAGE,
    ...changes,
  };
  return { backend: createContainers(options), options, clean: () => rmSync(folder, { recursive: true, force: true }) };
}
