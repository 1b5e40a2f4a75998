// @ts-check
/** Hostile repositories and projects: what is judged `allow` is executed as planned, and must not start their code. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './scratch.mjs';

const TIMEOUT_MS = 5_000;

const GIT_COMMANDS = [
  'status',
  'status --short',
  'log -1',
  'log -p -1',
  'log --show-signature -1',
  'diff',
  'diff HEAD',
  'diff --stat',
  'show',
  'show HEAD:a.txt',
  'blame a.txt',
  'grep x',
  'ls-files',
  'ls-files -m',
  'ls-tree HEAD',
  'branch',
  'branch -vv',
  'tag',
  'describe --always',
  'rev-parse HEAD',
  'cat-file -p HEAD',
  'cat-file --textconv HEAD:a.txt',
  'shortlog -s HEAD',
  'stash list',
  'stash show',
  'reflog',
  'remote -v',
  'worktree list',
  'add a.txt',
  'add .',
  'commit -m x',
  'commit --allow-empty -m x',
  'restore --staged a.txt',
  'checkout -b y',
  'switch -c z',
  'reset --soft HEAD',
  'reset --mixed',
  'rm --cached a.txt',
  'check-ignore a.txt',
  'count-objects',
  'for-each-ref',
  'show-ref',
  'name-rev HEAD',
  'config --list',
  'x',
  'merge-base HEAD HEAD',
  'rev-list HEAD',
  'fsck',
  'gc --auto',
  'push',
  'fetch',
  'pull',
  'ls-remote',
  'submodule status',
  'stash',
  'mv a.txt b.txt',
];

/** Settings with which git starts a program; `MARK` is a program that writes the marker. */
const SETTINGS = [
  'core.fsmonitor=MARK',
  'core.pager=MARK',
  'core.editor=MARK',
  'sequence.editor=MARK',
  'core.sshCommand=MARK',
  'core.askPass=MARK',
  'diff.external=MARK',
  'diff.d.command=MARK',
  'diff.d.textconv=MARK',
  'filter.f.clean=MARK',
  'filter.f.smudge=MARK',
  'filter.f.process=MARK',
  'gpg.program=MARK',
  'gpg.ssh.program=MARK',
  'commit.gpgSign=true',
  'log.showSignature=true',
  'alias.x=!MARK',
  'alias.status=!MARK',
  'merge.m.driver=MARK',
  'credential.helper=!MARK',
  'core.hooksPath=hooks',
  'pager.log=MARK',
  'pager.branch=MARK',
  'interactive.diffFilter=MARK',
  'remote.origin.url=ext::MARK',
  'remote.origin.uploadpack=MARK',
  'core.gitProxy=MARK',
  'trailer.t.command=MARK',
  'uploadpack.packObjectsHook=MARK',
  'include.path=../extra',
  'core.alternateRefsCommand=MARK',
  'receive.procReceiveRefs=refs',
  'submodule.s.update=!MARK',
  'gc.recentObjectsHook=MARK',
];

const HOOKS =
  'pre-commit commit-msg prepare-commit-msg post-commit pre-push post-checkout post-index-change reference-transaction pre-auto-gc post-merge'.split(
    ' ',
  );

/** Programs that a project may redirect, with calls that look harmless. */
const PROJECT_COMMANDS = [
  'npm --version',
  'npm -v',
  'npm ls',
  'npm explain x',
  'npm root',
  'npm prefix',
  'npm view x',
  'npm outdated',
  'npm run',
  'npm config list',
  'npm help',
  'pnpm --version',
  'pnpm ls',
  'pnpm list',
  'pnpm config list',
  'yarn --version',
  'yarn config',
  'corepack --version',
  'node --version',
  'npx --version',
  'cargo --version',
  'cargo version',
  'cargo --list',
  'rustc --version',
  'rustup --version',
  'rustfmt --version',
  'make --version',
  'make -n',
  'python3 --version',
  'pip --version',
  'pip list',
  'pytest --version',
  'go version',
  'go env',
  'go help',
  'tsc --version',
  'eslint --version',
];

/**
 * @param {typeof import('./parts.ts')} parts @param {import('./scratch.mjs').Scratch} scratch
 * @returns {{ tried: number, passed: readonly string[] }}
 */
export function hostileRuns(parts, scratch) {
  const marker = join(scratch.root, 'marker');
  const mark = join(scratch.root, 'mark');
  writeFileSync(mark, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 0\n`);
  chmodSync(mark, 0o755);
  /** @type {string[]} */
  const passed = [];
  let tried = 0;
  /** @param {string} folder @param {string} command @param {string} why @param {readonly string[]} more */
  const attempt = (folder, command, why, more = []) => {
    tried++;
    rmSync(marker, { force: true });
    run(parts, { ...scratch, project: folder }, command, more);
    if (existsSync(marker)) passed.push(`${command}: ${why}`);
  };
  for (const setting of SETTINGS) {
    const folder = repository(scratch, mark);
    const at = setting.indexOf('=');
    git(folder, scratch.home, 'config', setting.slice(0, at), setting.slice(at + 1).replaceAll('MARK', mark));
    for (const command of GIT_COMMANDS) attempt(folder, `git ${command}`, setting);
  }
  const folder = repository(scratch, mark);
  for (const hook of HOOKS) {
    writeFileSync(join(folder, '.git', 'hooks', hook), `#!/bin/sh\n${mark} ${hook}\n`);
    chmodSync(join(folder, '.git', 'hooks', hook), 0o755);
  }
  for (const command of GIT_COMMANDS) attempt(folder, `git ${command}`, 'hooks');
  const project = hostileProject(scratch, mark);
  for (const command of PROJECT_COMMANDS) attempt(project, command, 'project', [join(project, 'shims')]);
  return { tried, passed };
}

/** A repository with a change in the working tree. @param {import('./scratch.mjs').Scratch} scratch @param {string} mark */
function repository({ root, home }, mark) {
  const folder = join(root, 'repository');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  git(folder, home, 'init', '-q');
  git(folder, home, 'config', 'user.name', 'a');
  git(folder, home, 'config', 'user.email', 'a@example.org');
  writeFileSync(join(folder, 'a.txt'), 'x\n');
  writeFileSync(join(folder, '.gitattributes'), '*.txt diff=d filter=f merge=m\n');
  writeFileSync(join(folder, 'extra'), `[core]\n\tfsmonitor = ${mark}\n`);
  writeFileSync(join(folder, 'hooks', 'pre-commit'), `#!/bin/sh\n${mark}\n`);
  chmodSync(join(folder, 'hooks', 'pre-commit'), 0o755);
  git(folder, home, 'add', '.');
  git(folder, home, 'commit', '-qm', 'first');
  writeFileSync(join(folder, 'a.txt'), 'x\ny\n');
  return folder;
}

/** A project whose settings choose other programs. @param {import('./scratch.mjs').Scratch} scratch @param {string} mark */
function hostileProject({ root }, mark) {
  const folder = join(root, 'hostile');
  mkdirSync(join(folder, 'toolchain', 'bin'), { recursive: true });
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  mkdirSync(join(folder, 'shims'));
  const script = `#!/bin/sh\n${mark} "$0"\n`;
  for (const name of ['cargo', 'rustc', 'rustfmt']) executable(join(folder, 'toolchain', 'bin', name), script);
  for (const name of ['npm', 'tsc', 'eslint']) executable(join(folder, 'node_modules', '.bin', name), script);
  // The programs of a version manager: the settings of the project choose what they start.
  for (const name of ['pytest', 'go'])
    executable(join(folder, 'shims', name), `#!/bin/sh\nexec asdf exec ${name} "$@" || ${mark}\n${mark}\n`);
  writeFileSync(join(folder, 'rust-toolchain.toml'), `[toolchain]\npath = "${join(folder, 'toolchain')}"\n`);
  writeFileSync(
    join(folder, '.npmrc'),
    `script-shell=${mark}\ngit=${mark}\nnode-options=--require ${join(folder, 'load.cjs')}\n`,
  );
  writeFileSync(join(folder, '.yarnrc.yml'), 'yarnPath: ./yarn.cjs\n');
  writeFileSync(join(folder, '.pnpmfile.cjs'), load(mark));
  writeFileSync(join(folder, 'load.cjs'), load(mark));
  writeFileSync(join(folder, 'yarn.cjs'), load(mark));
  writeFileSync(join(folder, 'Makefile'), `X := $(shell ${mark})\nall:\n\ttrue\n`);
  writeFileSync(join(folder, 'conftest.py'), `import os\nos.system("${mark}")\n`);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'x',
      version: '1.0.0',
      packageManager: 'yarn@3.0.0',
      scripts: { preinstall: mark, test: mark },
    }),
  );
  return folder;
}

/** @param {string} mark */
function load(mark) {
  return `require('node:child_process').execFileSync(${JSON.stringify(mark)});\n`;
}

/** @param {string} path @param {string} text */
function executable(path, text) {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** @param {typeof import('./parts.ts')} parts @param {import('./scratch.mjs').Scratch} scratch @param {string} command @param {readonly string[]} folders */
function run(parts, scratch, command, folders) {
  const path = [...folders, '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const home = process.env['HOME'] ?? '/';
  const rustup = join(home, '.cargo', 'bin');
  const options = {
    cwd: scratch.project,
    workspace: scratch.project,
    path: `${path}:${rustup}`,
    env: { HOME: scratch.home },
  };
  const lookup = parts.createLookup(options);
  const allowlist = [{ pattern: '/**' }];
  const judgement = parts.judgeCall(
    { command, unlisted: [], pty: false },
    {
      allowlist,
      deny: [],
      safeBins: [],
      safeBinProfiles: {},
      safeBinTrustedDirs: [],
      strictInlineEval: true,
      starter: 'workspace',
    },
    lookup,
    scratch.project,
  );
  const [stage] = judgement.plan?.stages ?? [];
  if (judgement.verdict !== 'allow' || stage === undefined) return;
  const env = { PATH: options.path, HOME: scratch.home, ...parts.WITHOUT_PAGERS };
  try {
    execFileSync(stage.binary.real, stage.argv.slice(1), {
      cwd: scratch.project,
      env,
      stdio: 'ignore',
      timeout: TIMEOUT_MS,
    });
  } catch {
    // A command may fail here: only what it started counts.
  }
}
