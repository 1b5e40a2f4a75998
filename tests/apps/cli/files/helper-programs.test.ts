import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';

const HELPERS = ['cp', 'sync', 'mkfifo', 'ps', 'sh', 'ls', 'node', 'env'];

/** A workspace whose own programs come first on PATH; each of them leaves a mark when it is run. */
function planted(count: number): { readonly folder: string; readonly mark: string; readonly path: string } {
  const files = Array.from({ length: count }, (_, i) => [`ws/f${i}.txt`, 'old\n'] as const);
  const folder = makeFolder(Object.fromEntries(files));
  const bin = join(folder, 'ws/node_modules/.bin');
  const mark = join(folder, 'planted-was-run');
  mkdirSync(bin, { recursive: true });
  for (const name of HELPERS) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${mark}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { folder, mark, path: `${bin}:${process.env['PATH']}` };
}

it.each([
  ['one file', 1],
  ['as many files as are flushed together', 30],
])('B6: no program on PATH is run when %s is written', (_, count) => {
  const { folder, mark, path } = planted(count);
  const env = { PATH: path };
  const updates = Array.from({ length: count }, (__, i) => `*** Update File: f${i}.txt\n@@\n-old\n+new`).join('\n');
  const { text } = callTool(folder, 'apply_patch', { input: `*** Begin Patch\n${updates}\n*** End Patch` }, { env });
  callTool(folder, 'edit', { path: 'f0.txt', oldText: 'new', newText: 'newer' }, { env });
  expect([text.split('\n')[0], readFileSync(join(folder, 'ws/f0.txt'), 'utf8'), existsSync(mark)]).toEqual([
    'Success. Updated the following files:',
    'newer\n',
    false,
  ]);
});

it('B6: no program on PATH is run by what the operator asks', () => {
  const { folder, mark } = planted(1);
  const bin = join(folder, 'ws/node_modules/.bin');
  for (const name of readdirSync('/usr/bin'))
    if (!HELPERS.includes(name)) symlinkSync(join(bin, 'ls'), join(bin, name));
  const commands = [
    ['edit', 'f0.txt', '--old', 'old', '--new', 'new'],
    ['undo'],
    ['doctor'],
    ['status'],
    ['init'],
    ['policy', 'explain', 'ls -la'],
    ['sandbox', 'explain'],
    ['config', 'validate'],
  ];
  const ran = commands.map((args) => [args[0], pincer(folder, args, { env: { PATH: bin } }).status, existsSync(mark)]);
  expect(ran.filter(([, status, marked]) => marked === true || ![0, 1].includes(status as number))).toEqual([]);
}, 120_000);
