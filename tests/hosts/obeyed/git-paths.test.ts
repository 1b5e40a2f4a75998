import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFolders, pathsObeyed } from '../../../src/hosts/obeyed/git/git-paths.ts';
import { settingsOfUser } from '../../../src/hosts/obeyed/git/git-settings.ts';
import { BoundedReader } from '../../../src/hosts/obeyed/reading.ts';
import { makeFolder } from '../../support/folder.ts';

const REPOSITORY = { git: '/r/.git', shared: '/r/.git', top: '/r' };
const hooksPath = (value: string) => ({ name: 'core.hookspath', value });

describe('the folders with hooks', () => {
  it.each([
    ['its own', [], [], ['/r/.git/hooks']],
    ['a named one', [hooksPath('h')], [], ['/r/h']],
    ['each named one', [hooksPath('h'), hooksPath('/i')], [], ['/r/h', '/i']],
    ['R3-8: a folder that is named twice', [hooksPath('h'), hooksPath('h')], [], ['/r/h']],
    ['the root for an empty name', [hooksPath('')], [], ['/']],
    ['those of the user and its own', [], [hooksPath('u')], ['/r/u', '/r/.git/hooks']],
    ['a named one in place of those of the user', [hooksPath('h')], [hooksPath('u')], ['/r/h']],
  ])('are %s', (_, settings, user, folders) => {
    expect(hookFolders(REPOSITORY, settings, () => user)).toEqual(folders);
  });

  it('R3-8: are unclear for more than 50 folders, or for too many names in them', () => {
    const many = Array.from({ length: 51 }, (_, i) => hooksPath(`h${i}`));
    expect(hookFolders(REPOSITORY, many, () => [])).toEqual({
      unclear: expect.stringContaining('more than 50 hook folders'),
    });
    const top = makeFolder({ 'h/a': '', 'h/b': '', 'h/c': '' });
    const repository = { git: join(top, '.git'), shared: join(top, '.git'), top };
    const read = { settings: [hooksPath('h')], files: [], included: [] };
    const nothing = { settings: [], files: [], included: [] };
    const obeyed = (names: number) =>
      pathsObeyed(repository, read, new BoundedReader({ bytes: 0, names }), () => nothing);
    const paths = [{ path: `${top}/h`, kind: 'folder', namedBy: 'core.hooksPath' }];
    expect(obeyed(3)).toEqual({ paths });
    expect(obeyed(2)).toEqual({ paths, unreadable: expect.stringContaining('too many names') });
  });

  it('are named by the settings of a user and by what these include', () => {
    const home = makeFolder({
      '.gitconfig': '[includeIf "gitdir:~/work/"]\n\tpath = work.config\n',
      'work.config': '[core]\n\thooksPath = .githooks\n',
      '.config/git/config': '[core]\n\thooksPath = /global\n',
    });
    const { settings } = settingsOfUser([home]);
    const named = settings.filter(({ name }) => name === 'core.hookspath').map(({ value }) => value);
    expect(named).toEqual(['/global', '.githooks']);
  });
});
