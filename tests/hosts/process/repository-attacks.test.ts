/**
 * Repositories that make git start a program. For each one three things are tried with the real git: the command as it is typed
 * runs the planted program, so the attack is real; judged, it asks or runs without the program; in a shell of others it asks.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLookup } from '../../../src/hosts/process/programs/which.ts';
import { judge } from '../../../src/policy/judge.ts';
import { makeFolder, removeFolder } from '../../support/folder.ts';
import { rules } from '../../policy/machine.ts';

interface Attack {
  readonly what: string;
  /** A script that plants it. `$RUN` is the program, `planted` makes it a hook, `config` adds lines to `.git/config`. */
  readonly plant: string;
  readonly command: string;
  /** What is judged where the forced settings are added. */
  readonly judged: 'allow' | 'ask';
}

const SUBMODULE = `
  git init -q inner; echo a > inner/f; git -C inner add f; git -C inner commit -qm x
  git -c protocol.file.allow=always submodule add -q ./inner sub; git commit -qm y
  echo 'f filter=x' > sub/.gitattributes; echo b > sub/f`;

const ATTACKS: readonly Attack[] = [
  {
    what: 'H1: a setting behind a comment that ends in a backslash',
    plant: String.raw`config '# x \' '[core]' "fsmonitor = \"$RUN\""`,
    command: 'git status',
    judged: 'allow',
  },
  {
    what: 'H1: a setting behind two headers on one line',
    plant: `config '[a] [include] path = ../more'; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$RUN" > more`,
    command: 'git status',
    judged: 'ask',
  },
  {
    what: 'H1: a setting with a line separator in its value',
    plant: `config '[filter "x"]' "clean = \\"$RUN #$(printf '\\342\\200\\250')\\"" ; echo 'f filter=x' > .gitattributes; echo b > f`,
    command: 'git add f',
    judged: 'ask',
  },
  {
    what: 'H2: a setting behind a mebibyte of comments',
    plant: `head -c 1100000 /dev/zero | tr '\\0' '#' >> .git/config; config '' '[core]' "fsmonitor = \\"$RUN\\""`,
    command: 'git status',
    judged: 'ask',
  },
  ...['git annotate f', 'git blame f', 'git log -p', 'git diff HEAD', 'git show HEAD~1'].map((command) => ({
    what: `H3: a converter of text that an option switches off: ${command}`,
    plant: `config '[diff "x"]' "textconv = \\"$RUN\\""; echo 'f diff=x' > .gitattributes; echo b > f`,
    command,
    judged: 'allow' as const,
  })),
  ...['git status -v', 'git reflog -p'].map((command) => ({
    what: `H3: a converter of text that no option switches off: ${command}`,
    plant: `echo 'f diff=x' > .git/info/attributes; echo b > f; git add f; config '[diff "x"]' "textconv = \\"$RUN\\""`,
    command,
    judged: 'ask' as const,
  })),
  {
    what: 'H3: a filter with an equals sign in its name',
    plant: `config '[filter "a=b"]' "clean = \\"$RUN\\""; echo 'f filter=a=b' > .gitattributes; echo b > f`,
    command: 'git status',
    judged: 'ask',
  },
  {
    what: 'H3: a filter that is emptied',
    plant: `config '[filter "a.b"]' "clean = \\"$RUN\\""; echo 'f filter=a.b' > .gitattributes; echo b > f`,
    command: 'git diff',
    judged: 'allow',
  },
  ...['gpg "x509"', 'gpg.x509'].map((section) => ({
    what: `H3: a program that checks signatures: ${section}`,
    plant: `config '[${section}]' "program = $RUN"
      { git cat-file commit HEAD | sed '/^$/,$d'; printf 'gpgsig -----BEGIN SIGNED MESSAGE-----\\n x\\n -----END SIGNED MESSAGE-----\\n\\nz\\n'; } > c
      git update-ref HEAD "$(git hash-object -t commit -w c)"`,
    command: "git log -1 '--format=%G?'",
    judged: 'allow' as const,
  })),
  ...['git status', 'git diff', 'git describe --always --dirty'].map((command) => ({
    what: `H4: a filter of a submodule: ${command}`,
    plant: `${SUBMODULE}; printf '[filter "x"]\\n\\tclean = "%s"\\n' "$RUN" >> .git/modules/sub/config`,
    command,
    judged: 'ask' as const,
  })),
  {
    what: 'H4: a converter of text in a submodule',
    plant: `${SUBMODULE}; echo 'f diff=x' > sub/.gitattributes; printf '[diff "x"]\\n\\ttextconv = "%s"\\n' "$RUN" >> .git/modules/sub/config`,
    command: 'git diff --submodule=diff',
    judged: 'ask',
  },
  ...['git branch --force x', 'git tag --force x', 'git update-ref refs/heads/y HEAD'].map((command) => ({
    what: `M4: a hook that few commands are known for: ${command}`,
    plant: `planted .git/hooks/reference-transaction`,
    command,
    judged: 'ask' as const,
  })),
  {
    what: 'L2: a hook folder that is named from the top of the working tree',
    plant: `mkdir -p sub .hooks; planted .hooks/pre-commit; config '[core]' 'hooksPath = .hooks'`,
    command: 'git -C sub commit -m x --allow-empty',
    judged: 'ask',
  },
  {
    what: 'C3: a link into the inside of a repository',
    plant: `git init -q --bare bz; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = %s\\n\\tfsmonitor = "%s"\\n' "$PWD" "$RUN" > bz/config; ln -s bz/objects ln`,
    command: 'git -C ln status',
    judged: 'ask',
  },
  {
    what: 'C3: a folder with HEAD and commondir',
    plant: `mkdir -p z y/objects y/refs; echo 'ref: refs/heads/x' > z/HEAD; echo ../y > z/commondir; printf '[core]\\n\\tsshCommand = %s\\n' "$RUN" > y/config`,
    command: 'git -C z ls-remote ssh://example.org/x',
    judged: 'ask',
  },
  {
    what: 'C3: a shared folder behind a link',
    plant: `mkdir -p d/e r; git init -q w; git init -q d/y; git init -q r/y; ln -s ../../d/e r/l; rm -rf w/.git/objects w/.git/refs
      mkdir w/.git/objects w/.git/refs; mv r/l w/.git/l; echo l/../y/.git > w/.git/commondir; mkdir -p w/.git/y; cp -r r/y/.git w/.git/y
      rm w/.git/l; ln -s ../../d/e w/.git/l; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$RUN" >> d/y/.git/config`,
    command: 'git -C w status',
    judged: 'allow',
  },
  {
    what: 'a repository above an empty folder .git',
    plant: `mkdir -p sub/.git; config '[core]' "sshCommand = $RUN"`,
    command: 'git -C sub ls-remote ssh://example.org/x',
    judged: 'ask',
  },
  ...Object.entries({
    'is a link to a file': "echo 'ref: refs/heads/x' > sub/.git/x; ln -s x sub/.git/HEAD",
    'is written in capitals': "echo 'REF: refs/heads/x' > sub/.git/HEAD",
    'is longer than git reads': `printf 'ref:%300srefs/heads/x\\n' '' > sub/.git/HEAD`,
  }).map(([what, plant]) => ({
    what: `a repository above a folder .git whose HEAD ${what}`,
    plant: `mkdir -p sub/.git/objects sub/.git/refs; ${plant}; config '[core]' "sshCommand = $RUN"`,
    command: 'git -C sub ls-remote ssh://example.org/x',
    judged: 'ask' as const,
  })),
  {
    what: 'a submodule in the place of a file of a split index',
    plant: `echo a > sub; git add sub; git commit -qm x; git update-index --split-index; rm sub; git init -q sub
      git -C sub commit -q --allow-empty -m y; git update-index --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub
      git -C sub config core.fsmonitor "$RUN"`,
    command: 'git status',
    judged: 'ask',
  },
  {
    what: 'a submodule behind an object format that git does not obey',
    plant: `git init -q sub; git -C sub commit -q --allow-empty -m y; git -C sub config core.fsmonitor "$RUN"
      git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub
      printf '[extensions]\\n\\tobjectformat = sha256\\n' > .git/config.worktree`,
    command: 'git status',
    judged: 'ask',
  },
  {
    what: 'a file .git with a blank at its end',
    plant: `mkdir w; git init -q w/a; git init -q w/b; mv w/a/.git 'w/store '; mv w/b/.git w/store; printf 'gitdir: store \\n' > w/.git; printf '[core]\\n\\tsshCommand = %s\\n' "$RUN" >> 'w/store /config'`,
    command: 'git -C w ls-remote ssh://example.org/x',
    judged: 'ask',
  },
  {
    what: 'the settings of another worktree',
    plant: `git worktree add -q wt; git config extensions.worktreeConfig true; git -C wt config --worktree filter.x.clean "$RUN"; echo 'f filter=x' > .git/info/attributes; touch wt/f`,
    command: 'git worktree remove wt',
    judged: 'ask',
  },
  {
    what: 'a remote in a form from before there were settings for it',
    plant: `git init -q --bare z; planted z/hooks/pre-receive; mkdir -p .git/remotes; printf 'URL: ./z\\nPush: HEAD:refs/heads/x\\n' > .git/remotes/origin; rm -rf .git/branches`,
    command: 'git push',
    judged: 'ask',
  },
];

const HELPERS = `
  config() { printf '%s\\n' "$@" >> .git/config; }
  planted() { printf '#!/bin/sh\\n%s\\n' "$RUN" > "$1"; chmod +x "$1"; }
  cp -R "$BASE/." .
`;

const USER = {
  PATH: '/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** A repository with two commits, copied for each attack. */
let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'pincer-'));
  const script = 'git init -q .; echo a > f; git add f; git commit -qm first; git commit -qm second --allow-empty';
  execFileSync('sh', ['-ec', script], { cwd: base, env: { ...USER, HOME: base }, stdio: 'pipe' });
});

afterAll(() => removeFolder(base));

it.each(ATTACKS)('A4: $what', ({ plant, command, judged }) => {
  const home = makeFolder();
  const cwd = makeFolder();
  const marker = join(home, 'ran');
  const program = join(home, 'run');
  // A filter gets its text as input, a converter as a file.
  writeFileSync(
    program,
    `#!/bin/sh\ntouch ${marker}\n[ -f "$1" ] && exec cat "$1"\n[ $# -gt 0 ] && exit 1\nexec cat\n`,
    { mode: 0o755 },
  );
  const env = { ...USER, HOME: home, RUN: program, BASE: base };
  const ran = (): boolean => {
    const isThere = existsSync(marker);
    rmSync(marker, { force: true });
    return isThere;
  };
  execFileSync('sh', ['-ec', HELPERS + plant], { cwd, env, stdio: 'pipe' });
  rmSync(marker, { force: true });

  const allowlist = [{ pattern: '/usr/bin/git' }];
  const judgeIn = (shell?: { builtins: ReadonlySet<string> }) =>
    judge(command, rules({ allowlist }), createLookup({ path: env.PATH, cwd }), cwd, shell);
  const { verdict, plan, reason } = judgeIn();
  const runsPlanned = verdict === 'allow' ? planned(plan!.stages[0]!.argv) : false;
  expect({
    judged: verdict,
    elsewhere: judgeIn({ builtins: new Set() }).verdict,
    runsPlanned,
    isReal: planned(['sh', '-c', command]),
    reason,
  }).toEqual({ judged, elsewhere: 'ask', runsPlanned: false, isReal: true, reason: expect.any(String) });

  function planned([word = '', ...args]: readonly string[]): boolean {
    spawnSync(word, args, { cwd, env, stdio: 'ignore', timeout: 30_000 });
    return ran();
  }
});
