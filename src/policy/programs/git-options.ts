/**
 * Long options of git that start no program and write no file that the command does not name. Git accepts unambiguous
 * abbreviations, so only full names count. An unlisted option needs approval.
 */
export const KNOWN_OPTIONS: ReadonlySet<string> = new Set(
  `
  3way abbrev abbrev-commit abbrev-ref abort absolute-git-dir add after after-context aggressive ahead-behind all all-match allow-empty
  allow-empty-message allow-unrelated-histories always amend ancestry-path anchored and annotate annotate-stdin append assume-unchanged atomic
  attach author author-date-order auto autostash bare basic-regexp batch batch-all-objects batch-check before before-context binary bisect
  bool boundary branch branches break break-rewrites broken buffer build-options cached candidates cc check cherry cherry-mark cherry-pick children chmod
  cleanup color color-moved color-moved-ws color-words column combined-all-paths commit committer committer-date-is-author-date compact-summary
  cone conflict connectivity-only contains context continue copy count cover-letter create create-reflog cumulative current dangling
  date date-order decorate decorate-refs decorate-refs-exclude deduplicate deepen default delete deleted dense depth dereference
  describe detach diff-algorithm diff-filter diff-merges directory dirstat dirstat-by-file dirty discard-changes disk-usage dissociate do-walk
  dry-run dst-prefix email empty-directory encoding eol error-unmatch exact-match exclude exclude-per-directory exclude-standard exists
  exit-code expand-tabs extended-regexp ff ff-only file files-with-matches files-without-match filter find-copies find-copies-harder
  find-object find-renames first-parent fixed-strings fixup follow follow-symlinks follow-tags force force-create force-if-includes
  force-with-lease fork-point format full full-history full-index full-name full-tree function-context git-common-dir git-dir
  glob graph grep grep-reflog group guess guess-remote hard hash header heading heads histogram human-readable ignore-all-space
  ignore-blank-lines ignore-case ignore-cr-at-eol ignore-date ignore-errors ignore-matching-lines ignore-missing ignore-other-worktrees
  ignore-removal ignore-rev ignore-skip-worktree-bits ignore-space-at-eol ignore-space-change ignore-submodules ignore-unmatch
  ignore-unmerged ignore-whitespace ignored include include-untracked incremental indent-heuristic index index-info initial-branch inline
  int intent-to-add inter-hunk-context into-name invert-grep invert-match ipv4 ipv6 irreversible-delete is-bare-repository is-inside-git-dir
  is-inside-work-tree is-shallow-repository ita-invisible-in-index ita-visible-in-index jobs keep keep-base keep-index
  keep-redundant-commits killed left-only left-right line-number line-porcelain line-prefix list local local-env-vars lock log
  log-size long mailmap mainline match max-count max-depth max-parents merge merge-base merged merges message min-parents minimal
  mirror mixed modified move multiple name-only name-status negotiation-tip not notes null numbered numstat object-format object-only objects
  objects-edge oneline only only-matching onto or orphan others ours output-indicator-context output-indicator-new output-indicator-old
  overlay overwrite-ignore parents patch patch-with-raw patch-with-stat path path-format pathspec-file-nul pathspec-from-file patience perl-regexp
  pickaxe-all pickaxe-regex points-at porcelain prefix pretty progress prune prune-tags push-option quiet quit raw reapply-cherry-picks
  reason rebase rebase-merges recount recursive refresh reflog refs regexp-ignore-case relative relative-date remerge-diff remotes remove rename-empty renames
  renormalize reset reset-author reset-author-date resolve-undo reverse reuse-message revs-only right-only root rotate-to score-debug set-upstream
  set-upstream-to shallow-exclude shallow-since shared short shortstat show-cdup show-current show-email show-function show-linear-break show-name
  show-notes show-number show-object-format show-origin show-prefix show-pulls show-scope show-stash show-stats
  show-superproject-working-tree show-toplevel signature signoff simplify-by-decoration simplify-merges since since-as-filter
  single-branch skip skip-to skip-worktree soft sort source sparse sq-quote squash src-prefix stable stage staged standard-notes
  start-number strategy-option stat stat-count stat-graph-width stat-name-width stat-width status stdin stdout strict summary summary-limit
  symbolic symbolic-full-name tags text theirs thin thread threads timestamp topo-order track trailer type undefined unidiff-zero unified
  unmerged unordered unreachable unset-upstream unshallow until untracked untracked-files update update-head-ok update-refs use-mailmap
  verbose verify walk-reflogs whitespace with-tree word-diff word-diff-regex word-regexp worktree worktree-attributes write-fetch-head ws-error-highlight
  zero-commit
`
    .trim()
    .split(/\s+/),
);

/** Listed options that start a dialogue or other programs with one command, or abbreviate one that does. */
export const ASKING_OPTIONS: Readonly<Record<string, string>> = {
  add: 'patch int',
  am: 'int',
  archive: 'add',
  'cat-file': 'filter',
  checkout: 'patch',
  clone: 'recursive',
  commit: 'patch int',
  // The todo list of the rebase may be the agent's own, with `exec` in it.
  rebase: 'continue skip int',
  reset: 'patch',
  restore: 'patch',
  stash: 'patch',
  tag: 'verify local',
  // It reads ref names from its input.
  'update-ref': 'stdin',
};
