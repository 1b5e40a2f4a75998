import { describe, expect, it } from 'vitest';
import { hookFolders } from '../../../src/hosts/obeyed/git-paths.ts';
import { settingsOfUser } from '../../../src/hosts/obeyed/git-settings.ts';
import { makeFolder } from '../../support/folder.ts';

const REPOSITORY = { git: '/r/.git', shared: '/r/.git', top: '/r' };
const hooksPath = (value: string) => ({ name: 'core.hookspath', value });

describe('the folders with hooks', () => {
  it.each([
    ['its own', [], [], ['/r/.git/hooks']],
    ['a named one', [hooksPath('h')], [], ['/r/h']],
    ['each named one', [hooksPath('h'), hooksPath('/i')], [], ['/r/h', '/i']],
    ['the root for an empty name', [hooksPath('')], [], ['/']],
    ['those of the user and its own', [], [hooksPath('u')], ['/r/u', '/r/.git/hooks']],
    ['a named one in place of those of the user', [hooksPath('h')], [hooksPath('u')], ['/r/h']],
  ])('are %s', (_, settings, user, folders) => {
    expect(hookFolders(REPOSITORY, settings, () => user)).toEqual(folders);
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
