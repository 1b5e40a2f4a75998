/** The settings of a repository that decide where git sends commits and takes them from, and the hooks that run. */
import type { BoundText, Lookup, RepositorySetting } from '../../wire/policy.ts';
import { type ObeyedTexts, textIn, Unbindable, wholeFile } from './found-texts.ts';

const CONFIG = '.git/config';
const CONTACTING = new Set(['push', 'fetch', 'pull', 'ls-remote', 'remote', 'submodule']);
/** Commands that start hooks. */
const HOOKED = new Set('commit push merge rebase am checkout switch pull cherry-pick revert receive-pack'.split(' '));

/** Undefined for other programs and for commands of git without bound texts. */
export function gitTexts(
  names: ReadonlySet<string>,
  args: readonly string[],
  folder: string,
  lookup: Lookup,
): ObeyedTexts | undefined {
  if (!names.has('git')) return undefined;
  const [command = ''] = args;
  const isContacting = CONTACTING.has(command);
  if (!isContacting && !HOOKED.has(command)) return undefined;
  const facts = lookup.repositoryAt(folder);
  if (facts === undefined) return undefined;
  if (facts.unreadable !== undefined) throw new Unbindable(facts.unreadable);
  const hooks = HOOKED.has(command) ? (facts.hookFiles ?? []).map((file) => wholeFile(file, lookup)) : [];
  const remotes = isContacting ? remoteTexts(facts.settings, lookup) : [];
  return { kind: isContacting ? 'remotes' : 'hooks', texts: [...remotes, ...hooks], notBound: '' };
}

function remoteTexts(settings: readonly RepositorySetting[], lookup: Lookup): readonly BoundText[] {
  const values = new Map<string, string[]>();
  for (const { name, subsection, value } of settings) {
    const key = keyOf(name, subsection);
    if (key === undefined) continue;
    const known = values.get(key) ?? [];
    if (!(name.startsWith('branch.') && known.includes(value))) known.push(value);
    values.set(key, known);
  }
  return [...values].map(([key, all]) =>
    textIn(CONFIG, key, (key.startsWith('branch.') ? all.toSorted() : all).join('\n'), lookup),
  );
}

/** Branches come and go: only the set of remotes that they name is bound. */
function keyOf(name: string, subsection: string | undefined): string | undefined {
  if (name === 'branch.remote' || name === 'branch.pushremote') return name;
  if (!/^(?:remote|url|push|http|credential|protocol)\./u.test(name) || name === 'remote.fetch') return undefined;
  const [section = '', ...rest] = name.split('.');
  return [section, ...(subsection === undefined ? [] : [subsection]), ...rest].join('.');
}
