/** A container backend for the escape suite, on an engine of its own. */
import { rmSync } from 'node:fs';
import { afterAll } from 'vitest';
import { engineAt } from '../../../src/hosts/sandbox/container/engine.ts';
import type { EngineName } from '../../../src/hosts/sandbox/container/find-engine.ts';
import { listContainers } from '../../../src/hosts/sandbox/container/sweep.ts';
import { openBox } from '../../contracts/sandbox-escape/box.ts';
import { contenderFolders, type Contender } from '../../contracts/sandbox-escape/contender.ts';
import { gatewayProcess } from '../../contracts/sandbox-escape/gateway.ts';
import { makeBackend, type Setup } from '../../contracts/sandbox-escape/setup.ts';
import { escapeSuite } from '../../contracts/sandbox-escape/suite.ts';
import { builtScript } from '../built.ts';
import { IMAGE, startEngine, type RunningEngine } from './engine.ts';
import { weakEngine } from './weak-engine.ts';

/** Attacks the containers of a real engine. */
export async function engineEscapes(name: EngineName): Promise<void> {
  const engine = await startEngine(name);
  afterAll(() => engine.stop(), 60_000);
  escapeSuite({ name, trouble: engine.trouble, contender: () => engineContender(engine as RunningEngine) });
}

async function engineContender({ name, socket }: RunningEngine): Promise<Contender> {
  const { home, hidden, scratch } = contenderFolders();
  const runner = builtScript('runner');
  const setup: Setup = { backend: name, runner, hidden: [hidden], scratch, socket, image: IMAGE };
  const api = engineAt(socket, '1.41');
  return {
    backend: makeBackend(setup),
    home,
    hidden,
    unenforceable: {
      // The size of a file is held by the kernel, whatever the engine is.
      limits: [{ memoryBytes: 1e8 }, { cpus: 1 }, { pids: 10 }],
      async ask(limits) {
        const weak = await weakEngine(socket);
        try {
          const box = await openBox(makeBackend({ ...setup, socket: weak.socket }), { limits });
          await box.end();
        } finally {
          await weak.stop();
        }
      },
    },
    gateway: (command, programs) => gatewayProcess(setup, { command, programs }),
    left: async () => (await listContainers(api)).map(({ id }) => id).sort(),
    async close() {
      for (const folder of [home, scratch]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
