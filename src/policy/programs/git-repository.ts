/** What the repository that git would use adds to a call: settings, hooks and submodules that start programs. */
import type { RepositoryFacts } from '../../wire/policy.ts';
import { type Finding, projectCode } from './finding.ts';
import { type Forced, isForcedOff, READING } from './git-forced.ts';
import { fullName, unusualSetting } from './git-settings.ts';

/** Commands with hooks of their own: with the forced settings these would be left out in silence. */
const WITH_HOOKS = new Set(
  'am checkout cherry-pick commit gc merge pull push rebase reset restore revert stash switch worktree'.split(' '),
);

/** Hooks of every command that changes a branch or the index. */
const OF_ANY_CHANGE = new Set(['reference-transaction', 'post-index-change']);

/** Why a command would start a program by the word of its repository. Without `forced`, nothing is switched off. */
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
  // Git starts itself in submodules with options of its own choice, so nothing counts as switched off there.
  for (const { folder, settings, hooks } of facts.nested ?? []) {
    const setting = unusualSetting(settings, () => false);
    if (setting !== undefined) return settingFinding(word, `the submodule in ${folder}`, fullName(setting));
    if (forced === undefined && hooks.length > 0)
      return projectCode(word, `git ${command} may run hooks of the submodule in ${folder}: ${hooks.join(', ')}`);
  }
  // Which hooks a command runs depends on the version of git and on what it changes: where nothing is forced, each one counts.
  const hooks = forced === undefined || WITH_HOOKS.has(command) ? facts.hooks : hooksOfChange(command, facts.hooks);
  return hooks.length === 0
    ? undefined
    : projectCode(word, `git ${command} runs hooks of the repository: ${hooks.join(', ')}`);
}

function hooksOfChange(command: string, hooks: readonly string[]): readonly string[] {
  return READING.has(command) ? [] : hooks.filter((hook) => OF_ANY_CHANGE.has(hook));
}

function settingFinding(word: number, whose: string, name: string): Finding {
  return projectCode(word, `${whose} sets ${name}, which is not known to be harmless: git may run a program by it`);
}
