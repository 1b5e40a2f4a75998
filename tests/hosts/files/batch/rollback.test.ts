/** What happens when somebody comes between the last look and the change of names, and what the recorder is told. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localFiles } from '../../../../src/hosts/files/files.ts';
import { leftovers } from '../../../../src/hosts/files/batch/leftovers.ts';
import type { Recorder } from '../../../../src/hosts/files/changes/recorder-shape.ts';
import type { FileChange } from '../../../../src/hosts/files/shape.ts';
import { watchingCalls } from '../../../support/failing-fs.ts';
import { faultOf } from '../../../support/fault.ts';
import { makeFolder } from '../../../support/folder.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function start() {
  const top = makeFolder({ 'ws/a.txt': 'a', 'ws/b.txt': 'b', 'ws/c.txt': 'c' });
  const ws = join(top, 'ws');
  const told: string[] = [];
  const recorder: Recorder = {
    begin: (purpose) => {
      told.push(`begin ${purpose}`);
      return {
        add: (step) => void told.push(step.action),
        publish: () => void told.push('publish'),
        withdraw: () => void told.push('withdraw'),
      };
    },
  };
  const stateDir = join(top, 'state');
  const files = localFiles({ cwd: ws, stateDir, recorder });
  const at = (name: string) => {
    const { file, stamp } = files.placeOf(name);
    return { file, stamp: stamp! };
  };
  return { ws, stateDir, files, told, at };
}

const edit = { splices: [{ start: 0, end: 1, bytes: bytesOf('new') }] };

describe('a batch', () => {
  it('is rolled back when another process takes a name after the commit point', async () => {
    const { ws, stateDir, files, told, at } = start();
    const writer = await files.writer('patch');
    const { ino } = statSync(join(ws, 'b.txt'));
    const changes: FileChange[] = [
      { ...at('a.txt'), edit },
      { ...at('b.txt'), moveTo: at('moved/b.txt').file },
      { file: at('made/1.txt').file, create: bytesOf('1') },
      { file: at('made/2.txt').file, create: bytesOf('2') },
      { ...at('c.txt'), remove: true },
    ];
    const meddle = (name: string): void => {
      const committed = name === 'linkSync' && leftovers(stateDir).some((file) => file.endsWith('.journal'));
      if (committed && readdirSync(join(ws, 'made')).includes('1.txt'))
        writeFileSync(join(ws, 'made/2.txt'), 'foreign');
    };
    expect(faultOf(() => watchingCalls(meddle, () => writer.commit(changes))).code).toBe('FS_EXISTS');
    const tree = ['a.txt', 'b.txt', 'c.txt', 'made/2.txt'].map((name) => readFileSync(join(ws, name), 'utf8'));
    expect(tree).toEqual(['a', 'b', 'c', 'foreign']);
    expect([readdirSync(ws), readdirSync(join(ws, 'made')), leftovers(stateDir)]).toEqual([
      ['a.txt', 'b.txt', 'c.txt', 'made'],
      ['2.txt'],
      [],
    ]);
    expect(statSync(join(ws, 'b.txt')).ino).toBe(ino);
    expect(told).toEqual(['begin patch', 'modify', 'move', 'add', 'add', 'delete', 'publish', 'withdraw']);
  });
});

describe('the recorder', () => {
  it.each([
    ['an edit', (at: At): FileChange => ({ ...at('a.txt'), edit }), 'modify'],
    [
      'an append',
      (at: At): FileChange => ({ ...at('a.txt'), edit: { append: { line: bytesOf('x'), eol: '\n' } } }),
      'modify',
    ],
    ['a creation', (at: At): FileChange => ({ file: at('new').file, create: bytesOf('') }), 'add'],
    ['a removal', (at: At): FileChange => ({ ...at('a.txt'), remove: true }), 'delete'],
    ['a move', (at: At): FileChange => ({ ...at('a.txt'), moveTo: at('new').file }), 'move'],
  ])('gets %s before it happens', async (_what, change, action) => {
    const { files, told, at } = start();
    (await files.writer('tool')).commit([change(at)]);
    expect(told).toEqual(['begin tool', action, 'publish']);
  });

  it('withdraws the change when a file was changed meanwhile', async () => {
    const { ws, files, told, at } = start();
    const writer = await files.writer('tool');
    const change = { ...at('a.txt'), edit };
    const meddle = (name: string): void => {
      if (name === 'fsyncSync') writeFileSync(join(ws, 'a.txt'), 'foreign');
    };
    expect(faultOf(() => watchingCalls(meddle, () => writer.commit([change]))).code).toBe('FS_CHANGED');
    expect(told).toEqual(['begin tool', 'modify', 'publish', 'withdraw']);
  });
});

type At = ReturnType<typeof start>['at'];

it('a change within one clock tick is detected by its content', async () => {
  const { ws, files } = start();
  const writer = await files.writer('tool');
  const open = files.openPath('a.txt');
  open.readAll();
  const { mtimeNs } = open.stamp;
  // Written in place, with the same size; then the stamp is made to look as if no time had passed.
  writeFileSync(join(ws, 'a.txt'), 'A');
  const now = files.placeOf('a.txt').stamp!;
  Object.assign(open.stamp, now);
  expect(now.mtimeNs >= mtimeNs).toBe(true);
  expect(faultOf(() => writer.commit([{ file: open.located, stamp: open.stamp, edit }])).code).toBe('FS_CHANGED');
  open.close();
  expect(readFileSync(join(ws, 'a.txt'), 'utf8')).toBe('A');
});
