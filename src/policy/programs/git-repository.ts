/** What the repository that git would use adds to a call: settings, hooks and submodules that start programs. */
import type { RepositoryFacts } from '../../wire/policy.ts';
import { type Finding, projectCode } from './finding.ts';
import { type Forced, isForcedOff } from './git-forced.ts';
import { fullName, unusualSetting } from './git-settings.ts';

/** Commands whose hooks people rely on: with the forced settings they would be left out in silence. */
const WITH_HOOKS = new Set(
  'am checkout cherry-pick commit gc merge pull push rebase reset restore revert stash switch worktree'.split(' '),
);

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
  // Which hooks a command runs depends on the version of git and on what it changes.
  if (facts.hooks.length === 0 || (forced !== undefined && !WITH_HOOKS.has(command))) return undefined;
  return projectCode(word, `git ${command} runs hooks of the repository: ${facts.hooks.join(', ')}`);
}

function settingFinding(word: number, whose: string, name: string): Finding {
  return projectCode(word, `${whose} sets ${name}, which is not known to be harmless: git may run a program by it`);
}
