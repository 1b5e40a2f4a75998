import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { attributesOf, shareWithUser999 } from '../../../support/access-list.ts';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';

/** A workspace of files of mode 0600 that one more user may read and write. */
function shared(count: number, context: TestContext): { readonly folder: string; readonly paths: readonly string[] } {
  const names = Array.from({ length: count }, (_, i) => `ws/f${i}.txt`);
  const folder = makeFolder(Object.fromEntries(names.map((name) => [name, 'old\n'])));
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) chmodSync(path, 0o600);
  if (!shareWithUser999(...paths)) context.skip('needs Python and a file system with access lists');
  return { folder, paths };
}

const modes = (paths: readonly string[]) => paths.map((path) => (statSync(path).mode & 0o7777).toString(8));

it.for([1, 2, 5, 130])('B10: a patch of %i files keeps access lists, attributes and group rights', (count, context) => {
  const { folder, paths } = shared(count, context);
  const before = [attributesOf(...paths), modes(paths)];
  const updates = paths.map((_, i) => `*** Update File: f${i}.txt\n@@\n-old\n+new`).join('\n');
  const { text, details } = callTool(folder, 'apply_patch', {
    input: `*** Begin Patch\n${updates}\n*** End Patch`,
  });
  expect([text.split('\n').length, details['warnings']]).toEqual([count + 1, []]);
  expect([attributesOf(...paths), modes(paths)]).toEqual(before);
});

it('B10: a file that moves and changes keeps its access list', (context) => {
  const { folder, paths } = shared(1, context);
  const before = attributesOf(...paths);
  callTool(folder, 'apply_patch', {
    input: '*** Begin Patch\n*** Update File: f0.txt\n*** Move to: moved.txt\n@@\n-old\n+new\n*** End Patch',
  });
  const moved = join(folder, 'ws/moved.txt');
  expect([attributesOf(moved), modes([moved])]).toEqual([before, ['660']]);
});

/** Starts a program for which the machine has no `cp`. */
function withoutHelper(context: TestContext): readonly string[] {
  const script = 'for cp in /usr/bin/cp /bin/cp; do /bin/mount --bind /dev/null "$cp" || exit 1; done; exec "$@"';
  const prefix = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, 'sh'];
  const { status, stderr } = spawnSync(prefix[0]!, [...prefix.slice(1), '/bin/true'], { encoding: 'utf8' });
  if (status !== 0) context.skip(`needs a mount in a user namespace: ${stderr.trim()}`);
  return prefix;
}

it.for([1, 6])('B10: without a program that copies attributes, %i files are written in place', (count, context) => {
  const { folder, paths } = shared(count, context);
  const prefix = withoutHelper(context);
  const numbers = () => paths.map((path) => statSync(path).ino);
  const before = [attributesOf(...paths), modes(paths), numbers()];
  const updates = paths.map((_, i) => `*** Update File: f${i}.txt\n@@\n-old\n+new`).join('\n');
  callTool(folder, 'apply_patch', { input: `*** Begin Patch\n${updates}\n*** End Patch` }, { prefix });
  expect([attributesOf(...paths), modes(paths), numbers()]).toEqual(before);
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(paths.map(() => 'new\n'));
});

it('B10: without such a program, a file that moves and changes is renamed and written in place', (context) => {
  const { folder, paths } = shared(1, context);
  const prefix = withoutHelper(context);
  const before = [attributesOf(...paths), statSync(paths[0]!).ino];
  const input = '*** Begin Patch\n*** Update File: f0.txt\n*** Move to: d/m.txt\n@@\n-old\n+new\n*** End Patch';
  callTool(folder, 'apply_patch', { input }, { prefix });
  const moved = join(folder, 'ws/d/m.txt');
  expect([attributesOf(moved), statSync(moved).ino]).toEqual(before);
  expect([readFileSync(moved, 'utf8'), existsSync(paths[0]!)]).toEqual(['new\n', false]);
});

it.for([
  ['640', '600', 'f0.txt is restored without its group and ACL: its group gets only the permissions of others'],
  ['644', '644', undefined],
])('B10: a deleted file of mode %s comes back with mode %s', ([before, after, warning]) => {
  const folder = makeFolder({ 'ws/f0.txt': 'old\n' });
  const path = join(folder, 'ws/f0.txt');
  chmodSync(path, Number.parseInt(before!, 8));
  callTool(folder, 'apply_patch', { input: '*** Begin Patch\n*** Delete File: f0.txt\n*** End Patch' });
  const { status, stderr } = pincer(folder, ['undo', '--human']);
  expect([status, modes([path]), stderr]).toEqual([0, [after], warning === undefined ? '' : `pincer: ${warning}\n`]);
});
