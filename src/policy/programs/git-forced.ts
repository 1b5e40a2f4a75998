/**
 * What is added to a judged call of git, and by that which settings of the repository do not hold for it. Both come from the
 * same rows: a setting is off only where its full name is forced for this very call.
 */
import type { RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';
import { fullName } from './git-settings.ts';

/** Settings of every call. Names are matched without case. */
const SETTINGS: readonly RepositorySetting[] = [
  { name: 'core.fsmonitor', value: 'false' },
  { name: 'core.hooksPath', value: '/dev/null' },
  { name: 'core.pager', value: 'cat' },
  { name: 'core.editor', value: 'false' },
  { name: 'sequence.editor', value: 'false' },
  { name: 'safe.bareRepository', value: 'explicit' },
  { name: 'protocol.allow', subsection: 'ext', value: 'never' },
  { name: 'commit.gpgSign', value: 'false' },
  { name: 'tag.gpgSign', value: 'false' },
  { name: 'push.gpgSign', value: 'false' },
  { name: 'gpg.program', value: 'false' },
  { name: 'gpg.program', subsection: 'openpgp', value: 'false' },
  { name: 'gpg.program', subsection: 'x509', value: 'false' },
  { name: 'gpg.program', subsection: 'ssh', value: 'false' },
  { name: 'log.showSignature', value: 'false' },
  // Otherwise git starts another git in submodules, also in those of older commits.
  { name: 'diff.submodule', value: 'short' },
  { name: 'status.submoduleSummary', value: 'false' },
];

/** Commands that only show: they change neither files nor branches. */
export const READING: ReadonlySet<string> = new Set(
  'status log diff show blame annotate ls-files ls-tree rev-parse rev-list describe shortlog grep cat-file for-each-ref show-ref'.split(
    ' ',
  ),
);
/** Commands that store no content: a filter that is empty changes no object. */
const STORING_NOTHING = new Set([...READING, 'branch', 'tag', 'reflog']);
const FILTERS = new Set(['filter.clean', 'filter.smudge', 'filter.process']);
/** Filters whose names git takes from `-c` as they are: it ends a name at the first `=`. */
const PLAIN_FILTER = /^[A-Za-z0-9._-]+$/;

/** Options that switch off settings which no other setting can. */
const SWITCHED_OFF_BY: Readonly<Record<string, readonly string[]>> = {
  '--no-ext-diff': ['diff.external', 'diff.command'],
  '--no-textconv': ['diff.textconv'],
};
/** Commands that take these options as their first words, whatever follows. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  diff: ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv'],
  show: ['--no-ext-diff', '--no-textconv'],
  blame: ['--no-ext-diff', '--no-textconv'],
  annotate: ['--no-ext-diff', '--no-textconv'],
};

/** What is added to a call. */
export interface Forced {
  /** The settings as arguments: `-c`, `core.pager=cat`. */
  readonly settings: readonly string[];
  /** The same settings, looked up by `keyOf`. */
  readonly keys: ReadonlySet<string>;
  readonly options: readonly string[];
}

/** Prepared once: most calls get exactly these. */
const FOR_EVERY_CALL = forcedSettings(SETTINGS);

/** What is added to a command in this repository. */
export function forcedFor(command: string, facts: RepositoryFacts | undefined): Forced {
  const filters = STORING_NOTHING.has(command) ? emptyFilters(facts?.settings ?? []) : [];
  return {
    ...(filters.length === 0 ? FOR_EVERY_CALL : forcedSettings([...SETTINGS, ...filters])),
    options: Object.hasOwn(OPTIONS, command) ? OPTIONS[command]! : [],
  };
}

function forcedSettings(settings: readonly RepositorySetting[]): Pick<Forced, 'settings' | 'keys'> {
  return {
    settings: settings.flatMap((setting) => ['-c', `${fullName(setting)}=${setting.value}`]),
    keys: new Set(settings.map(keyOf)),
  };
}

/** Whether a setting of the repository does not hold for a call with this. */
export function isForcedOff(setting: RepositorySetting, { keys, options }: Forced): boolean {
  return keys.has(keyOf(setting)) || options.some((option) => SWITCHED_OFF_BY[option]?.includes(setting.name) === true);
}

/** The arguments with which git runs. `at` is the place of the command. */
export function withForced(args: readonly string[], at: number, { settings, options }: Forced): readonly string[] {
  return [...settings, ...args.slice(0, at + 1), ...options, ...args.slice(at + 1)];
}

/** Names are without case; a subsection is as it is written, and an empty one is not the same as none. */
function keyOf({ name, subsection }: RepositorySetting): string {
  return JSON.stringify([name.toLowerCase(), subsection]);
}

function emptyFilters(settings: readonly RepositorySetting[]): readonly RepositorySetting[] {
  const names = new Set(
    settings
      .filter(({ name, subsection }) => FILTERS.has(name) && PLAIN_FILTER.test(subsection ?? ''))
      .map(({ subsection }) => subsection!),
  );
  return [...names].flatMap((subsection) => [
    ...[...FILTERS].map((name) => ({ name, subsection, value: '' })),
    { name: 'filter.required', subsection, value: 'false' },
  ]);
}
