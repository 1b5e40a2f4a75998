/** Writes to files of a lower layer, as Pincer does inside a container whose files come from an image. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';

const BIG = 300_000;

/** A workspace that is an overlay of `lower`, and how a program is started that sees it. */
function overlaid(files: Readonly<Record<string, string>>, context: TestContext) {
  const folder = makeFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`lower/${name}`, text])));
  for (const name of ['upper', 'work', 'ws']) mkdirSync(join(folder, name));
  const layers = ['lower', 'upper', 'work'].map((name) => `${name}dir=${join(folder, name)}`).join(',');
  const script = `/bin/mount -t overlay overlay -o userxattr,${layers} "$0" && cd "$0" && exec "$@"`;
  const unshare = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '/bin/sh', '-c', script];
  const prefix = [...unshare, join(folder, 'ws')];
  const { status, stderr } = spawnSync(prefix[0]!, [...prefix.slice(1), '/bin/true'], { encoding: 'utf8' });
  if (status !== 0) context.skip(`needs an overlayfs mount in a user namespace: ${stderr.trim()}`);
  return { folder, prefix, upper: join(folder, 'upper') };
}

const json = (name: string, size: number) => `${JSON.stringify({ name, pad: 'x'.repeat(size) })}\n`;

it('writes a file of a lower layer at the first try', (context) => {
  const files = { 'a.txt': 'old\n', 'b.json': json('old', 1), 'c.json': json('old', BIG), 'd/e.txt': 'old\n' };
  const { folder, prefix, upper } = overlaid(files, context);
  const edited = callTool(folder, 'edit', { path: 'a.txt', oldText: 'old', newText: 'new' }, { prefix });
  const set = ['b', 'c'].map((name) => pincer(folder, ['path', 'set', `oc://${name}.json/name`, 'new'], { prefix }));
  const patched = callTool(
    folder,
    'apply_patch',
    { input: '*** Begin Patch\n*** Update File: d/e.txt\n*** Move to: d/f.txt\n@@\n-old\n+new\n*** End Patch' },
    { prefix },
  );
  expect([edited.details['code'], ...set.map(({ status }) => status), patched.details['code']]).toEqual([
    undefined,
    0,
    0,
    undefined,
  ]);
  expect(['a.txt', 'd/f.txt'].map((name) => readFileSync(join(upper, name), 'utf8'))).toEqual(['new\n', 'new\n']);
  expect(['b', 'c'].map((name) => readFileSync(join(upper, `${name}.json`), 'utf8').slice(0, 13))).toEqual([
    '{"name":"new"',
    '{"name":"new"',
  ]);
  expect(readFileSync(join(folder, 'lower/a.txt'), 'utf8')).toBe('old\n');
});

it('appends to a large file of a lower layer, and writes into one of several names', (context) => {
  const line = `${JSON.stringify({ pad: 'x'.repeat(1000) })}\n`;
  const { folder, prefix, upper } = overlaid({ 'log.jsonl': line.repeat(400), 'a.txt': 'old\n' }, context);
  const appended = pincer(folder, ['path', 'set', 'oc://log.jsonl/+', '{"last":true}'], { prefix });
  spawnSync('/bin/ln', [join(folder, 'lower/a.txt'), join(folder, 'lower/b.txt')]);
  const call = { path: 'a.txt', oldText: 'old', newText: 'new' };
  const input = JSON.stringify(call);
  const edited = pincer(folder, ['call', '--hard-links', 'in-place', 'edit', '-'], { prefix, input });
  expect([appended.status, appended.stderr, edited.status, edited.stderr]).toEqual([0, '', 0, '']);
  expect(readFileSync(join(upper, 'log.jsonl'), 'utf8').endsWith('}\n{"last":true}\n')).toBe(true);
  expect(readFileSync(join(upper, 'a.txt'), 'utf8')).toBe('new\n');
});
