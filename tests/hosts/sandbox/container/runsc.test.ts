/** A container whose runtime brings a kernel of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { KERNEL_PROMISES } from '../../../../src/hosts/sandbox/probe/promises.ts';
import { openBox } from '../../../contracts/sandbox-escape/box.ts';
import { engineBackend } from '../../../support/engines/backend.ts';
import { startEngine, whereIs, type RunningEngine } from '../../../support/engines/engine.ts';
import { makeFolder } from '../../../support/folder.ts';

const missing = whereIs('runsc') === undefined ? 'runsc is missing (apt-get install runsc)' : undefined;
const started = missing === undefined ? await startEngine('docker') : undefined;
afterAll(() => started?.stop(), 60_000);

const trouble = missing ?? started?.trouble;
const reason = trouble === undefined ? '' : ` (not run: ${trouble})`;

describe.skipIf(trouble !== undefined)(`a container with the runtime runsc${reason}`, () => {
  const made = (): ReturnType<typeof engineBackend> => {
    const backend = engineBackend(started as RunningEngine, { runtime: 'runsc' });
    onTestFinished(() => backend.clean());
    return backend;
  };

  it('runs commands, terminals and file tools on another kernel, in the right workspace', async () => {
    const box = await openBox(made().backend, { workspace: makeFolder({ 'a.txt': 'a' }), runtime: 'runsc' });
    onTestFinished(() => box.end());
    expect((await box.sh('dmesg | head -1; cat a.txt; echo b > b.txt')).out).toMatch(/gVisor[^]*a$/u);
    expect((await box.sh('tty', { pty: true })).out).toMatch(/^\/dev\/pts\/\d+\r\n$/u);
    await box.tool('write', { path: 'c.txt', content: 'c' });
    expect(['b.txt', 'c.txt'].map((name) => readFileSync(join(box.workspace, name), 'utf8'))).toEqual(['b\n', 'c']);
  });

  it('promises what was tried with it, and nothing of this kernel', async () => {
    const probe = await made().backend.probe();
    const lacking = probe.ok ? probe.promises.filter(({ holds }) => !holds).map(({ id }) => id) : [];
    expect(lacking.toSorted()).toEqual([...KERNEL_PROMISES].sort());
  });
});
