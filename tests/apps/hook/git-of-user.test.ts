/** What a hook allows must hold in the client's own shell, which runs git with the settings of its user. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeEvent } from './events.ts';
import { hook, hookPlace } from './place.ts';

/** The decision about a command, and its reason where it is not allowed. */
function decided(command: string, settings: string, variables: Readonly<Record<string, string>> = {}) {
  const { folder, env } = hookPlace({ allow: ['/usr/bin/git'] });
  const project = join(folder, 'project');
  execFileSync('git', ['init', '-q', '.'], { cwd: project, env });
  writeFileSync(join(folder, '.gitconfig'), settings);
  const all = { ...env, ...variables };
  const { stdout } = hook('claude-code', JSON.stringify(claudeEvent('Bash', { command }, project)), all, [], project);
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  return {
    permissionDecision,
    about: /the (?:setting|variable) (\S+) of the user/u.exec(permissionDecisionReason)?.[1],
  };
}

const ALLOWED = { permissionDecision: 'allow', about: undefined };

it.each([
  ['diff.submodule', 'git diff', '[diff]\n\tsubmodule = log\n'],
  ['diff.external', 'git log -p', '[diff]\n\texternal = difft\n'],
  ['diff.x.textconv', 'git show', '[diff "x"]\n\ttextconv = strings\n'],
  ['core.fsmonitor', 'git status', '[core]\n\tfsmonitor = .git/watch\n'],
  ['log.showsignature', 'git log', '[log]\n\tshowSignature\n'],
  ['submodule.recurse', 'git checkout x', '[submodule]\n\trecurse = true\n'],
  ['status.submodulesummary', 'git status', '[status]\n\tsubmoduleSummary = 5\n'],
  ['filter.x.clean', 'git status', '[filter "x"]\n\tclean = x\n'],
  ['core.sshcommand', 'git fetch origin', '[core]\n\tsshCommand = ./tools/ssh\n'],
  ['url./tmp/.insteadof', 'git log', '[url "/tmp/"]\n\tinsteadOf = https://example.org/\n'],
  ['core.editor', 'git log', '[core]\n\teditor = "\'/opt/an editor/x\' --log=tools/x"\n'],
  ['trailer.x.command', 'git log', '[trailer "x"]\n\tcommand = x\n'],
  ['init.templatedir', 'git init x', '[init]\n\ttemplateDir = /templates\n'],
  ['new.setting', 'git log', '[new]\n\tsetting = 1\n'],
])('%s of the user makes %s ask', (about, command, settings) => {
  expect(decided(command, settings)).toEqual({ permissionDecision: 'ask', about });
});

it.each([
  ['GIT_EXTERNAL_DIFF', { GIT_EXTERNAL_DIFF: 'x' }],
  ['GIT_DIR', { GIT_DIR: '/tmp' }],
  ['GIT_EXEC_PATH', { GIT_EXEC_PATH: '/tmp' }],
])('the variable %s makes git ask', (about, variables) => {
  expect(decided('git diff', '', variables)).toEqual({ permissionDecision: 'ask', about });
});

it('usual settings and variables of a user ask nothing', () => {
  const usual = `[user]\n\tname = A\n\tsigningkey = X\n[commit]\n\tgpgsign = true\n[alias]\n\tst = status\n
[core]\n\tpager = delta\n\teditor = vim\n\texcludesFile = ~/.ignore\n\tfsmonitor = true\n\tautocrlf = input
[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true
[credential "https://github.com"]\n\thelper = !/usr/bin/gh auth git-credential\n[init]\n\tdefaultBranch = main\n\ttemplateDir = ~/t
[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n[diff]\n\tsubmodule = short\n\tcolorMoved = zebra\n[rerere]\n\tenabled
[credential]\n\thelper = /mnt/c/Program\\\\ Files/Git/gcm.exe\n\thelper = store --file=~/.cred
[core]\n\tsshCommand = ssh -o UserKnownHostsFile=/dev/null\n\teditor = "'/opt/Sublime Text/subl' -n -w"
[lfs]\n\tconcurrenttransfers = 8\n[pretty]\n\tx = %h %s\n[am]\n\tthreeWay = true\n[ghq]\n\troot = ~/src\n`;
  const variables = { GIT_EDITOR: 'true', GIT_PAGER: 'cat', GIT_ASKPASS: '/opt/askpass.sh', GIT_AUTHOR_NAME: 'a' };
  expect(decided('git diff', usual, variables)).toEqual(ALLOWED);
  expect(decided('git status', usual, variables)).toEqual(ALLOWED);
});

it('git asks before it changes a repository around the project, or a file that settings of its user include', () => {
  const { folder, env } = hookPlace({ allow: ['/usr/bin/git'] });
  const project = join(folder, 'project');
  const decisions = (commands: readonly string[]) =>
    commands.map((command) => {
      const { stdout } = hook(
        'claude-code',
        JSON.stringify(claudeEvent('Bash', { command }, project)),
        env,
        [],
        project,
      );
      return JSON.parse(stdout).hookSpecificOutput.permissionDecision as string;
    });
  execFileSync('git', ['init', '-q', '.'], { cwd: folder, env });
  expect(decisions(['git log', 'git add .', 'git checkout x -- :/.bashrc'])).toEqual(['allow', 'ask', 'ask']);
  execFileSync('git', ['init', '-q', '.'], { cwd: project, env });
  expect(decisions(['git add .', 'git rm --cached a'])).toEqual(['allow', 'allow']);
  writeFileSync(join(folder, '.gitconfig'), `[include]\n\tpath = ${project}/more\n`);
  expect(decisions(['git log', 'git add .', 'git rm more'])).toEqual(['allow', 'allow', 'ask']);
});
