/** Every path by which programs reach what they obey: as asked, by links on the way, by the real path, by a link that is moved. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { localFiles } from '../../../src/hosts/files/files.ts';
import { searchSteps } from '../../../src/hosts/files/gate/obeyed-search.ts';
import { refuseProtected } from '../../../src/hosts/files/write/write-options.ts';
import { withoutPauses } from '../../../src/hosts/obeyed/pauses.ts';
import { CLOSED_PATHS, isOnClosedPath } from '../../../src/hosts/obeyed/links.ts';
import { makeFolder } from '../../support/folder.ts';

interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** The workspace and the home, below the made folder. */
  readonly workspace?: string;
  readonly home?: string;
  readonly workspaceOnly?: boolean;
}

/** What becomes of new files, and of a link `l -> x` that is put at a path. */
async function tried(setting: Setting, path: string, isLink = false): Promise<unknown> {
  const top = makeFolder(setting.files ?? {});
  for (const [name, target] of Object.entries(setting.links ?? {})) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    symlinkSync(target, join(top, name));
  }
  const cwd = join(top, setting.workspace ?? '.');
  mkdirSync(cwd, { recursive: true });
  const { home, workspaceOnly } = setting;
  const files = localFiles({
    cwd,
    stateDir: makeFolder(),
    searchAhead: true,
    ...(home === undefined ? {} : { home: join(top, home) }),
    ...(workspaceOnly === undefined ? {} : { workspaceOnly }),
  });
  const writer = await files.writer('test');
  try {
    const { file } = files.placeOf(workspaceOnly === false ? join(top, path) : path, isLink ? 'itself' : 'target');
    writer.commit([isLink ? { file, link: 'x' } : { file, create: new Uint8Array() }]);
    return 'written';
  } catch (error) {
    if (error instanceof Fault && error.code === 'FS_PROTECTED') return error.details?.['protected'];
    throw error;
  } finally {
    files.close();
  }
}

describe('H2: a file that a client or Pincer obeys through a link', () => {
  const CLAUDE = { links: { '.claude': 'conf' } };
  it.each<[string, Setting, string, string]>([
    ['by the link', CLAUDE, '.claude/settings.json', 'client'],
    ['by the target of the link', CLAUDE, 'conf/settings.json', 'client'],
    ['by a link to the link', { links: { a: '.claude', '.claude': 'conf' } }, 'a/settings.json', 'client'],
    ['by the target of a link to a file', { links: { '.mcp.json': 'conf/m.json' } }, 'conf/m.json', 'client'],
    ['by the target of Pincer’s own', { links: { 'pincer.jsonc': 'cf/p.jsonc' } }, 'cf/p.jsonc', 'config'],
    ['by a link in another folder', { links: { 'a/b/.claude': '../../conf' } }, 'conf/settings.json', 'client'],
    ['by a link inside the folder', { links: { '.claude/settings.json': '../s.json' } }, 's.json', 'client'],
    ['by a link further below', { links: { '.opencode/plugin/x.js': '../../src/x.js' } }, 'src/x.js', 'client'],
    ['by a link to a folder', { links: { '.claude/hooks': '../scripts' } }, 'scripts/new.sh', 'client'],
    ['R3-6: above a home', { links: { '.claude': 'h/cfg' }, home: 'h' }, 'h/cfg/settings.json', 'client'],
    [
      'from the top of a workspace that may be left',
      { links: { 'ws/.claude': '../conf' }, workspace: 'ws', workspaceOnly: false },
      'conf/settings.json',
      'client',
    ],
    ['above the workspace', { links: { '.claude': 'ws/conf' }, workspace: 'ws' }, 'conf/settings.json', 'client'],
    ['in the home', { links: { 'h/.claude': '../ws/c' }, workspace: 'ws', home: 'h' }, 'c/settings.json', 'client'],
    ['as a package of Pincer', { links: { node_modules: 'nm' } }, 'nm/pincer/x.js', 'program'],
  ])('is protected %s', async (_, setting, path, as) => expect(await tried(setting, path)).toBe(as));

  it('leaves texts in the folder and files beside it writable', async () => {
    expect(await tried(CLAUDE, 'conf/rules/notes.md')).toBe('written');
    expect(await tried(CLAUDE, '.claude/CLAUDE.md')).toBe('written');
    expect(await tried({ links: { '.claude/worktrees/a/l': '../../../src' } }, 'src/a.ts')).toBe('written');
  });
});

describe('H3: a link', () => {
  it.each(['.claude', '.cursor', 'a/.codex', '.Gemini', '.vscode', '.openclaw', '.mcp.json', 'opencode.json'])(
    'is not put at %s',
    async (path) => expect(await tried({}, path, true)).toMatch(/^(?:link|client)$/u),
  );

  it('is not created at node_modules, nor above a folder that a git setting names', async () => {
    expect(await tried({}, 'node_modules', true)).toBe('link');
    expect(await tried({ files: { '.git/config': '[core]\n\thooksPath = a/hooks\n' } }, 'a', true)).toBe('git');
  });

  it('is created anywhere else', async () => expect(await tried({}, 'docs/latest', true)).toBe('written'));

  it('is recognised by the folders of every protected path, none of which has a wildcard', () => {
    expect(CLOSED_PATHS.flat().filter((name) => name.includes('*'))).toEqual([]);
    for (const names of CLOSED_PATHS) if (names.length > 1) expect(isOnClosedPath(['w', names[0]!])).toBe(true);
    expect(isOnClosedPath(['docs', 'latest'])).toBe(false);
  });
});

describe('A4: what git obeys', () => {
  it.each<[string, Setting, string]>([
    [
      'a script that a hook of a repository beside it is a link to',
      { files: { 'r/.git/config': '', 's/x': '' }, links: { 'r/.git/hooks/pre-commit': '../../../s/pre-commit' } },
      's/pre-commit',
    ],
    [
      'hooks that the user’s settings name from the top',
      { files: { 'h/.gitconfig': '[core]\n\thooksPath = hks\n', '.git/config': '' }, home: 'h' },
      'hks/pre-commit',
    ],
  ])('is protected: %s', async (_, setting, path) => expect(await tried(setting, path)).toBe('git'));
});

describe('R3-3: the search of a workspace before a write', () => {
  const config = '[user]\n\tname = n\n'.padEnd(1_000_000, '#');

  it('protects repositories whose settings are beyond the read limit', async () => {
    const files = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`r${10 + i}/.git/config`, config]));
    expect([await tried({ files }, 'r10/x'), await tried({ files }, 'r26/x')]).toEqual(['written', 'git']);
  });

  it('pauses after each folder with obeyed files', () => {
    const steps = (count: number): number => {
      const files = Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i}/.envrc`, '']));
      return [...searchSteps(new Set([makeFolder(files)]), [])].length;
    };
    expect(steps(20) - steps(10)).toBe(30); // one for the folder, one for the names in it, one for what they lead to
  });

  it('reports where it stopped, and so does the write', async () => {
    const workspace = makeFolder({ 'a/.envrc': '', 'b/.envrc': '' });
    const bounds = { entries: 9, folders: 9, found: 1 };
    const searched = withoutPauses(searchSteps(new Set([workspace]), [], bounds));
    expect(searched.unsearched).toBe('the workspace has more than 1 files that programs on the host obey');
    const files = localFiles({ cwd: workspace, stateDir: makeFolder() });
    const told: string[] = [];
    const options = { stateDir: makeFolder(), searched, warn: (warning: string) => told.push(warning) };
    refuseProtected([files.placeOf('x').file], options);
    expect(told).toEqual([
      `the search for symlinks to these files did not cover the whole workspace: ${searched.unsearched}`,
    ]);
    files.close();
  });
});

describe('H7: in a home', () => {
  it.each<[string, Setting, string]>([
    ['a file of the shell', { home: '.' }, '.profile'],
    ['another name with a dot', { home: '.' }, '.newshellrc'],
    ['settings of git', { home: '.' }, '.config/git/config'],
    ['R3-11: a cache', { home: '.' }, '.cache/p10k-instant-prompt-me.zsh'],
    ['R3-11: a folder on PATH', { home: '.' }, 'bin/ls'],
    ['R3-11: another one', { home: '.' }, 'go/bin/gopls'],
    ['R3-11: a program that starts at login', { home: '.' }, 'Library/LaunchAgents/x.plist'],
    ['what a link to a folder on PATH leads to', { links: { 'h/bin': '../dots/bin' }, home: 'h' }, 'dots/bin/ls'],
    ['packages of Node', { home: 'h' }, 'h/.node_modules/sharp/index.js'],
    ['what a link in the home leads to', { links: { 'h/.bashrc': '../dots/bashrc' }, home: 'h' }, 'dots/bashrc'],
    [
      'a file that settings of git include',
      { files: { 'h/.gitconfig': '[include]\n\tpath = ../team\n' }, home: 'h' },
      'team',
    ],
    ['a file beside the workspace', { home: '.', workspace: 'ws', workspaceOnly: false }, '.zshenv'],
  ])('%s is protected', async (_, setting, path) => expect(await tried(setting, path)).toBe('home'));

  it.each<[string, Setting, string]>([
    ['a name without a dot', { home: '.' }, 'notes.txt'],
    ['a name with a dot further down', { home: '.' }, 'project/.eslintrc'],
    ['a folder like one on PATH further down', { home: '.' }, 'project/bin/run'],
    ['a workspace on PATH', { home: '.', workspace: 'bin' }, 'run'],
    ['values for a program', { home: '.' }, '.env'],
    ['a workspace in a folder with a dot', { home: '.', workspace: '.agent/ws' }, '.x'],
    ['the same without a boundary', { home: '.', workspace: '.agent/ws', workspaceOnly: false }, '.agent/ws/.x'],
    [
      'a workspace that a link of the home leads to',
      { links: { 'h/.agent': '../ws' }, workspace: 'ws', home: 'h' },
      'a',
    ],
  ])('%s is writable', async (_, setting, path) => expect(await tried(setting, path)).toBe('written'));
});
