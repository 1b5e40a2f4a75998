import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepository } from '../../../src/hosts/obeyed/git/repository.ts';
import { makeFolder } from '../../support/folder.ts';

const HEAD = 'ref: refs/heads/main\n';
const whole = (folder: string): Record<string, string> => ({
  [`${folder}/HEAD`]: HEAD,
  [`${folder}/objects/x`]: '',
  [`${folder}/refs/x`]: '',
});

interface Case {
  readonly what: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** From where git is called. */
  readonly from: string;
  /** Git folder, shared folder and top; a part of the reason where that is unclear; undefined where there is none. */
  readonly found: readonly [git: string, shared: string, top: string] | RegExp | undefined;
}

const CASES: readonly Case[] = [
  { what: 'none', from: '.', found: undefined },
  { what: 'its top', files: whole('.git'), from: '.', found: ['.git', '.git', ''] },
  {
    what: 'a folder below it',
    files: { ...whole('.git'), 'a/b/c': '' },
    from: 'a/b',
    found: ['.git', '.git', ''],
  },
  {
    what: 'a link to a folder below another one',
    files: { ...whole('.git'), ...whole('other/.git'), 'other/a/b': '' },
    links: { ln: 'other/a' },
    from: 'ln',
    found: ['other/.git', 'other/.git', 'other'],
  },
  {
    what: 'a path with dots behind a link',
    files: { ...whole('.git'), ...whole('other/.git'), 'other/a/b': '' },
    links: { ln: 'other/a' },
    from: 'ln/../a',
    found: ['other/.git', 'other/.git', 'other'],
  },
  {
    what: 'a link to the inside',
    files: whole('bz'),
    links: { ln: 'bz/objects' },
    from: 'ln',
    found: /git folder or a bare repository/u,
  },
  { what: 'the inside', files: whole('.git'), from: '.git/objects', found: /git folder or a bare repository/u },
  {
    what: 'HEAD and commondir',
    files: { 'z/HEAD': HEAD, 'z/commondir': '../y\n', ...whole('y') },
    from: 'z',
    found: /git folder or a bare repository/u,
  },
  {
    what: 'a folder .git that is none',
    files: { ...whole('.git'), 'sub/.git/config': '' },
    from: 'sub',
    found: ['.git', '.git', ''],
  },
  {
    what: 'a folder .git with an unusual HEAD',
    files: { ...whole('.git'), ...whole('sub/.git'), 'sub/.git/HEAD': 'something' },
    from: 'sub',
    found: /not a complete repository/u,
  },
  ...Object.entries({
    'that is too long': `ref:${' '.repeat(300)}refs/heads/main\n`,
    'in capitals': 'REF: refs/heads/main\n',
    'with further lines': `${HEAD}\n`,
    'with two blanks': 'ref:  refs/heads/main\n',
    'that is too short': '1'.repeat(39),
    'of another length': '1'.repeat(41),
    'in capital letters of a hash': 'A'.repeat(40),
  }).map(([what, head]) => ({
    what: `a folder .git with a HEAD ${what}`,
    files: { ...whole('.git'), ...whole('sub/.git'), 'sub/.git/HEAD': head },
    from: 'sub',
    found: /not a complete repository/u,
  })),
  ...['1'.repeat(40), `${'a'.repeat(64)}\n`, 'ref: refs/heads/\u00e9'].map((head) => ({
    what: `a HEAD with ${head.trim()}`,
    files: { ...whole('.git'), '.git/HEAD': head },
    from: '.',
    found: ['.git', '.git', ''] as const,
  })),
  {
    what: 'a folder .git whose HEAD is a link to a file',
    files: { ...whole('.git'), 'sub/.git/x': HEAD, 'sub/.git/objects/x': '', 'sub/.git/refs/x': '' },
    links: { 'sub/.git/HEAD': 'x' },
    from: 'sub',
    found: /not a complete repository/u,
  },
  {
    what: 'a folder .git whose HEAD is a link to a branch',
    files: { '.git/objects/x': '', '.git/refs/heads/main': '' },
    links: { '.git/HEAD': 'refs/heads/main' },
    from: '.',
    found: ['.git', '.git', ''],
  },
  {
    what: 'a file .git',
    files: { ...whole('store'), '.git': 'gitdir: store\r\n\n' },
    from: '.',
    found: ['store', 'store', ''],
  },
  {
    what: 'a file .git with a blank at the end',
    files: { ...whole('store'), ...whole('store '), '.git': 'gitdir: store \n' },
    from: '.',
    found: ['store ', 'store ', ''],
  },
  {
    what: 'a file .git with more blanks in front',
    files: { ...whole('store'), '.git': 'gitdir:  store\n' },
    from: '.',
    found: /does not name a repository/u,
  },
  {
    what: 'a file .git of another text',
    files: { '.git': 'something' },
    from: '.',
    found: /does not name a repository/u,
  },
  { what: 'a link .git', files: whole('store'), links: { '.git': 'store' }, from: '.', found: ['store', 'store', ''] },
  { what: 'L3: a link .git to itself', links: { '.git': '.git' }, from: '.', found: /cannot be read/u },
  { what: 'a link .git that leads nowhere', links: { '.git': 'x' }, from: '.', found: /cannot be read/u },
  {
    what: 'a worktree',
    files: {
      ...whole('main/.git'),
      'main/.git/worktrees/w/HEAD': HEAD,
      'main/.git/worktrees/w/commondir': '../..\n',
      'w/.git': 'gitdir: ../main/.git/worktrees/w\n',
    },
    from: 'w',
    found: ['main/.git/worktrees/w', 'main/.git', 'w'],
  },
  {
    what: 'a shared folder with dots behind a link',
    files: { '.git/HEAD': HEAD, '.git/commondir': 'l/../y', ...whole('d/y'), ...whole('.git/y'), 'd/e/x': '' },
    links: { '.git/l': '../d/e' },
    from: '.',
    found: ['.git', 'd/y', ''],
  },
  {
    what: 'a shared folder that is missing',
    files: { '.git/HEAD': HEAD, '.git/commondir': 'nowhere' },
    from: '.',
    found: /does not name a folder/u,
  },
  {
    what: 'an empty commondir',
    files: { ...whole('.git'), '.git/commondir': '\n' },
    from: '.',
    found: /does not name a folder/u,
  },
  { what: 'a folder that is missing', from: 'nowhere', found: /does not exist/u },
];

describe('the repository that git finds', () => {
  it.each(CASES)('is the one of $what', ({ files = {}, links = {}, from, found }) => {
    const folder = makeFolder(files);
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    const expected =
      found instanceof RegExp
        ? { unclear: expect.stringMatching(found) }
        : found && { git: join(folder, found[0]), shared: join(folder, found[1]), top: join(folder, found[2]) };
    expect(findRepository(`${folder}/${from}`)).toEqual(expected);
  });

  it('is unclear where a folder of it cannot be entered', () => {
    const folder = makeFolder(whole('.git'));
    mkdirSync(join(folder, 'sub'));
    chmodSync(join(folder, '.git/objects'), 0o600);
    const found = findRepository(join(folder, 'sub'));
    chmodSync(join(folder, '.git/objects'), 0o700);
    // Root enters every folder, and so does its git.
    const isRoot = process.getuid?.() === 0;
    expect(found).toEqual(isRoot ? expect.objectContaining({ top: folder }) : { unclear: expect.any(String) });
  });
});
