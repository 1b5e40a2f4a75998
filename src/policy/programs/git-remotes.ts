/**
 * Git commands that contact another repository. A repository on this machine runs its own hooks and settings, without the
 * forced ones. So only network addresses, and remotes that have one, are harmless.
 */
import type { RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';

/** Options of each command that take the next argument as their value. Any other argument may be the repository. */
const VALUED: Readonly<Record<string, string>> = {
  clone: '-b --branch -j --jobs -o --origin --depth --shallow-since --shallow-exclude --filter',
  fetch: '-j --jobs --depth --deepen --shallow-since --shallow-exclude --negotiation-tip',
  pull: '--depth --deepen --shallow-since --shallow-exclude',
  push: '-o --push-option',
  'ls-remote': '--sort',
};

/** Commands whose first operand is a repository; without one they use the configured remotes. */
const CONTACTING = new Set('clone fetch pull push ls-remote'.split(' '));
/** Subcommands of `git remote` that contact the remotes. */
const CONTACTING_REMOTES = new Set('update show prune set-head'.split(' '));
const FETCHING = new Set(['fetch', 'pull', 'remote']);
/** Suffixes that `git clone` tries at a path, only the shortest: a longer one requires the shorter one to exist. */
const TRIED_BY_CLONE = ['', '.git', '.bundle'];
/** With these, every operand is a repository. */
const MANY = new Set(['--multiple']);

/** The host in `https://user@host:1/path`, in the forms that every program parses alike. */
const NETWORK =
  /^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\/(?:[\w.~%!$&'()*+,;=:-]*@)?([a-z0-9][a-z0-9.-]*)(?::\d*)?(?:\/[^\s]*)?$/i;
/** The host in `user@host:path`, as ssh parses it. A slash before the colon makes it a path. */
const SCP_LIKE = /^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!:|\/\/)[^\s]*$/;

/** Numeric addresses have several spellings. Other names of this machine than `localhost` are not known here. */
const NUMBERS = /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?$/i;
const FOUR_NUMBERS = /^[1-9]\d{0,2}(?:\.(?:0|[1-9]\d{0,2})){3}$/;
/** An ssh server on this machine would run the hooks as well. */
const HERE = /^(?:127\.|(?:.*\.)?localhost\.?$)/i;

/** Whether an address leads over a network. Only `git clone` prefers a path of the same spelling. */
export function isNetworkAddress(address: string): boolean {
  const host = (NETWORK.exec(address) ?? SCP_LIKE.exec(address))?.[1];
  return host !== undefined && !HERE.test(host) && (FOUR_NUMBERS.test(host) || !NUMBERS.test(host));
}

/** For each remote with an address: its first address that may be on this machine, or undefined. */
export type Remotes = ReadonlyMap<string | undefined, string | undefined>;

export function remotesOf(settings: readonly RepositorySetting[]): Remotes {
  const remotes = new Map<string | undefined, string | undefined>();
  for (const { name, subsection, value } of settings) {
    if (name !== 'remote.url' && name !== 'remote.pushurl') continue;
    remotes.set(subsection, remotes.get(subsection) ?? (isNetworkAddress(value) ? undefined : value));
  }
  return remotes;
}

/** The first repository that the command contacts and that may be on this machine. `rest` follows the command. */
export function localRepository(
  command: string,
  rest: readonly string[],
  facts: RepositoryFacts | undefined,
  exists: (path: string) => boolean,
): string | undefined {
  const own = localNamed(command, rest, facts?.settings ?? [], exists);
  if (own !== undefined || !FETCHING.has(command)) return own;
  // A fetch continues in submodules, with their remotes.
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
  if (command === 'remote') return CONTACTING_REMOTES.has(words[0] ?? '') ? localRemote(settings) : undefined;
  if (command === 'request-pull') return words[1] === undefined ? undefined : localWord(words[1], remotes);
  if (command === 'archive') return rest.find((arg) => arg.startsWith('--remote'));
  if (!CONTACTING.has(command)) return undefined;
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

/** Whether `git clone` uses this argument as a network address: an existing path of the same spelling comes first. */
function isCloned(word: string, exists: (path: string) => boolean): boolean {
  return isNetworkAddress(word) && !TRIED_BY_CLONE.some((ending) => exists(word + ending));
}

/** An operand is the name of a remote, an address, or a path. Returns what it means on this machine. */
export function localWord(word: string, remotes: Remotes): string | undefined {
  if (remotes.has(word)) return remotes.get(word);
  return isNetworkAddress(word) ? undefined : word;
}

/**
 * Without an operand, git uses the remote of the branch, which may itself be an address, or one of the others. A remote without
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
