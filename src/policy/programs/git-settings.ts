/** Settings of a repository: which ones cannot make git start a program, and which ones the forced settings switch off. */
import type { RepositoryFacts, RepositorySetting } from '../../wire/policy.ts';

const HARMLESS = new Set(
  `
  core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf
  core.eol core.safecrlf core.abbrev core.quotepath core.longpaths core.preloadindex core.untrackedcache core.compression core.sparsecheckout
  core.sparsecheckoutcone core.commentchar core.checkstat core.trustctime core.protectntfs core.protecthfs
  remote.fetch remote.tagopt remote.prune remote.mirror remote.promisor remote.partialclonefilter remote.gh-resolved remote.pushdefault
  branch.remote branch.merge branch.rebase branch.description branch.pushremote branch.vscode-merge-base branch.gh-merge-base
  branch.github-pr-owner-number branch.autosetuprebase branch.autosetupmerge
  user.name user.email user.useconfigonly init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags
  fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph rebase.autostash rebase.autosquash rebase.updaterefs
  merge.ff merge.conflictstyle merge.stat merge.renames diff.renames diff.algorithm diff.colormoved diff.mnemonicprefix diff.noprefix diff.context
  status.short status.branch status.showuntrackedfiles status.submodulesummary log.date log.abbrevcommit log.decorate log.follow
  color.ui color.status color.branch color.diff color.interactive advice.detachedhead
  gc.auto gc.autodetach maintenance.auto maintenance.strategy index.version feature.manyfiles pack.threads
  extensions.objectformat extensions.worktreeconfig extensions.partialclone extensions.refstorage
  lfs.repositoryformatversion submodule.active submodule.url submodule.branch submodule.update blame.ignorerevsfile
`
    .trim()
    .split(/\s+/),
);

/** Addresses of other repositories: no helper (`ext::…`), no option. */
const ADDRESS = new Set(['remote.url', 'remote.pushurl', 'submodule.url']);
const PLAIN_ADDRESS = /^(?!-)(?!.*::)[^\s]*$/;

/** Settings that the forced ones replace; those of drivers are switched off by options. */
const REPLACED = new Set(
  'core.fsmonitor core.hookspath core.pager core.editor sequence.editor commit.gpgsign tag.gpgsign push.gpgsign gpg.program log.showsignature'.split(
    ' ',
  ),
);
const DRIVERS = new Set(
  'diff.external diff.textconv diff.command diff.cachetextconv diff.binary diff.xfuncname diff.wordregex'.split(' '),
);
const FILTERS = new Set('filter.clean filter.smudge filter.process filter.required'.split(' '));

/** Commands that show content and store nothing: their filters can be switched off. */
export const READING = new Set(
  'status log diff show blame annotate ls-files ls-tree rev-parse rev-list describe shortlog branch tag reflog grep cat-file for-each-ref show-ref'.split(
    ' ',
  ),
);

/** The first setting by which a repository could make this command start a program; undefined where there is none. */
export function unusualSetting(
  { settings }: RepositoryFacts,
  command: string,
  isForced: boolean,
): RepositorySetting | undefined {
  return settings.find((setting) => !isPlain(setting) && !(isForced && isSwitchedOff(setting, command)));
}

function isPlain({ name, value }: RepositorySetting): boolean {
  if (ADDRESS.has(name)) return PLAIN_ADDRESS.test(value);
  if (name === 'submodule.update') return !value.startsWith('!');
  return HARMLESS.has(name);
}

function isSwitchedOff({ name }: RepositorySetting, command: string): boolean {
  if (REPLACED.has(name)) return true;
  return READING.has(command) && (DRIVERS.has(name) || FILTERS.has(name));
}

const FORCED = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.editor=false',
  'sequence.editor=false',
  'safe.bareRepository=explicit',
  'protocol.ext.allow=never',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'gpg.program=false',
  'log.showSignature=false',
];
const WITHOUT_DRIVERS: Readonly<Record<string, readonly string[]>> = {
  diff: ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv'],
  show: ['--no-ext-diff', '--no-textconv'],
  blame: ['--no-textconv'],
};

/** The arguments with which git runs: settings of the repository that start programs are replaced. `at` is the command's place. */
export function forcedArguments(
  args: readonly string[],
  at: number,
  facts: RepositoryFacts | undefined,
): readonly string[] {
  const command = args[at] ?? '';
  const filters = READING.has(command) ? (facts?.settings ?? []).filter(({ name }) => FILTERS.has(name)) : [];
  const drivers = new Set(filters.map(({ subsection }) => subsection ?? ''));
  const emptied = [...drivers].flatMap((driver) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].map((entry) => `filter.${driver}.${entry}`),
  );
  return [
    ...[...FORCED, ...emptied].flatMap((setting) => ['-c', setting]),
    ...args.slice(0, at + 1),
    ...(Object.hasOwn(WITHOUT_DRIVERS, command) ? WITHOUT_DRIVERS[command]! : []),
    ...args.slice(at + 1),
  ];
}
