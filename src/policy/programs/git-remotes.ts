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
/** With these, every word is a repository. */
const MANY = new Set(['--multiple']);

const NETWORK = /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/[A-Za-z0-9][^\s]*$/i;
/** `user@host:path`, as ssh takes it. A slash in front of the colon makes it a path. */
const SCP_LIKE = /^(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!:|\/\/)[^\s]*$/;

/** Names of this machine: an ssh server here would run the hooks as well. */
const HERE = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]*@)?(?:localhost|127\.|0\.|\[)/i;

/** Whether an address leads over a network, whatever lies in the working folder. */
export function isNetworkAddress(address: string): boolean {
  return (NETWORK.test(address) || SCP_LIKE.test(address)) && !HERE.test(address);
}

/** The first repository on this machine, or of an unknown kind, that the command would talk to. `rest` follows the command. */
export function localRepository(
  command: string,
  rest: readonly string[],
  facts: RepositoryFacts | undefined,
): string | undefined {
  const own = localNamed(command, rest, facts?.settings ?? []);
  if (own !== undefined || !FETCHING.has(command)) return own;
  // A fetch goes on in submodules, with their remotes.
  return facts?.nested?.map(({ settings }) => localRemote(settings)).find((address) => address !== undefined);
}

function localNamed(
  command: string,
  rest: readonly string[],
  settings: readonly RepositorySetting[],
): string | undefined {
  const words = operands(rest, VALUED[command]?.split(' ') ?? []);
  if (command === 'remote') return ASKS_REMOTES.has(words[0] ?? '') ? localRemote(settings) : undefined;
  if (command === 'request-pull') return words[1] === undefined ? undefined : localWord(words[1], settings);
  if (command === 'archive') return rest.find((arg) => arg.startsWith('--remote'));
  if (!TALKING.has(command)) return undefined;
  if (command === 'clone') return words[0] === undefined || isNetworkAddress(words[0]) ? undefined : words[0];
  if (rest.some((arg) => MANY.has(arg)))
    return localRemote(settings) ?? words.find((word) => localWord(word, settings) !== undefined);
  return words[0] === undefined ? localRemote(settings) : localWord(words[0], settings);
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

/** A word is the name of a remote, an address, or a path. Gives what it leads to on this machine. */
export function localWord(word: string, settings: readonly RepositorySetting[]): string | undefined {
  const addresses = settings
    .filter(({ name, subsection }) => /^remote\.(?:push)?url$/.test(name) && subsection === word)
    .map(({ value }) => value);
  if (addresses.length > 0) return addresses.find((address) => !isNetworkAddress(address));
  return isNetworkAddress(word) ? undefined : word;
}

/**
 * Without a word git takes the remote of the branch, which may be an address by itself, or one of the others. A remote without
 * an address is a path.
 */
function localRemote(settings: readonly RepositorySetting[]): string | undefined {
  for (const { name, subsection, value } of settings) {
    const isPointer = /^(?:branch\.(?:push)?remote|remote\.pushdefault)$/.test(name);
    const word = isPointer ? value : name.startsWith('remote.') ? subsection : undefined;
    const local = word === undefined ? undefined : localWord(word, settings);
    if (local !== undefined) return local;
  }
  return undefined;
}
