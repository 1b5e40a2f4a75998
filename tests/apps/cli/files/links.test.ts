import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';

/** A workspace with a file and a link to it. */
function linked(target = 'a.txt', link = 'sl'): { readonly folder: string; readonly at: (name: string) => string } {
  const folder = makeFolder({ 'ws/a.txt': 'one\n', 'outside.txt': 'secret\n' });
  const at = (name: string): string => join(folder, 'ws', name);
  mkdirSync(at('d'));
  symlinkSync(target, at(link));
  return { folder, at };
}

const patch = (folder: string, body: string) =>
  callTool(folder, 'apply_patch', { input: `*** Begin Patch\n${body}\n*** End Patch` });
const move = (from: string, to: string, hunk = '') => `*** Update File: ${from}\n*** Move to: ${to}${hunk}`;

it('B13: a link that is moved keeps leading to its file, which stays where it is', () => {
  const { folder, at } = linked();
  const { details } = patch(folder, move('sl', 'sl2'));
  expect(details['moved']).toEqual([{ from: 'sl', to: 'sl2' }]);
  expect([existsSync(at('sl')), readlinkSync(at('sl2')), readFileSync(at('a.txt'), 'utf8')]).toEqual([
    false,
    'a.txt',
    'one\n',
  ]);
});

it('B13: hunks change the file, and the move is of the link', () => {
  const { folder, at } = linked();
  patch(folder, move('sl', 'new/sl2', '\n@@\n-one\n+two'));
  expect([readlinkSync(at('new/sl2')), readFileSync(at('a.txt'), 'utf8'), existsSync(at('sl'))]).toEqual([
    'a.txt',
    'two\n',
    false,
  ]);
});

it.each([
  ['to a folder', 'd', 'sl'],
  ['to nothing', 'missing', 'sl'],
  ['by an absolute path', undefined, 'sl'],
])('B13: a link %s is moved as it is', (_, target, name) => {
  const { folder, at } = linked();
  const text = target ?? at('a.txt');
  symlinkSync(text, at(`x${name}`));
  patch(folder, move(`x${name}`, 'moved'));
  expect([readlinkSync(at('moved')), existsSync(at(`x${name}`))]).toEqual([text, false]);
});

it.each([
  ['a link that would lead out of the workspace from its new place', '../a.txt', 'd/sl', 'sl2', 'FS_OUTSIDE_WORKSPACE'],
  ['a link that leads out of the workspace', '../outside.txt', 'sl', 'sl2', 'FS_OUTSIDE_WORKSPACE'],
  ['a link onto a file', 'a.txt', 'sl', 'a.txt', 'PATCH_EXISTS'],
  ['a link onto a folder', 'a.txt', 'sl', 'd', 'PATCH_EXISTS'],
])('B13: refuses to move %s', (_, target, from, to, code) => {
  const { folder, at } = linked(target, from);
  expect(patch(folder, move(from, to)).details['code']).toBe(code);
  expect([readlinkSync(at(from)), readFileSync(at('a.txt'), 'utf8')]).toEqual([target, 'one\n']);
});

it('B13: refuses to use a link in the patch that moved it', () => {
  const { folder, at } = linked();
  const { details } = patch(folder, `${move('sl', 'sl2')}\n*** Update File: sl2\n@@\n-one\n+two`);
  expect([details['code'], readlinkSync(at('sl'))]).toEqual(['PATCH_CONFLICT', 'a.txt']);
});

it.each([
  ['deletion', '*** Delete File: sl', []],
  ['move', move('sl', 'new/sl2'), ['new', 'new/sl2']],
])('B11: the %s of a link can be undone and done again', (_, body, made) => {
  const { folder, at } = linked();
  const names = () => readdirSync(at('.'), { recursive: true }).map(String).sort();
  const before = names();
  patch(folder, body);
  const after = [...before.filter((name) => name !== 'sl'), ...made].sort();
  expect(names()).toEqual(after);
  expect(pincer(folder, ['undo']).status).toBe(0);
  expect([names(), readlinkSync(at('sl'))]).toEqual([before, 'a.txt']);
  expect(pincer(folder, ['redo']).status).toBe(0);
  expect(names()).toEqual(after);
  expect(lstatSync(at('a.txt')).isFile()).toBe(true);
});

it('B11: a link that was changed since is not taken for the one that was made', () => {
  const { folder, at } = linked();
  patch(folder, '*** Delete File: sl');
  symlinkSync('other', at('sl'));
  const { status, stderr, stdout } = pincer(folder, ['undo', '--human']);
  expect([status, `${stdout}${stderr}`, readlinkSync(at('sl'))]).toEqual([
    1,
    expect.stringContaining('a symlink to other'),
    'other',
  ]);
});
