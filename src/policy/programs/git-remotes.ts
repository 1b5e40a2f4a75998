/**
 * Commands of git that talk to another repository. One on this machine runs its own hooks and settings, without the forced
 * ones, so only addresses of a network and remotes that have one are plain.
 */
import type { RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';

/** Of each command the options that take the next word as their value. Any other word may be the repository. */
const VALUED: Readonly<Record<string, string>> = {
  clone: '-b --branch -j --jobs -o --origin --depth --shallow-since --shallow-exclude --filter',
  fetch: '-j --jobs --depth --deepen --shallow-since --shallow-exclude --negotiation-tip',
  pull: '--depth --deepen --shallow-since --shallow-exclude',
  push: '-o --push-option',
  'ls-remote': '--sort',
};

/** Commands whose first word is a repository; without one they use the configured remotes. */
const TALKING = new Set('clone fetch pull push ls-remote'.split(' '));
/** `git remote …` that contacts the remotes. */
const ASKS_REMOTES = new Set('update show prune set-head'.split(' '));
const FETCHING = new Set(['fetch', 'pull', 'remote']);
/** The endings that `git clone` tries at a path, shortest forms only: a longer one needs the shorter to exist. */
const TRIED_BY_CLONE = ['', '.git', '.bundle'];
/** With these, every word is a repository. */
const MANY = new Set(['--multiple']);

/** The host in `https://user@host:1/path`, in the forms that every program reads in the same way. */
const NETWORK =
  /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/(?:[\w.~%!$&'()*+,;=:-]*@)?([a-z0-9][a-z0-9.-]*)(?::\d*)?(?:\/[^\s]*)?$/i;
/** The host in `user@host:path`, as ssh takes it. A slash in front of the colon makes it a path. */
const SCP_LIKE = /^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!:|\/\/)[^\s]*$/;

/** Numbers are addresses in several spellings; other names of this machine than `localhost` are not known here. */
const NUMBERS = /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?$/i;
const FOUR_NUMBERS = /^[1-9]\d{0,2}(?:\.(?:0|[1-9]\d{0,2})){3}$/;
/** An ssh server here would run the hooks as well. */
const HERE = /^(?:127\.|(?:.*\.)?localhost\.?$)/i;

/** Whether an address leads over a network. Only `git clone` prefers a path of the same spelling. */
export function isNetworkAddress(address: string): boolean {
  const host = (NETWORK.exec(address) ?? SCP_LIKE.exec(address))?.[1];
  return host !== undefined && !HERE.test(host) && (FOUR_NUMBERS.test(host) || !NUMBERS.test(host));
}

/** For each remote that has an address: the first one that may be on this machine, or undefined. */
export type Remotes = ReadonlyMap<string | undefined, string | undefined>;

/** The remotes of a repository, looked up by their names. */
export function remotesOf(settings: readonly RepositorySetting[]): Remotes {
  const remotes = new Map<string | undefined, string | undefined>();
  for (const { name, subsection, value } of settings) {
    if (name !== 'remote.url' && name !== 'remote.pushurl') continue;
    remotes.set(subsection, remotes.get(subsection) ?? (isNetworkAddress(value) ? undefined : value));
  }
  return remotes;
}

/** The first repository on this machine, or of an unknown kind, that the command would talk to. `rest` follows the command. */
export function localRepository(
  command: string,
  rest: readonly string[],
  facts: RepositoryFacts | undefined,
  exists: (path: string) => boolean,
): string | undefined {
  const own = localNamed(command, rest, facts?.settings ?? [], exists);
  if (own !== undefined || !FETCHING.has(command)) return own;
  // A fetch goes on in submodules, with their remotes.
  return facts?.nested?.map(({ settings }) => localRemote(settings)).find((address) => address !== undefined);
}

function localNamed(
  command: string,
  rest: readonly string[],
  settings: readonly RepositorySetting[],
  exists: (path: string) => boolean,
): string | undefined {
  const remotes = remotesOf(settings);
  const words = operands(rest, VALUED[command]?.split(' ') ?? []);
  if (command === 'remote') return ASKS_REMOTES.has(words[0] ?? '') ? localRemote(settings) : undefined;
  if (command === 'request-pull') return words[1] === undefined ? undefined : localWord(words[1], remotes);
  if (command === 'archive') return rest.find((arg) => arg.startsWith('--remote'));
  if (!TALKING.has(command)) return undefined;
  if (command === 'clone') return words[0] === undefined || isCloned(words[0], exists) ? undefined : words[0];
  if (rest.some((arg) => MANY.has(arg)))
    return localRemote(settings) ?? words.find((word) => localWord(word, remotes) !== undefined);
  return words[0] === undefined ? localRemote(settings) : localWord(words[0], remotes);
}

function operands(rest: readonly string[], valued: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i]!;
    if (arg === '--') return [...found, ...rest.slice(i + 1)];
    if (valued.includes(arg)) i++;
    else if (!arg.startsWith('-')) found.push(arg);
  }
  return found;
}

/** Whether `git clone` takes this word for an address of a network: whatever is at a path of the same spelling comes first. */
function isCloned(word: string, exists: (path: string) => boolean): boolean {
  return isNetworkAddress(word) && !TRIED_BY_CLONE.some((ending) => exists(word + ending));
}

/** A word is the name of a remote, an address, or a path. Gives what it leads to on this machine. */
export function localWord(word: string, remotes: Remotes): string | undefined {
  if (remotes.has(word)) return remotes.get(word);
  return isNetworkAddress(word) ? undefined : word;
}

/**
 * Without a word git takes the remote of the branch, which may be an address by itself, or one of the others. A remote without
 * an address is a path.
 */
function localRemote(settings: readonly RepositorySetting[]): string | undefined {
  const remotes = remotesOf(settings);
  for (const { name, subsection, value } of settings) {
    const isPointer = /^(?:branch\.(?:push)?remote|remote\.pushdefault)$/.test(name);
    const word = isPointer ? value : name.startsWith('remote.') ? subsection : undefined;
    const local = word === undefined ? undefined : localWord(word, remotes);
    if (local !== undefined) return local;
  }
  return undefined;
}
