/** An engine that dies while its containers run. */
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBox } from '../../../contracts/sandbox-escape/box.ts';
import { engineBackend } from '../../../support/engines/backend.ts';
import { startEngine, type RunningEngine } from '../../../support/engines/engine.ts';
import { makeFolder } from '../../../support/folder.ts';

const started = await startEngine('docker');
afterAll(() => started.stop(), 60_000);

describe.skipIf(started.trouble !== undefined)(
  `an engine that dies${started.trouble === undefined ? '' : ` (not run: ${started.trouble})`}`,
  () => {
    it('ends the sandbox with all that runs in it, and the next one is refused with what to do', async () => {
      const engine = started as RunningEngine;
      const { backend, clean } = engineBackend(engine);
      onTestFinished(clean);
      const box = await openBox(backend, { workspace: makeFolder() });
      const ran = box.sh('echo started; sleep 1000');
      process.kill(engine.pid, 'SIGKILL');
      expect(await box.opened.ended).toMatch(/^(?:the engine does not answer|its stream closed)/u);
      expect((await ran).code).toBe('lost');
      expect(existsSync(`/proc/${box.opened.pid}`)).toBe(false);
      await box.end();
      await expect(openBox(backend, { workspace: makeFolder() })).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: `docker is not available (${engine.socket}: no engine listens on it)`,
      });
      expect(await backend.probe()).toMatchObject({
        ok: false,
        message: expect.stringContaining('docker is not available'),
      });
    });
  },
);
