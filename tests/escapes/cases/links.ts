/** Links of both sorts, inside and to outside. */
import { symlinkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import {
  add,
  allows,
  edit,
  type EscapeCase,
  inWorkspace,
  move,
  patch,
  read,
  refuses,
  remove,
  shows,
  update,
  write,
} from '../case.ts';
import { type Ground, hardLink, link, type Plant } from '../ground.ts';

const secretLink = link('l', '{OUT}/secret.txt');
const folderLink = link('ld', '{OUT}');

/** The workspace's real folder has another name, and a link stands in its place. */
const rootIsLink: Plant = ({ top, ws }: Ground) => {
  renameSync(ws, join(top, 'ws-real'));
  symlinkSync('ws-real', ws);
};

const outwards: readonly EscapeCase[] = [
  refuses('a read through a link', read('l'), secretLink),
  refuses('a read through a relative link', read('d/l'), link('d/l', '../../out/secret.txt')),
  refuses('a write through a link', write('l'), secretLink),
  refuses('an edit through a link', edit('l', 'KEEP', 'X'), secretLink),
  refuses('an update through a link', update('l', 'KEEP-OUT-4d1f'), secretLink),
  refuses('an added file on a link', add('l'), secretLink),
  refuses('a write through a link that leads to nothing yet', write('l'), link('l', '{OUT}/new.txt')),
  refuses('an added file on a link that leads to nothing yet', add('l'), link('l', '../out/new.txt')),
  refuses('a read below a linked folder', read('ld/secret.txt'), folderLink),
  refuses('a write below a linked folder', write('ld/new.txt'), folderLink),
  refuses('new folders below a linked folder', write('ld/a/b/new.txt'), folderLink),
  refuses('an edit below a linked folder', edit('ld/secret.txt', 'KEEP', 'X'), folderLink),
  refuses('an update below a linked folder', update('ld/secret.txt', 'KEEP-OUT-4d1f'), folderLink),
  refuses('a deletion below a linked folder', remove('ld/secret.txt'), folderLink),
  refuses('a move into a linked folder', move('in.txt', 'ld/in.txt'), folderLink),
  refuses('a move out of a linked folder', move('ld/secret.txt', 'got.txt'), folderLink),
  refuses('an added file below a linked folder', add('ld/new.txt'), folderLink),
  refuses('a link that goes up', read('up/out/secret.txt'), link('up', '..')),
  refuses('a link to the root of the machine', read('r/etc/passwd'), link('r', '/')),
  refuses(
    'a chain of links that ends outside',
    read('c'),
    link('a', '{OUT}/secret.txt'),
    link('b', 'a'),
    link('c', 'b'),
  ),
  refuses(
    'a linked folder inside that holds a link out',
    read('y/o/secret.txt'),
    link('x/o', '../../out'),
    link('y', 'x'),
  ),
  refuses('dots after a link, which do not lead back to where it stands', read('ld/../out/secret.txt'), folderLink),
  refuses('dots after a link, in a write', write('ld/../escaped.txt'), folderLink),
  refuses('dots after an inside link that would leave', read('e/../../out/secret.txt'), link('e', 'd')),
  refuses('a link to a sibling whose name starts like the workspace', read('l'), link('l', '{TOP}/ws-evil/secret.txt')),
  refuses('a link that leaves and comes back', read('l'), link('l', '../ws/../out/secret.txt')),
  refuses('a link with a slash at the end of the path', read('ld/'), folderLink),
  refuses('the process root behind a link', read('r/etc/passwd'), link('r', '/proc/self/root')),
  refuses('the process environment behind a link', read('e'), link('e', '/proc/self/environ')),
  refuses('the process environment behind a linked folder', read('p/environ'), link('p', '/proc/self')),
  refuses('the working folder of the process behind a link', read('c/out/secret.txt'), link('c', '/proc/self/cwd')),
  refuses('an open descriptor behind a link', read('f'), link('f', '/proc/self/fd/0')),
  refuses('a device behind a link', read('z'), link('z', '/dev/zero')),
  refuses('a write to a device behind a link', write('n'), link('n', '/dev/null')),
  refuses('a cycle of links', read('a'), link('a', 'b'), link('b', 'a')),
  refuses('a link to itself', read('a'), link('a', 'a')),
  refuses('a write through a cycle of links', write('a'), link('a', 'b'), link('b', 'a')),
  refuses('a cycle of folders', read('a/x'), link('a', 'b/c'), link('b', 'a/c')),
  refuses(
    'a link that doubles with each step',
    read('l30'),
    ...Array.from({ length: 31 }, (_, i) => link(`l${i}`, i === 0 ? 'd' : `l${i - 1}/../l${i - 1}`)),
  ),
  refuses('a link with a target of nothing but dots', read('l/secret.txt'), link('l', '../../../../../../../../..')),
  refuses('a link into the home folder', read('h/s.txt'), link('h', '{HOME}')),
  refuses('a tilde in a link, which is a name', read('l'), link('l', '~/s.txt')),
];

const inwards: readonly EscapeCase[] = [
  shows('a link to a file inside', read('l'), link('l', 'in.txt')),
  shows('an absolute link to a file inside', read('l'), link('l', '{WS}/in.txt')),
  shows('a chain of links inside', read('c'), link('a', 'd/f.txt'), link('b', 'a'), link('c', 'b')),
  shows('a link up and down inside', read('d/l'), link('d/l', '../in.txt')),
  shows('a link to the workspace itself', read('w/in.txt'), link('w', '.')),
  shows('dots after an inside link', read('e/../in.txt'), link('e', 'd')),
  allows('a write through a linked folder inside', write('ld/new.txt'), { 'd/new.txt': 'X\n' }, link('ld', '{WS}/d')),
  allows('a write through a link, which stays a link', write('l'), { 'in.txt': 'X\n' }, link('l', 'in.txt')),
  allows('an edit through a link, which stays a link', edit('l'), { 'd/f.txt': 'X\n' }, link('l', 'd/f.txt')),
  allows('an update through a link, which stays a link', update('l'), { 'in.txt': 'X\n' }, link('l', 'in.txt')),
  allows('the deletion of a link to outside, as a link', remove('l'), { l: null }, secretLink),
  allows('the deletion of a link to inside, as a link', remove('l'), { l: null }, link('l', 'in.txt')),
  allows('the deletion of a link that leads nowhere', remove('l'), { l: null }, link('l', 'nowhere')),
  allows('the deletion of a link to a folder, as a link', remove('ld'), { ld: null }, folderLink),
  inWorkspace('{WS}', shows('a workspace that is itself reached through a link', read('in.txt'), rootIsLink)),
  shows('an absolute path through the real name of a linked workspace', read('{TOP}/ws-real/in.txt'), rootIsLink),
  shows('an absolute path through the link of a linked workspace', read('{WS}/d/f.txt'), rootIsLink),
  refuses('a way out of a linked workspace', read('../out/secret.txt'), rootIsLink),
  allows(
    'links that were planted at the names of temporary files',
    write('new.txt'),
    { 'new.txt': 'X\n' },
    ...['new.txt.tmp', '.new.txt.tmp', 'new.txt~', '.new.txt.swp', '#new.txt#', '.pincer.tmp'].map((name) =>
      link(name, '{OUT}/secret.txt'),
    ),
  ),
];

const hard: readonly EscapeCase[] = [
  refuses('a read of a hard link to an outside file', read('h'), hardLink('h', '{OUT}/secret.txt')),
  refuses('a write over a hard link', write('h'), hardLink('h', '{OUT}/secret.txt')),
  refuses('an edit of a hard link', edit('h', 'KEEP', 'X'), hardLink('h', '{OUT}/secret.txt')),
  refuses('an update of a hard link', update('h', 'KEEP-OUT-4d1f'), hardLink('h', '{OUT}/secret.txt')),
  refuses(
    'an update of a hard link that moves it',
    patch('*** Update File: h', '*** Move to: g', '@@', '-KEEP-OUT-4d1f', '+X'),
    hardLink('h', '{OUT}/secret.txt'),
  ),
  refuses('a link to a hard link', read('l'), hardLink('h', '{OUT}/secret.txt'), link('l', 'h')),
  refuses('a hard link below a linked folder inside', read('e/h'), hardLink('d/h', '{OUT}/secret.txt'), link('e', 'd')),
];

const planted: readonly EscapeCase[] = [
  allows(
    'a write beside a linked folder',
    write('d/new.txt'),
    { 'd/new.txt': 'X\n', e: { link: 'd' } },
    link('e', 'd'),
  ),
  allows(
    'a move of a file beside links',
    move('in.txt', 'd/in.txt'),
    { 'in.txt': null, 'd/in.txt': 'INSIDE\n' },
    secretLink,
  ),
  refuses('a move onto a link to outside', move('in.txt', 'l'), secretLink),
  refuses('a move onto a link to nothing', move('in.txt', 'l'), link('l', '{OUT}/new.txt')),
];

export const LINKS: readonly EscapeCase[] = [...outwards, ...inwards, ...hard, ...planted];
