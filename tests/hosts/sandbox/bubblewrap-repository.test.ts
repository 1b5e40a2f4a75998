import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPathHandles } from '../../../src/hosts/sandbox/profile/path-handles.ts';
import { protectWorkspace } from '../../../src/hosts/sandbox/profile/protect-workspace.ts';
import { openBox } from '../../contracts/sandbox-escape/box.ts';
import { bubblewrapContender, type Contender } from '../../contracts/sandbox-escape/contender.ts';
import { makeFolder } from '../../support/folder.ts';

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nowhere',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd,
    env: ENV,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** A repository with one file in it. */
function repository(...options: readonly string[]): string {
  const folder = makeFolder({ file: 'text' });
  git(folder, 'init', '-q', ...options);
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  return folder;
}

/** One with another one in it at `vendor/inner`. */
function withInner(...options: readonly string[]): string {
  const outer = repository(...options);
  git(outer, 'submodule', 'add', '-q', repository(...options), 'vendor/inner');
  git(outer, 'commit', '-qm', 'inner');
  return outer;
}

function guardsOf(workspace: string): string[] {
  const handles = createPathHandles();
  onTestFinished(() => handles.close());
  const spec = {
    id: 'box',
    workspace,
    workspaceAccess: 'rw',
    limits: { tmpBytes: 1 },
    egress: false,
    binds: [],
    env: {},
  } as const;
  const { guards } = protectWorkspace(spec, handles.open(workspace)!, handles, { hidden: [], programs: [] });
  return guards.map(({ target, how }) => `${how} ${target}`);
}

describe('what the settings of a repository start', () => {
  it.each([
    ['core.fsmonitor', 'tools/run'],
    ['filter.x.clean', './tools/run --of %f'],
    ['diff.external', 'sh "tools/run"'],
    ['alias.st', '!tools/run; git status'],
  ])('is guarded where it is a script of the project: %s', (name, value) => {
    const workspace = repository();
    execFileSync('sh', ['-c', 'mkdir tools && : > tools/run'], { cwd: workspace });
    git(workspace, 'config', name, value);
    git(workspace, 'config', 'user.name', 'tools/run');
    expect(guardsOf(workspace)).toEqual(['ro /workspace/.git', 'pin /workspace/tools', 'ro /workspace/tools/run']);
  });

  it('is refused where settings include a file that is missing', () => {
    const workspace = repository();
    git(workspace, 'config', 'include.path', '../later');
    expect(() => guardsOf(workspace)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
  });

  it('is not guarded where no program is named', () => {
    const workspace = repository();
    git(workspace, 'config', 'user.name', 'file');
    expect(guardsOf(workspace)).toEqual(['ro /workspace/.git']);
  });

  it('is guarded in a linked worktree, whose settings are elsewhere', () => {
    const main = repository();
    git(main, 'config', 'core.hooksPath', 'hooks');
    const workspace = join(makeFolder(), 'further');
    git(main, 'worktree', 'add', '-q', workspace);
    expect(guardsOf(workspace)).toEqual(['ro /workspace/.git', 'ro /workspace/hooks']);
  });
});

describe('a repository within another', () => {
  it('is guarded, because git reads its status together with the outer one', () => {
    expect(guardsOf(withInner())).toEqual([
      'ro /workspace/.git',
      'pin /workspace/vendor',
      'pin /workspace/vendor/inner',
      'ro /workspace/vendor/inner/.git',
    ]);
  });

  it('cannot be created where it is missing', () => {
    const outer = makeFolder();
    git(outer, 'clone', '-q', withInner(), '.');
    expect(guardsOf(outer)).toEqual(['ro /workspace/.git', 'pin /workspace/vendor', 'ro /workspace/vendor/inner']);
  });

  it('cannot be a link, so the workspace is refused', () => {
    const outer = makeFolder();
    git(outer, 'clone', '-q', withInner(), '.');
    execFileSync('rm', ['-r', join(outer, 'vendor/inner')]);
    symlinkSync('..', join(outer, 'vendor/inner'));
    expect(() => guardsOf(outer)).toThrow(expect.objectContaining({ code: 'SANDBOX_WORKSPACE_REFUSED' }));
  });
});

describe('a sandbox in a workspace with a repository', () => {
  let contender: Contender;

  beforeAll(async () => {
    contender = await bubblewrapContender();
  }, 60_000);

  afterAll(() => contender.close());

  it('changes nothing that git starts on this machine', async () => {
    const workspace = withInner();
    const pointer = readFileSync(join(workspace, 'vendor/inner/.git'), 'utf8');
    const box = await openBox(contender.backend, { workspace });
    await box.sh(
      `git init -q /tmp/own; printf '[core]\\n fsmonitor = "touch obeyed; false"\\n' >> /tmp/own/.git/config; cd vendor; mv inner /tmp; rm -rf inner/.git; cp -r /tmp/own/.git inner; ln -s /tmp/own/.git inner/.git; echo 'gitdir: ../own' > inner/.git`,
    );
    await box.end();
    const { status } = spawnSync('git', ['status'], { cwd: workspace, env: ENV });
    expect({ status, pointer: readFileSync(join(workspace, 'vendor/inner/.git'), 'utf8') }).toEqual({
      status: 0,
      pointer,
    });
    expect(existsSync(join(workspace, 'vendor/inner/obeyed'))).toBe(false);
  });
});
