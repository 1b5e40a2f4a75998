/** Commits, tags and pushes that git signs: the forced settings would leave the signature out silently. */
import type { GitUserFacts, RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';
import { type Finding, projectCode } from './finding.ts';

/** Settings, by command, with which git starts a program that signs. */
const SIGNING: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'commit merge cherry-pick revert rebase am pull commit-tree'.split(' ').map((name) => [name, ['commit.gpgsign']]),
  ),
  tag: ['tag.gpgsign', 'tag.forcesignannotated'],
  push: ['push.gpgsign'],
};
const OFF = /^(?:false|no|off|0)$/iu;

export function signatureFinding(
  command: string,
  word: number,
  facts: Pick<RepositoryFacts, 'settings'> | undefined,
  user: GitUserFacts,
): Finding | undefined {
  const names = Object.hasOwn(SIGNING, command) ? SIGNING[command]! : [];
  const name = names.find((one) => isOn(one, [...user.settings, ...(facts?.settings ?? [])]));
  return name === undefined
    ? undefined
    : projectCode(word, `git ${command} signs here because of the setting ${name}, and starts a program for it`);
}

/** The last value of a setting counts. */
function isOn(name: string, settings: readonly RepositorySetting[]): boolean {
  const last = settings.findLast((setting) => setting.name === name && setting.subsection === undefined);
  return last !== undefined && !OFF.test(last.value);
}
