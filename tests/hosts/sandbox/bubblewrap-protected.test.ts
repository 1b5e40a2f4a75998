import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxSpec } from '../../../src/hosts/sandbox/backend.ts';
import { createPathHandles } from '../../../src/hosts/sandbox/profile/path-handles.ts';
import { recordPlaceholder, sweepPlaceholders } from '../../../src/hosts/sandbox/profile/placeholder.ts';
import { placeholder } from '../../../src/hosts/sandbox/profile/placeholder.ts';
import { protectWorkspace } from '../../../src/hosts/sandbox/profile/protect-workspace.ts';
import { makeFolder } from '../../support/folder.ts';

/** As much of a repository as git asks for. */
const REPOSITORY = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/keep': '', '.git/refs/keep': '' };

function specOf(workspace: string, more: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    id: 'box',
    workspace,
    workspaceAccess: 'rw',
    limits: { tmpBytes: 1 },
    egress: false,
    binds: [],
    env: {},
    ...more,
  };
}

function guardsOf(
  workspace: string,
  more: Partial<SandboxSpec> = {},
  hidden: readonly string[] = [],
  programs: readonly string[] = [],
) {
  const handles = createPathHandles();
  onTestFinished(() => handles.close());
  const protection = protectWorkspace(specOf(workspace, more), handles.open(workspace)!, handles, { hidden, programs });
  const told = [...protection.guards, ...protection.lastGuards].map(({ target, how }) => `${how} ${target}`);
  return { told, placeholder: protection.placeholder };
}

describe('what is protected in a workspace', () => {
  it('is the whole of .git, and what its settings and pointers name', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      '.git/config': '[core]\n\thooksPath = tools/hooks\n',
      'tools/hooks/pre-commit': '',
      'pincer.jsonc': '{}',
    });
    expect(guardsOf(workspace).told).toEqual([
      'ro /workspace/pincer.jsonc',
      'ro /workspace/.git',
      'pin /workspace/tools',
      'ro /workspace/tools/hooks',
    ]);
  });

  it('is a file .git, and the folder of the workspace that it points at', () => {
    const workspace = makeFolder({ '.git': 'gitdir: kept/repository\n', 'kept/repository/HEAD': '' });
    expect(guardsOf(workspace).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/kept',
      'ro /workspace/kept/repository',
    ]);
  });

  it('is nothing outside that a file .git points at', () => {
    const workspace = makeFolder({ '.git': 'gitdir: /elsewhere/.git/worktrees/x\n' });
    expect(guardsOf(workspace).told).toEqual(['ro /workspace/.git']);
  });

  it('C2: is every repository and worktree below the top, and a folder that git treats as one', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      'app/.git/HEAD': 'ref: refs/heads/main\n',
      'app/.git/config': '[core]\n\thooksPath = tools\n',
      'app/tools/pre-commit': '',
      'deep/er/wt/.git': 'gitdir: ../../../.git/worktrees/wt\n',
      'store/HEAD': 'ref: refs/heads/main\n',
      'store/objects/x': '',
      'store/refs/x': '',
    });
    expect(guardsOf(workspace).told.sort()).toEqual([
      'pin /workspace/app',
      'pin /workspace/deep',
      'pin /workspace/deep/er',
      'pin /workspace/deep/er/wt',
      'ro /workspace/.git',
      'ro /workspace/app/.git',
      'ro /workspace/app/tools',
      'ro /workspace/deep/er/wt/.git',
      'ro /workspace/store',
    ]);
  });

  it('C3: is a path of the table at any depth, the target of a symlink with such a name, and a script that a hook names', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      'conf/mcp.json': '{ "command": "tools/server.sh" }',
      'tools/server.sh': '',
      'tools/check.sh': '',
      'packages/prod/.claude/settings.json': '{}',
      'packages/prod/.npmrc': 'script-shell=./x',
      '.pre-commit-config.yaml': 'entry: tools/check.sh\nfiles: package.json\n',
      'package.json': '{}',
      'lefthook.yml': '',
      '.yarnrc.yml': '',
      '.github/workflows/ci.yml': '',
    });
    symlinkSync('conf/mcp.json', join(workspace, '.mcp.json'));
    expect(guardsOf(workspace).told.sort()).toEqual([
      'pin /workspace/conf',
      'pin /workspace/packages',
      'pin /workspace/packages/prod',
      'pin /workspace/tools',
      'ro /workspace/.git',
      'ro /workspace/.pre-commit-config.yaml',
      'ro /workspace/.yarnrc.yml',
      'ro /workspace/conf/mcp.json',
      'ro /workspace/lefthook.yml',
      'ro /workspace/packages/prod/.claude',
      'ro /workspace/packages/prod/.npmrc',
      'ro /workspace/tools/check.sh',
      'ro /workspace/tools/server.sh',
    ]);
  });

  it('G-1: is a script that is named after a variable, by a symlink, or relative to the folder of its file', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      '.envrc': 'source_env_if_exists .envrc.local\nsource linked.sh\nsource "my env.sh"\n',
      'my env.sh': '',
      'shared/real.sh': '',
      'app/.claude/settings.json': JSON.stringify({
        a: '"$CLAUDE_PROJECT_DIR"/scripts/hook.sh',
        b: '\u0024{CLAUDE_PROJECT_DIR}/scripts/hook2.sh --x',
      }),
      'app/scripts/hook.sh': '',
      'app/scripts/hook2.sh': '',
    });
    symlinkSync('shared/real.sh', join(workspace, 'linked.sh'));
    const scripts = guardsOf(workspace).told.filter((each) => each.endsWith('.sh'));
    expect(scripts.sort()).toEqual([
      'ro /workspace/app/scripts/hook.sh',
      'ro /workspace/app/scripts/hook2.sh',
      'ro /workspace/my env.sh',
      'ro /workspace/shared/real.sh',
    ]);
  });

  it('is at most 64 guards, and a workspace that needs more is refused', () => {
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}/.npmrc`, '']));
    expect(guardsOf(makeFolder({ ...REPOSITORY, ...many(63) })).told).toHaveLength(63 * 2 + 1);
    expect(() => guardsOf(makeFolder({ ...REPOSITORY, ...many(64) }))).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_GUARDS_TOO_MANY',
        message: expect.stringMatching(/more than 64 files .*: "p0\/\.npmrc", .*, …$/u) as string,
      }),
    );
  });

  it('G-5: is at most 384 mounts, with the folders above guards', () => {
    const deep = Array.from({ length: 400 }, () => 'd').join('/');
    expect(() => guardsOf(makeFolder({ ...REPOSITORY, [`${deep}/.envrc`]: '' }))).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_GUARDS_TOO_MANY',
        message: expect.stringMatching(/needs more than 384 mounts .*: "(?:d\/)+\.envrc"$/u) as string,
      }),
    );
  });

  it('cannot be a link .git, so the workspace is refused', () => {
    const workspace = makeFolder({ 'kept/HEAD': '' });
    symlinkSync('kept', join(workspace, '.git'));
    expect(() => guardsOf(workspace)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
  });

  it('is only hidden where nothing can be written', () => {
    const workspace = makeFolder({ ...REPOSITORY, 'state/pincer/db': '' });
    expect(guardsOf(workspace, { workspaceAccess: 'ro' }, [join(workspace, 'state/pincer')]).told).toEqual([
      'hidden /workspace/state/pincer',
    ]);
  });

  it('is a hidden folder with all folders above it, created where it is missing', () => {
    const workspace = makeFolder(REPOSITORY);
    const hidden = join(workspace, '.local/state/pincer');
    expect(guardsOf(workspace, {}, [hidden, '/elsewhere']).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/.local',
      'pin /workspace/.local/state',
      'hidden /workspace/.local/state/pincer',
    ]);
    expect(existsSync(hidden)).toBe(true);
  });

  it('is a hidden folder at its real path', () => {
    const workspace = makeFolder({ ...REPOSITORY, 'kept/pincer/db': '' });
    const outside = makeFolder();
    symlinkSync(join(workspace, 'kept'), join(outside, 'state'));
    expect(guardsOf(workspace, {}, [join(outside, 'state/pincer')]).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/kept',
      'hidden /workspace/kept/pincer',
    ]);
  });

  it('keeps hooks and settings read-only when the operator binds .git for commits', () => {
    const workspace = makeFolder({ ...REPOSITORY, '.git/config': '' });
    const binds = [{ source: join(workspace, '.git'), target: '/workspace/.git', access: 'rw' as const }];
    expect(guardsOf(workspace, { binds }).told).toEqual([
      'ro /workspace/.git',
      'ro /workspace/.git/hooks',
      'ro /workspace/.git/config',
    ]);
  });
});

describe('what git obeys in a workspace', () => {
  it.each([
    ['on the line of its section', '[core] hooksPath = tools/hooks\n'],
    [
      'as the last of two',
      '[core]\n hooksPath = elsewhere\n[user]\n name = x\n[Core]\n\tHOOKSPATH = "tools/hooks" ; here\n',
    ],
    ['on a line that goes on', '[core]\n hooksPath = tools\\\n/hooks\n'],
    ['in quotes in the middle', '[core]\n hooksPath = tools"/"hooks # not there\n'],
    ['in settings of this working folder', undefined],
  ])('is a folder of hooks that is named %s', (_, config) => {
    const file = config === undefined ? '.git/config.worktree' : '.git/config';
    const workspace = makeFolder({
      ...REPOSITORY,
      [file]: config ?? '[core]\n hooksPath = tools/hooks\n',
      'tools/hooks/pre-commit': '',
    });
    expect(guardsOf(workspace).told).toContain('ro /workspace/tools/hooks');
  });

  it('is a missing folder of hooks, which is created', () => {
    const workspace = makeFolder({ ...REPOSITORY, '.git/config': '[core]\n hooksPath = tools/hooks\n' });
    expect(guardsOf(workspace).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/tools',
      'ro /workspace/tools/hooks',
    ]);
    expect(readdirSync(join(workspace, 'tools/hooks'))).toEqual([]);
  });

  it('is refused where a symlink points to hooks, and nothing is created there', () => {
    const outside = makeFolder();
    const workspace = makeFolder({ ...REPOSITORY, '.git/config': '[core]\n hooksPath = tools/hooks\n' });
    symlinkSync(outside, join(workspace, 'tools'));
    expect(() => guardsOf(workspace)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
    expect(readdirSync(outside)).toEqual([]);
  });

  it('are settings that other settings include', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      '.git/config': '[include]\n path = ../shared/settings\n[includeIf "onbranch:x"] path = ../shared/more\n',
      'shared/settings': '[core]\n hooksPath = tools/hooks\n',
      'shared/more': '',
      'tools/hooks/pre-commit': '',
    });
    expect(guardsOf(workspace).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/shared',
      'ro /workspace/shared/settings',
      'ro /workspace/shared/more',
      'pin /workspace/tools',
      'ro /workspace/tools/hooks',
    ]);
  });

  it('are scripts of the project that hooks are links to', () => {
    const workspace = makeFolder({ ...REPOSITORY, '.git/hooks/sample': '', 'scripts/check.sh': '', 'githooks/a': '' });
    symlinkSync('../../scripts/check.sh', join(workspace, '.git/hooks/pre-commit'));
    expect(guardsOf(workspace).told).toEqual([
      'ro /workspace/.git',
      'pin /workspace/scripts',
      'ro /workspace/scripts/check.sh',
    ]);
    renameSync(join(workspace, '.git/hooks'), join(workspace, '.git/old'));
    symlinkSync('../githooks', join(workspace, '.git/hooks'));
    expect(guardsOf(workspace).told).toEqual(['ro /workspace/.git', 'ro /workspace/githooks']);
  });

  it('does not make the gateway wait for a pipe', () => {
    const workspace = makeFolder(REPOSITORY);
    execFileSync('mkfifo', [join(workspace, '.git/config'), join(workspace, '.git/config.worktree')]);
    expect(guardsOf(workspace).told).toEqual(['ro /workspace/.git']);
  });

  it.each([
    ['a name of a branch', 'ref: refs/heads/main\n'],
    ['a commit', `${'0a'.repeat(20)}\n`],
    ['a branch in front of a long text', `ref: refs/heads/main\n${'x'.repeat(5000)}`],
  ])('is the workspace itself when %s stands in its HEAD, so it is refused', (_, head) => {
    const workspace = makeFolder({ HEAD: head });
    expect(() => guardsOf(workspace)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
    expect(readdirSync(workspace)).toEqual(['HEAD']);
  });

  it.each([
    ['a link to a file', (path: string) => symlinkSync('x', path)],
    ['a text that git does not accept', (path: string) => writeFileSync(path, 'REF: refs/heads/main\n')],
  ])('is not a folder .git whose HEAD is %s, so the place beside it is closed, too', (_, makeHead) => {
    const workspace = makeFolder({ '.git/x': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' });
    makeHead(join(workspace, '.git/HEAD'));
    const { told, placeholder: made } = guardsOf(workspace);
    expect(told).toEqual(['ro /workspace/HEAD', 'ro /workspace/.git']);
    made?.release();
  });

  it('leaves a file HEAD of another program unchanged', () => {
    const { told, placeholder: made } = guardsOf(makeFolder({ HEAD: 'of the table' }));
    expect(told).toEqual(['ro /workspace/HEAD', 'ro /workspace/.git']);
    made?.release();
  });

  it('neither guards nor removes a folder HEAD of another program', () => {
    const workspace = makeFolder();
    mkdirSync(join(workspace, 'HEAD'));
    const { told, placeholder: made } = guardsOf(workspace);
    expect(told).toEqual(['pin /workspace/HEAD', 'ro /workspace/.git']);
    made?.release();
    expect(readdirSync(workspace)).toEqual(['HEAD']);
  });
});

describe('a program of Pincer in the workspace', () => {
  it('is guarded together with its folder', () => {
    const workspace = makeFolder({
      ...REPOSITORY,
      'node_modules/pincer/dist/inside.cjs': '',
      'node_modules/sharp/x': '',
    });
    const programs = ['node_modules/pincer/dist/inside.cjs', 'node_modules/sharp'].map((path) => join(workspace, path));
    expect(guardsOf(workspace, {}, [], [...programs, '/usr/bin/node']).told).toEqual([
      'pin /workspace/node_modules',
      'pin /workspace/node_modules/pincer',
      'ro /workspace/node_modules/pincer/dist',
      'ro /workspace/node_modules/sharp',
      'ro /workspace/.git',
    ]);
  });
});

describe('the file of the project', () => {
  it.each([
    ['a link', (workspace: string) => symlinkSync('other', join(workspace, 'pincer.jsonc'))],
    ['a second name', (workspace: string) => linkSync(join(workspace, 'other'), join(workspace, 'pincer.jsonc'))],
  ])('cannot be %s, so the workspace is refused and nothing is left in it', (_, make) => {
    const workspace = makeFolder({ other: '{}' });
    make(workspace);
    expect(() => guardsOf(workspace)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
    expect(readdirSync(workspace).sort()).toEqual(['other', 'pincer.jsonc']);
    expect(guardsOf(workspace, { workspaceAccess: 'ro' }).told).toEqual([]);
  });
});

describe('the place of a repository that is not there', () => {
  it('is taken by a folder that the last sandbox removes', () => {
    const workspace = makeFolder();
    const first = guardsOf(workspace, { id: 'first' });
    const second = guardsOf(workspace, { id: 'second' });
    expect(first.told).toEqual(['ro /workspace/HEAD', 'ro /workspace/.git']);
    expect(second.told).toEqual(first.told);
    expect(readdirSync(join(workspace, '.git'))).toHaveLength(2);
    first.placeholder?.release();
    expect(readdirSync(workspace).sort()).toEqual(['.git', 'HEAD']);
    second.placeholder?.release();
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('loses the claims of dead processes', () => {
    const workspace = makeFolder({ '.git/pincer-sandbox-4194999-dead': 'HEAD' });
    mkdirSync(join(workspace, 'HEAD'));
    const { placeholder: made } = guardsOf(workspace);
    expect(readdirSync(join(workspace, '.git'))).toEqual([`pincer-sandbox-${process.pid}-box`]);
    made?.release();
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('is given back by the next gateway when the one before was killed', () => {
    const scratch = makeFolder({ 'placeholders/4194999-dead': '', 'placeholders/4194999-gone': '/nowhere' });
    const workspace = makeFolder({ '.git/pincer-sandbox-4194999-dead': 'HEAD', file: '' });
    mkdirSync(join(workspace, 'HEAD'));
    writeFileSync(join(scratch, 'placeholders/4194999-dead'), workspace);
    const busy = makeFolder();
    const { placeholder: made } = guardsOf(busy);
    const done = recordPlaceholder(scratch, 'box', busy);
    sweepPlaceholders(scratch);
    expect(readdirSync(workspace)).toEqual(['file']);
    expect(readdirSync(busy).sort()).toEqual(['.git', 'HEAD']);
    expect(readdirSync(join(scratch, 'placeholders'))).toEqual([`${process.pid}-box`]);
    done();
    made?.release();
    expect(readdirSync(join(scratch, 'placeholders'))).toEqual([]);
  });

  it('can be released after another program has removed it', () => {
    const workspace = makeFolder();
    const { placeholder: made } = guardsOf(workspace);
    rmSync(join(workspace, '.git'), { recursive: true });
    made?.release();
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('is marked without writing through a link that took the place of the mark', () => {
    const outside = makeFolder({ file: 'untouched' });
    const workspace = makeFolder();
    const handles = createPathHandles();
    onTestFinished(() => handles.close());
    const made = placeholder(handles.open(workspace)!, 'box');
    const mark = join(workspace, `.git/pincer-sandbox-${process.pid}-box`);
    rmSync(mark);
    symlinkSync(join(outside, 'file'), mark);
    expect(made?.takeHead()).toBe(true);
    made?.release();
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('untouched');
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('stays when another program has created a repository there', () => {
    const workspace = makeFolder();
    const { placeholder: made } = guardsOf(workspace);
    writeFileSync(join(workspace, '.git/HEAD'), '');
    made?.release();
    expect(readdirSync(join(workspace, '.git'))).toEqual(['HEAD']);
  });

  it('stays when the workspace was moved and replaced', () => {
    const parent = makeFolder({ 'workspace/file': '' });
    const workspace = join(parent, 'workspace');
    const { placeholder: made } = guardsOf(workspace);
    renameSync(workspace, join(parent, 'moved'));
    mkdirSync(join(workspace, '.git'), { recursive: true });
    made?.release();
    expect(existsSync(join(workspace, '.git'))).toBe(true);
    expect(readdirSync(join(parent, 'moved'))).toEqual(['file']);
  });
});
