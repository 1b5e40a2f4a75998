/** Everything else that opens a file goes through the same gate: addresses, pictures, documents, undo. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allows, type EscapeCase, inWorkspace, move, raced, read, refuses, remove, shows, write } from '../case.ts';
import { file, type Ground, hardLink, link, type Plant, SECRET } from '../ground.ts';
import { runs } from '../../support/budget.ts';

const path = (verb: string, address: string, more: object = {}) => ({
  tool: 'path',
  args: { verb, path: address, ...more },
});

/** A file outside. */
const outside =
  (name: string, content: string | Uint8Array): Plant =>
  ({ out }: Ground) => {
    mkdirSync(join(out, name, '..'), { recursive: true });
    writeFileSync(join(out, name), content);
  };

const secretJson = outside('s.json', `{"k": "${SECRET}"}\n`);
const insideJson = file('d/s.json', '{"k": "INSIDE"}\n');

/** Something in the state folder, which stands in the home folder. */
const state: Plant = ({ state }) => {
  mkdirSync(state);
  writeFileSync(join(state, 'f.json'), '{"k": "kept"}\n');
};

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const OTHER_DOORS: readonly EscapeCase[] = [
  refuses('an address that goes up and out', path('resolve', 'oc://"../out/s.json"/k'), secretJson),
  refuses('an absolute address', path('resolve', 'oc://"{OUT}/s.json"/k'), secretJson),
  refuses('an address behind a linked folder', path('resolve', 'oc://"ld/s.json"/k'), secretJson, link('ld', '{OUT}')),
  refuses('an address behind a link', path('resolve', 'oc://l.json/k'), secretJson, link('l.json', '{OUT}/s.json')),
  refuses(
    'a new value behind a link',
    path('set', 'oc://l.json/k', { value: 'X' }),
    secretJson,
    link('l.json', '{OUT}/s.json'),
  ),
  refuses(
    'a new value behind a linked folder',
    path('set', 'oc://"ld/s.json"/k', { value: 'X' }),
    secretJson,
    link('ld', '{OUT}'),
  ),
  refuses(
    'a new value in a hard link',
    path('set', 'oc://h.json/k', { value: 'X' }),
    secretJson,
    hardLink('h.json', '{OUT}/s.json'),
  ),
  refuses('a value of a hard link', path('resolve', 'oc://h.json/k'), secretJson, hardLink('h.json', '{OUT}/s.json')),
  refuses(
    'a new value in a repository',
    path('set', 'oc://".git/s.json"/k', { value: 'X' }),
    file('.git/s.json', '{"k": "v"}\n'),
  ),
  shows('an address inside', path('resolve', 'oc://"d/s.json"/k'), insideJson),
  allows(
    'a new value inside',
    path('set', 'oc://"d/s.json"/k', { value: 'X' }),
    { 'd/s.json': '{"k": "X"}\n' },
    insideJson,
  ),
  raced(
    ['d', 'd.link'],
    runs(100, 4000),
    refuses(
      'an address while its folder is swapped',
      path('resolve', 'oc://"d/s.json"/k'),
      insideJson,
      secretJson,
      link('d.link', '{OUT}'),
    ),
  ),
  raced(
    ['d', 'd.link'],
    runs(100, 4000),
    refuses(
      'a new value while its folder is swapped',
      path('set', 'oc://"d/s.json"/k', { value: 'X' }),
      insideJson,
      secretJson,
      link('d.link', '{OUT}'),
    ),
  ),
  refuses('a picture behind a link', read('p.png'), outside('p.png', PICTURE), link('p.png', '{OUT}/p.png')),
  refuses('a picture behind a linked folder', read('ld/p.png'), outside('p.png', PICTURE), link('ld', '{OUT}')),
  refuses('a picture by its absolute path', read('{OUT}/p.png'), outside('p.png', PICTURE)),
  refuses(
    'a document behind a link',
    read('a.pdf'),
    outside('a.pdf', `%PDF-1.4\n${SECRET}\n`),
    link('a.pdf', '{OUT}/a.pdf'),
  ),
  refuses(
    'a notebook behind a link',
    read('n.ipynb'),
    outside('n.ipynb', `{"cells": ["${SECRET}"]}`),
    link('n.ipynb', '{OUT}/n.ipynb'),
  ),
  refuses(
    'an environment file behind a link',
    read('.env'),
    outside('.env', `KEY=${SECRET}\n`),
    link('.env', '{OUT}/.env'),
  ),
  refuses('a name that is nearly one outside', read('../out/secret.tx')),
  refuses('an optional file outside', read('../out/secret.txt', { optional: true })),
  inWorkspace('{HOME}', refuses('the state folder inside a workspace, read', read('state/f.json'), state)),
  inWorkspace('{HOME}', refuses('the state folder inside a workspace, written', write('state/f.json'), state)),
  inWorkspace('{HOME}', refuses('the state folder inside a workspace, with a new file', write('state/x/new'), state)),
  inWorkspace('{HOME}', refuses('the state folder inside a workspace, deleted from', remove('state/f.json'), state)),
  inWorkspace(
    '{HOME}',
    refuses('the state folder inside a workspace, moved into', move('s.txt', 'state/s.txt'), state),
  ),
  inWorkspace('{HOME}', refuses('the state folder by an address', path('resolve', 'oc://"state/f.json"/k'), state)),
  inWorkspace('{HOME}', refuses('the state folder behind a link', read('l/f.json'), state, link('../home/l', 'state'))),
  refuses('undo, which the operator did not offer', { tool: 'changes', args: { action: 'undo' } }),
];
