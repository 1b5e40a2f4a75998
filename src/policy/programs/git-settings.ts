/** Settings of a repository that cannot make git start a program. */
import type { RepositorySetting } from '../../wire/policy.ts';
import { localWord, type Remotes, remotesOf } from './git-remotes.ts';

const HARMLESS = new Set(
  `
  core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf
  core.eol core.safecrlf core.abbrev core.quotepath core.longpaths core.preloadindex core.untrackedcache core.compression core.sparsecheckout
  core.sparsecheckoutcone core.commentchar core.checkstat core.trustctime core.protectntfs core.protecthfs
  remote.fetch remote.tagopt remote.prune remote.mirror remote.gh-resolved remote.pushdefault
  branch.remote branch.merge branch.rebase branch.description branch.pushremote branch.vscode-merge-base branch.gh-merge-base
  branch.github-pr-owner-number branch.autosetuprebase branch.autosetupmerge
  user.name user.email user.useconfigonly init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags
  fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph rebase.autostash rebase.autosquash rebase.updaterefs
  merge.ff merge.conflictstyle merge.stat merge.renames diff.renames diff.algorithm diff.colormoved diff.mnemonicprefix diff.noprefix diff.context
  diff.binary diff.xfuncname diff.funcname diff.wordregex diff.cachetextconv filter.required
  status.short status.branch status.showuntrackedfiles log.date log.abbrevcommit log.decorate log.follow
  color.ui color.status color.branch color.diff color.interactive advice.detachedhead
  gc.auto gc.autodetach maintenance.auto maintenance.strategy index.version feature.manyfiles pack.threads
  extensions.objectformat extensions.worktreeconfig extensions.refstorage
  lfs.repositoryformatversion submodule.active submodule.url submodule.branch submodule.update blame.ignorerevsfile
`
    .trim()
    .split(/\s+/),
);

/** With these, every command may fetch missing objects from a remote, which must not be on this machine. */
const PARTIAL_CLONE = new Set(['remote.promisor', 'remote.partialclonefilter', 'extensions.partialclone']);

/** Addresses of other repositories: no helper (`ext::…`), no option. */
const ADDRESS = new Set(['remote.url', 'remote.pushurl', 'submodule.url']);
const PLAIN_ADDRESS = /^(?!-)(?!.*::)[^\s]*$/;

/** The first setting with which a repository could make git start a program; `isOff` selects those that this call overrides. */
export function unusualSetting(
  settings: readonly RepositorySetting[],
  isOff: (setting: RepositorySetting) => boolean,
): RepositorySetting | undefined {
  const remotes = remotesOf(settings);
  return settings.find((setting) => !isPlain(setting, remotes) && !isOff(setting));
}

/** The name of a setting as git displays it. */
export function fullName({ name, subsection }: RepositorySetting): string {
  if (subsection === undefined) return name;
  const dot = name.indexOf('.');
  return `${name.slice(0, dot)}.${subsection}${name.slice(dot)}`;
}

function isPlain({ name, subsection, value }: RepositorySetting, remotes: Remotes): boolean {
  if (ADDRESS.has(name)) return PLAIN_ADDRESS.test(value);
  if (name === 'submodule.update') return !value.startsWith('!');
  if (PARTIAL_CLONE.has(name)) return localWord(subsection ?? value, remotes) === undefined;
  return HARMLESS.has(name);
}
