/** Calls that are repeated while an attacker exchanges a name with a link to outside. */
import { add, edit, type EscapeCase, move, raced, read, refuses, remove, update, write } from '../case.ts';
import { runs } from '../../support/budget.ts';
import { file, folder, link } from '../ground.ts';

const TRIES = runs(100, 4000);
const parent = ['d', 'd.link'] as const;
const parentLink = link('d.link', '{OUT}');
const leaf = ['d/f.txt', 'd/f.link'] as const;
const leafLink = link('d/f.link', '{OUT}/f.txt');

export const RACES: readonly EscapeCase[] = [
  raced(parent, TRIES, refuses('a read while its folder is swapped', read('d/f.txt'), parentLink)),
  raced(parent, TRIES, refuses('a write while its folder is swapped', write('d/f.txt'), parentLink)),
  raced(parent, TRIES, refuses('a new file while its folder is swapped', write('d/new.txt'), parentLink)),
  raced(parent, TRIES, refuses('new folders while their parent is swapped', write('d/a/b/new.txt'), parentLink)),
  raced(parent, TRIES, refuses('an edit while its folder is swapped', edit('d/f.txt'), parentLink)),
  raced(parent, TRIES, refuses('an update while its folder is swapped', update('d/f.txt'), parentLink)),
  raced(parent, TRIES, refuses('an addition while its folder is swapped', add('d/added.txt'), parentLink)),
  raced(parent, TRIES, refuses('a deletion while its folder is swapped', remove('d/f.txt'), parentLink)),
  raced(parent, TRIES, refuses('a move out of a folder that is swapped', move('d/f.txt', 'got.txt'), parentLink)),
  raced(parent, TRIES, refuses('a move into a folder that is swapped', move('in.txt', 'd/in.txt'), parentLink)),
  raced(leaf, TRIES, refuses('a read while the file is swapped', read('d/f.txt'), leafLink)),
  raced(leaf, TRIES, refuses('a write while the file is swapped', write('d/f.txt'), leafLink)),
  raced(leaf, TRIES, refuses('an edit while the file is swapped', edit('d/f.txt'), leafLink)),
  raced(leaf, TRIES, refuses('a deletion while the file is swapped', remove('d/f.txt'), leafLink)),
  raced(
    ['g', 'g.link'],
    TRIES,
    refuses(
      'a read while a folder far above is swapped',
      read('g/dir/deep.txt'),
      file('g/dir/deep.txt'),
      link('g.link', '{OUT}'),
    ),
  ),
  raced(
    ['g', 'g.link'],
    TRIES,
    refuses(
      'a write while a folder far above is swapped',
      write('g/dir/deep.txt'),
      folder('g/dir'),
      link('g.link', '{OUT}'),
    ),
  ),
  raced(
    ['../ws', '../ws.link'],
    TRIES,
    refuses('a read while the workspace itself is swapped', read('f.txt'), file('f.txt'), link('../ws.link', '{OUT}')),
  ),
  raced(
    ['../ws', '../ws.link'],
    TRIES,
    refuses(
      'a write while the workspace itself is swapped',
      write('f.txt'),
      file('f.txt'),
      link('../ws.link', '{OUT}'),
    ),
  ),
];
