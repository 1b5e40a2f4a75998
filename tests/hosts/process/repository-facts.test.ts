import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFactsReader } from '../../../src/hosts/process/programs/repository-facts.ts';
import { makeFolder } from '../../support/folder.ts';

const HEAD = 'ref: refs/heads/main\n';
const repository = (git: string, config = ''): Record<string, string> => ({
  [`${git}/HEAD`]: HEAD,
  [`${git}/objects/x`]: '',
  [`${git}/refs/x`]: '',
  [`${git}/config`]: config,
});

const repositoryFactsAt = (folder: string) => repositoryFactsReader('/')(folder);

describe('the facts about a repository', () => {
  it.each([
    [
      'a file of settings that is too long',
      { '.git/config': `${'#'.repeat(1024 * 1024)}\n[core]\n\tbare = true\n` },
      /longer/u,
    ],
    ['a line that is no setting', { '.git/config': '[core]\n\tbare = true\n?\n' }, /line 3 of .*config/u],
    ['a zero', { '.git/config': '[filter "a\0b"]\n\tclean = x\n' }, /not UTF-8 text/u],
    ['a home of another user', { '.git/config': '[core]\n\thooksPath = ~root/x\n' }, /only git can resolve/u],
    ['an index that is none', { '.git/index': 'something' }, /not an index/u],
    [
      'an index of an unknown object format',
      { '.git/index': 'DIRC', '.git/config.worktree': '[extensions]\n\tobjectformat = sha256\n' },
      /object format/u,
    ],
    ['remotes in an old form', { '.git/remotes/origin': 'URL: ./z\n' }, /remotes/u],
    ['settings of a worktree that cannot be read', { '.git/worktrees/w/config.worktree/x': '' }, /cannot be read/u],
    [
      'R3-8: hooks in many folders',
      { '.git/config': `[core]\n${Array.from({ length: 51 }, (_, i) => `hooksPath = h${i}\n`).join('')}` },
      /more than 50 hook folders/u,
    ],
    [
      'settings that include many files',
      { '.git/config': `[include]\n${Array.from({ length: 101 }, (_, i) => `path = f${i}\n`).join('')}` },
      /include more than 100 files/u,
    ],
    ['a broken module', { '.git/modules/m/HEAD': HEAD, '.git/modules/m/commondir': 'x' }, /does not name a folder/u],
    ['settings of a module that git refuses', repository('.git/modules/a/b', '?'), /line 1 of .*modules/u],
  ])('are unknown with %s', (_, files, why) => {
    const folder = makeFolder({ ...repository('.git'), ...files });
    expect(repositoryFactsAt(folder)).toEqual({ settings: [], hooks: [], unreadable: expect.stringMatching(why) });
  });

  it('are unknown where bytes are not UTF-8', () => {
    const folder = makeFolder(repository('.git'));
    writeFileSync(join(folder, '.git/config'), Buffer.from([0x5b, 0x61, 0x5d, 0x0a, 0x62, 0x3d, 0xff]));
    expect(repositoryFactsAt(folder)?.unreadable).toMatch(/UTF-8/u);
  });

  it('are there without any settings', () => {
    const folder = makeFolder({ ...repository('.git'), 'sub/x': '' });
    expect(repositoryFactsAt(join(folder, 'sub'))).toEqual({ settings: [], hooks: [], hookFiles: [], nested: [] });
  });

  it('name hooks of the folder that is named from the top', () => {
    const folder = makeFolder({
      ...repository('.git', '[core]\n\thooksPath = hooks\n'),
      'sub/hooks/x': '',
      'hooks/y': '',
    });
    for (const name of ['pre-commit', 'post-checkout.sample', 'commit-msg'])
      writeFileSync(join(folder, 'hooks', name), '', { mode: name === 'commit-msg' ? 0o644 : 0o755 });
    expect(repositoryFactsAt(join(folder, 'sub'))?.hooks).toEqual(['pre-commit']);
  });

  it('have the hooks behind a link, too', () => {
    const folder = makeFolder({ ...repository('.git'), 'd/e/x': '', 'd/hooks/pre-push': '' });
    chmodSync(join(folder, 'd/hooks/pre-push'), 0o755);
    symlinkSync('d/e', join(folder, 'l'));
    writeFileSync(join(folder, '.git/config'), '[core]\n\thooksPath = l/../hooks\n');
    expect(repositoryFactsAt(folder)?.hooks).toEqual(['pre-push']);
  });

  it('do not name a worktree that is where git was called', () => {
    const folder = makeFolder({ ...repository('.git', '[core]\n\tworktree = ..\n'), 'x/y': '' });
    expect(repositoryFactsAt(folder)?.settings).toEqual([]);
    writeFileSync(join(folder, '.git/config'), '[core]\n\tworktree = ../x\n');
    expect(repositoryFactsAt(folder)?.settings).toEqual([{ name: 'core.worktree', value: '../x' }]);
  });

  it('have the settings and hooks of every submodule, at any depth, checked out or not', () => {
    const folder = makeFolder();
    const script = `
      git init -q . && git init -q a && git -C a init -q b
      git update-index --add --cacheinfo 160000,${'1'.repeat(40)},a
      git -C a update-index --add --cacheinfo 160000,${'1'.repeat(40)},b
      for each in a a/b; do rm -r $each/.git/hooks; : > $each/.git/config; git -C $each config x.y $each; done
      mkdir a/b/.git/hooks && : > a/b/.git/hooks/pre-commit && chmod +x a/b/.git/hooks/pre-commit
      git init -q m && rm -r m/.git/hooks && printf '[x]\\ny = m\\n' > m/.git/config && mkdir -p .git/modules/p && mv m/.git .git/modules/p/m && rm -r m`;
    execFileSync('sh', ['-ec', script], {
      cwd: folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    });
    const nested = repositoryFactsAt(folder)?.nested ?? [];
    expect([...nested].sort((one, other) => (one.folder < other.folder ? -1 : 1))).toEqual([
      { folder: join(folder, '.git/modules/p/m'), settings: [{ name: 'x.y', value: 'm' }], hooks: [], hookFiles: [] },
      { folder: join(folder, 'a/.git'), settings: [{ name: 'x.y', value: 'a' }], hooks: [], hookFiles: [] },
      {
        folder: join(folder, 'a/b/.git'),
        settings: [{ name: 'x.y', value: 'a/b' }],
        hooks: ['pre-commit'],
        hookFiles: [join(folder, 'a/b/.git/hooks/pre-commit')],
      },
    ]);
  });

  it('F5-2: are read once for a repository, by whatever name, and within one budget for all', () => {
    const folder = makeFolder({ ...repository('a/.git'), ...repository('b/.git'), ...repository('c/.git') });
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name, '.git/index'), new Uint8Array(7 << 20));
    const factsAt = repositoryFactsReader('/');
    const first = factsAt(join(folder, 'a'));
    expect(first?.unreadable).toMatch(/is not an index/u);
    symlinkSync('a', join(folder, 'l'));
    for (const other of ['a/.', 'a/./.git/..', 'l', 'b/../a']) expect(factsAt(`${folder}/${other}`)).toBe(first);
    expect(factsAt(join(folder, 'b'))?.unreadable).toMatch(/is not an index/u);
    expect(factsAt(join(folder, 'c'))?.unreadable).toMatch(/have more than 16777216 bytes/u);
  });

  it('are made for any folder without an error', () => {
    const folder = makeFolder();
    symlinkSync('.git', join(folder, '.git'));
    mkdirSync(join(folder, 'sub'));
    const asked = [folder, join(folder, 'sub'), join(folder, 'missing'), `${folder}/x\0y`, `/${'x'.repeat(5_000)}`];
    expect(asked.map((each) => repositoryFactsAt(each)?.unreadable !== undefined)).toEqual(asked.map(() => true));
  });
});
