/** What the built program loads to connect to the daemon. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { METHODS } from '../../../src/wire/methods.ts';

const chunks = resolve(import.meta.dirname, '../../../dist/chunks');
/** A text that only the table of methods has. */
const TABLE = METHODS['exec.start'].summary;
const holdsTable = (file: string): boolean => readFileSync(file, 'utf8').includes(TABLE);

it('the client does not load the table of methods', () => {
  const probe = `
    require(${JSON.stringify(join(chunks, 'client.cjs'))});
    process.stderr.write(JSON.stringify(Object.keys(require.cache)));`;
  const { stderr } = spawnSync(process.execPath, ['-e', probe, '--', '--version'], { encoding: 'utf8' });
  const loaded = JSON.parse(stderr) as readonly string[];
  expect(loaded).toContain(join(chunks, 'client.cjs'));
  expect(loaded.filter(holdsTable)).toEqual([]);
  const files = readdirSync(chunks).filter((name) => name.endsWith('.cjs'));
  expect(files.filter((name) => holdsTable(join(chunks, name)))).toEqual(['daemon.cjs']);
});
