import { existsSync, linkSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { plainFolder } from '../../../src/hosts/files/gate/pin.ts';
import { hasTempLink } from '../../../src/hosts/files/write/temp.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';

/** No system gives out so large a number. */
const DEAD = 4_194_305;
const WORD = '0123456789abcdef';
const twice = (path: string) => ({ ino: lstatSync(path, { bigint: true }).ino, nlink: 2n });

it.each([
  ['has lost its temporary name since', undefined, true, false],
  ['still has its temporary name', `.f.${process.pid}.${WORD}.pincer-tmp`, true, true],
  ['has that of a batch still', `.f.${process.pid}.${WORD}.pincer-batch`, true, true],
  ['has that of a dead batch', `.f.${DEAD}.${WORD}.pincer-batch`, false, true],
  ['has another name', 'other', false, true],
])('a file that was seen with two links and %s', (_, second, expected, stays) => {
  const ws = makeFolder({ f: 'new' });
  if (second !== undefined) linkSync(join(ws, 'f'), join(ws, second));
  const said = hasTempLink(plainFolder(ws), 'f', twice(join(ws, 'f')));
  expect([said, second !== undefined && existsSync(join(ws, second))]).toEqual([expected, stays]);
});

it('a file with three links, or none, is not mistaken for a new one', () => {
  const ws = makeFolder({ f: 'new' });
  const seen = twice(join(ws, 'f'));
  expect([
    hasTempLink(plainFolder(ws), 'f', { ...seen, nlink: 3n }),
    hasTempLink(plainFolder(ws), 'gone', seen),
  ]).toEqual([false, true]);
});

it('a file whose creation never completes is reported as changing, and one with another link is refused', () => {
  const ws = makeFolder({ f: 'new' });
  const unfinished = join(ws, `.f.${process.pid}.${WORD}.pincer-batch`);
  const files = localFiles({ cwd: ws, stateDir: makeFolder(), hardLinks: 'refuse' });
  const ways = [() => files.openPath('f'), () => files.open(files.placeOf('f').file), () => files.openSlot('f')];
  linkSync(join(ws, 'f'), unfinished);
  expect(ways.map((way) => faultOf(way).code)).toEqual(['FS_CHANGED', 'FS_CHANGED', 'FS_CHANGED']);
  writeFileSync(join(ws, 'g'), 'x');
  linkSync(join(ws, 'g'), join(ws, 'h'));
  expect(faultOf(() => files.openPath('g')).code).toBe('FS_HARD_LINKED');
});
