import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { makeFolder } from '../../support/folder.ts';

it('localFiles locates, reads and writes files', async () => {
  const top = makeFolder({ 'ws/a.txt': 'one', 'ws/b.jsonl': '1\n' });
  const cwd = join(top, 'ws');
  const stateDir = join(top, 'home/state/pincer');
  const files = localFiles({ cwd, stateDir });
  expect(files.hasLeftovers()).toBe(false);
  expect(files.locateOperator('a.txt').path).toBe(files.locate('a.txt').path);

  const writer = await files.writer('path');
  expect(writer.recover()).toEqual({ completed: [], conflicts: [], failed: [] });
  expect(readdirSync(top)).toEqual(['ws']);

  const a = files.locate('a.txt');
  const b = files.locate('b.jsonl');
  const bytes = new TextEncoder().encode('two');
  writer.exclusively([a, b], () => {
    const open = files.open(a);
    writer.replace(open, [{ start: 0, end: open.size, bytes }], open.stamp);
    open.close();
    writer.append(b, { line: bytes, eol: '\n' });
    const again = files.open(a);
    again.close();
    writer.commit([{ file: a, stamp: again.stamp, edit: { append: { line: bytes, eol: '\r\n' } } }]);
  });
  expect(['a.txt', 'b.jsonl'].map((name) => readFileSync(join(cwd, name), 'utf8'))).toEqual(['two\r\ntwo', '1\ntwo\n']);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(stateDir, 'locks'))).toEqual([]);
});
