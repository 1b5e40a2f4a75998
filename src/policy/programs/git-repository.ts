/** Findings about the repository that git would use: its settings, hooks and submodules that start programs. */
import type { RepositoryFacts } from '../../wire/policy.ts';
import { type Finding, projectCode } from './finding.ts';
import { type Forced, isForcedOff, READING } from './git-forced.ts';
import { baseName } from './names.ts';
import { fullName, unusualSetting } from './git-settings.ts';

/** Commands with hooks of their own: the forced settings would silently skip these hooks. */
const WITH_HOOKS = new Set(
  'am checkout cherry-pick commit gc merge pull push rebase reset restore revert stash switch worktree'.split(' '),
);

/** Hooks of every command that changes a branch or the index. */
const CHANGE_HOOKS = new Set(['reference-transaction', 'post-index-change']);

/** Hooks of other commands, and of the repository that receives a push. */
const NOT_OF_COMMIT = new Set(
  'applypatch-msg pre-applypatch post-applypatch pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update push-to-checkout sendemail-validate'.split(
    ' ',
  ),
);

/** Why a command would start a program because of its repository. Without `forced`, nothing is overridden. */
export function repositoryFinding(
  command: string,
  word: number,
  facts: RepositoryFacts | undefined,
  forced: Forced | undefined,
): Finding | undefined {
  if (facts === undefined || command === 'version') return undefined;
  if (facts.unreadable !== undefined) return projectCode(word, `${facts.unreadable}, so git may run any program`);
  const own = unusualSetting(facts.settings, (setting) => forced !== undefined && isForcedOff(setting, forced));
  if (own !== undefined) return settingFinding(word, 'the repository', fullName(own));
  // Git chooses the options of its processes in submodules, so nothing counts as overridden there.
  for (const { folder, settings, hooks } of facts.nested ?? []) {
    const setting = unusualSetting(settings, () => false);
    if (setting !== undefined) return settingFinding(word, `the submodule in ${folder}`, fullName(setting));
    if (forced === undefined && hooks.length > 0)
      return projectCode(word, `git ${command} may run hooks of the submodule in ${folder}: ${hooks.join(', ')}`);
  }
  // The hooks that a command runs depend on git's version and on what changes. Without forced settings, each one counts.
  const hooks = forced === undefined ? facts.hooks : hooksOf(command, facts.hooks);
  if (hooks.length === 0) return undefined;
  const files = facts.hookFiles?.filter((file) => hooks.includes(baseName(file))) ?? hooks;
  return projectCode(word, `git ${command} runs hooks of the repository: ${files.join(', ')}`);
}

function hooksOf(command: string, hooks: readonly string[]): readonly string[] {
  if (READING.has(command)) return [];
  if (command === 'commit') return hooks.filter((hook) => !NOT_OF_COMMIT.has(hook));
  return WITH_HOOKS.has(command) ? hooks : hooks.filter((hook) => CHANGE_HOOKS.has(hook));
}

function settingFinding(word: number, whose: string, name: string): Finding {
  return projectCode(
    word,
    `${whose} sets ${name}, which is not known to be harmless: git may run a program because of it`,
  );
}
