/** What git obeys by the environment and the settings of its user is not written by tools: through the built program. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../support/folder.ts';
import { program } from '../hook/place.ts';

const HEAD = { 'ws/.git/HEAD': 'ref: refs/heads/main\n', 'ws/.git/objects/x': '', 'ws/.git/refs/x': '' };

/** Writes a file of the workspace; `$` in settings and variables is the folder around it. */
function write(
  path: string,
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
) {
  const folder = makeFolder({ 'home/x': '', 'ws/x': '' });
  const full = (text: string) => text.replaceAll('$', folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), full(text));
  }
  const named = Object.entries(variables).map(([name, value]) => [name, full(value)]);
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: join(folder, 'home'),
    PINCER_STATE_DIR: join(folder, 'state'),
    ...Object.fromEntries(named),
  };
  const options = { cwd: join(folder, 'ws'), env, input: 'x', encoding: 'utf8', timeout: 60_000 } as const;
  const { stderr } = spawnSync(process.execPath, [program, 'write', path], options);
  return { code: stderr.split(':')[0], isThere: existsSync(join(folder, 'ws', path)) };
}

const REFUSED = { code: 'FS_PROTECTED', isThere: false };

describe('without a repository, and in one,', () => {
  it.each([
    ['the settings in XDG_CONFIG_HOME', 'xdg/git/config', { XDG_CONFIG_HOME: '$/ws/xdg' }],
    ['other files of programs in XDG_CONFIG_HOME', 'xdg/fish/config.fish', { XDG_CONFIG_HOME: '$/ws/xdg' }],
    ['GIT_CONFIG_GLOBAL', 'a/global', { GIT_CONFIG_GLOBAL: '$/ws/a/global' }],
    ['GIT_CONFIG_SYSTEM', 'a/system', { GIT_CONFIG_SYSTEM: '$/ws/a/system' }],
    ['GIT_TEMPLATE_DIR', 't/hooks/pre-commit', { GIT_TEMPLATE_DIR: '$/ws/t' }],
    ['GIT_EXEC_PATH', 'e/git-x', { GIT_EXEC_PATH: '$/ws/e' }],
    ['GIT_SSH_COMMAND', 'ssh.sh', { GIT_SSH_COMMAND: 'sh $/ws/ssh.sh -v' }],
    [
      'a setting in the environment',
      'p.sh',
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'Core.Pager', GIT_CONFIG_VALUE_0: '$/ws/p.sh' },
    ],
  ])('what %s names is closed', (_, path, variables) => {
    expect(write(path, {}, variables)).toEqual(REFUSED);
    expect(write(path, HEAD, variables)).toEqual(REFUSED);
  });

  it.each([
    ['init.templateDir', 't/hooks/pre-commit', '[init]\n\ttemplateDir = $/ws/t\n'],
    ['core.hooksPath', 'h/pre-commit', '[core]\n\thooksPath = $/ws/h\n'],
    ['core.attributesFile', 'attributes', '[core]\n\tattributesFile = $/ws/attributes\n'],
    ['gpg.program', 'sign', '[gpg]\n\tprogram = $/ws/sign\n'],
    ['a credential helper', 'h.sh', '[credential "https://x.example"]\n\thelper = "!sh $/ws/h.sh get"\n'],
    ['a setting that nobody knows yet', 'new.sh', '[hook "x"]\n\tcommand = ~/../ws/new.sh\n'],
    ['an include', 'more', '[includeIf "gitdir:/x/"]\n\tpath = $/ws/more\n'],
  ])('what %s of the user names is closed', (_, path, settings) => {
    expect(write(path, { 'home/.gitconfig': settings })).toEqual(REFUSED);
    expect(write(path, { ...HEAD, 'home/.gitconfig': settings })).toEqual(REFUSED);
  });
});

it.each([
  ['its user', 'home/.gitconfig'],
  ['itself', 'ws/.git/config'],
])('in a repository, relative paths of programs in the settings of %s are closed', (_, file) => {
  const settings = '[diff]\n\texternal = tools/d.sh\n[core]\n\tsshCommand = sh s.sh\n';
  expect(write('tools/d.sh', { ...HEAD, [file]: settings })).toEqual(REFUSED);
  expect(write('s.sh', { ...HEAD, [file]: settings, 'ws/s.sh': '' })).toEqual({ code: 'FS_PROTECTED', isThere: true });
});

it('a variable that names settings by a relative path closes repositories, and usual settings close nothing else', () => {
  expect(write('a.txt', HEAD, { GIT_CONFIG_GLOBAL: 'settings' })).toEqual(REFUSED);
  const usual =
    '[user]\n\tname = A/B\n[safe]\n\tdirectory = $/ws\n[alias]\n\tst = status\n\tb = "!make -f Makefile a.txt"\n[core]\n\teditor = vim\n';
  for (const path of ['a.txt', 'st', 'status', 'Makefile', 'vim'])
    expect(write(path, { ...HEAD, 'home/.gitconfig': usual }, { GIT_AUTHOR_NAME: 'a' })).toEqual({
      code: '',
      isThere: true,
    });
});
