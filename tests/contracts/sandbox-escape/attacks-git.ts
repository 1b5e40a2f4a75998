/** Attacks on the host through git, which starts the programs that a repository names. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Arena, Attacks } from './arena.ts';
import { writeTo } from './attacks-files.ts';
import type { Box } from './box.ts';

const namesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .sort((a, b) => a.localeCompare(b));

/** A workspace as somebody left it, and what makes git on the host obey the sandbox where nothing stands in the way. */
interface Layout {
  readonly what: string;
  readonly prepare: (workspace: string) => void;
  /** A shell's text; `$PWNED` is a file of the host that only the host can write. */
  readonly attack: string;
}

const hookIn = (folder: string): string =>
  `mkdir -p ${folder}; printf '#!/bin/sh\\ntouch "%s"\\n' "$PWNED" > ${folder}/post-commit; chmod 755 ${folder}/post-commit`;

const LAYOUTS: readonly Layout[] = [
  {
    what: 'hooks that are a link into the workspace',
    prepare: (workspace) => {
      repository(workspace);
      rmSync(join(workspace, '.git/hooks'), { recursive: true, force: true });
      mkdirSync(join(workspace, 'shared'));
      symlinkSync('../shared', join(workspace, '.git/hooks'));
    },
    attack: hookIn('shared'),
  },
  {
    what: 'settings that name a folder for hooks, which is missing',
    prepare: (workspace) => {
      repository(workspace);
      appendFileSync(join(workspace, '.git/config'), '[core]\n\thooksPath = later/hooks\n');
    },
    attack: hookIn('later/hooks'),
  },
  {
    what: 'settings that take in a file of the workspace',
    prepare: (workspace) => {
      repository(workspace);
      appendFileSync(join(workspace, '.git/config'), '[include]\n\tpath = ../taken-in\n');
      writeFileSync(join(workspace, 'taken-in'), '');
    },
    attack: `printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$PWNED" > taken-in`,
  },
];

/** Repositories below the top of the workspace. */
const NESTED: readonly Layout[] = [
  {
    what: 'a hook of a repository in a folder',
    prepare: (workspace) => repository(join(workspace, 'app')),
    attack: hookIn('app/.git/hooks'),
  },
  {
    what: 'settings of a repository further down',
    prepare: (workspace) => repository(join(workspace, 'a/b/app')),
    attack: `printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$PWNED" >> a/b/app/.git/config`,
  },
  {
    what: 'the file .git of a worktree',
    prepare: (workspace) => {
      repository(join(workspace, 'app'));
      git(join(workspace, 'app'), workspace, 'commit', '--allow-empty', '-m', 'x');
      git(join(workspace, 'app'), workspace, 'worktree', 'add', '../wt');
    },
    attack: `git init -q evil 2>/dev/null; printf '[core]\\n\\tfsmonitor = "touch %s; false"\\n' "$PWNED" >> evil/.git/config
      rm -f wt/.git; echo "gitdir: $(pwd)/evil/.git" > wt/.git`,
  },
];

function git(workspace: string, home: string, ...args: readonly string[]): void {
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...who };
  spawnSync('git', ['-C', workspace, ...args], { env, timeout: 60_000 }); // whether it works is not the question
}

function repository(workspace: string): void {
  execFileSync('git', ['init', '-q', '-b', 'main', workspace], {
    env: { PATH: process.env['PATH'] ?? '', HOME: workspace },
  });
}

/** What somebody does in a workspace later. */
function use(workspace: string, home: string): void {
  const folders = ['.', 'app', 'a/b/app', 'wt'].map((folder) => join(workspace, folder));
  for (const folder of folders.filter((each) => existsSync(each))) {
    git(folder, home, 'commit', '--allow-empty', '-m', 'x');
    git(folder, home, 'status');
  }
}

/** The attack works where there is no sandbox, and not out of one; a workspace that cannot be protected may be refused. */
async function neverObeyed({ open, folder }: Arena, { what, prepare, attack }: Layout): Promise<void> {
  const [plain, held, outside] = [folder(), folder(), folder()];
  const pwned = join(outside, 'pwned');
  for (const workspace of [plain, held]) prepare(workspace);
  execFileSync('sh', ['-c', attack], { cwd: plain, env: { PATH: process.env['PATH'] ?? '', PWNED: pwned } });
  use(plain, outside);
  expect(existsSync(pwned), `${what}: works without a sandbox`).toBe(true);
  rmSync(pwned);
  const box: Box | undefined = await open({ workspace: held }).catch((error: unknown) => {
    expect(error, what).toMatchObject({ code: 'SANDBOX_WORKSPACE_REFUSED' });
    return undefined;
  });
  await box?.sh(`PWNED=${pwned}; ${attack}`);
  await box?.end();
  use(held, outside);
  expect(existsSync(pwned), what).toBe(false);
}

export const gitAttacks: Attacks = {
  async 'git-hooks'(arena) {
    const { open, folder } = arena;
    const workspace = folder();
    for (const name of ['hooks', 'objects', 'refs']) mkdirSync(join(workspace, '.git', name), { recursive: true });
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n', { mode: 0o666 });
    writeFileSync(join(workspace, '.git/config'), '[core]\n\tbare = false\n', { mode: 0o666 });
    const before = namesBelow(join(workspace, '.git'));
    const box = await open({ workspace });
    const { out } = await box.sh(
      `${writeTo(['.git/hooks/pre-commit', '.git/config', '.git/commondir', '.git/config.worktree', '.git/x'])}
       mv .git away && echo moved; rm -rf .git && echo removed; mv .git/hooks x && echo moved; umount .git && echo unmounted
       mkdir .GIT-new && mv -T .GIT-new .git && echo replaced; ln -sfn /tmp .git/hooks && echo linked; chmod 777 .git/config && echo changed; ls .git`,
    );
    expect(out).not.toMatch(/^(?:wrote|moved|removed|unmounted|replaced|linked|changed)/mu);
    expect(out).toMatch(/HEAD/u);
    await box.tool('write', { path: '.git/hooks/post-checkout', content: '#!/bin/sh\n' });
    expect(namesBelow(join(workspace, '.git'))).toEqual(before);
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe('[core]\n\tbare = false\n');
    for (const layout of [...LAYOUTS, ...NESTED]) await neverObeyed(arena, layout);
  },

  async 'git-missing'(arena) {
    const { open, folder } = arena;
    const workspace = folder();
    const box = await open({ workspace });
    const { out } = await box.sh(
      `mkdir -p .git/hooks && echo made; rm -rf .git; mv .git x && echo moved; echo "gitdir: /workspace/x" > .git && echo wrote; ${writeTo(['.git/HEAD', '.git/config'])}`,
    );
    expect(out).not.toMatch(/^(?:made|wrote|moved)/mu);
    await box.end();
    expect(readdirSync(workspace).filter((name) => name === '.git')).toEqual([]);
    await neverObeyed(arena, {
      what: 'a bare repository at the top',
      prepare: () => {},
      attack: `mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD
        printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "touch %s; false"\\n' "$PWNED" > config`,
    });
  },
};
