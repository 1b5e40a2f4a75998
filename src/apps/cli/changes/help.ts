/** The help of `changes`, `undo` and `redo`, which belong together. */
export const CHANGES_HELP = `pincer changes, undo, redo: what was written in a workspace, and the way back

  pincer changes                          the newest changes: id, how long ago, who, with what, which files, lines
  pincer changes <id>                     one change with its diff
  pincer undo                             take the newest change back
  pincer undo <id>                        take this change back
  pincer undo --since <time>              take back everything since then, all or nothing
  pincer undo --agent <id> [--since …]    take back everything that this agent did (since then), all or nothing
  pincer redo [<id>]                      take the newest undo back, or that of this change

  --since <time>        an ISO time, or how long ago: 90s, 10m, 2h, 1d
  --agent <id>          only changes of this agent
  --conversation <id>   only changes of this conversation
  --path <path>         only changes of this file or folder
  --limit <n>           changes: at most so many (20)
  --diff                changes: with the diff of each
  --dry-run             undo, redo: show what would be written, write nothing
  --workspace <dir>     the workspace (the working folder)
  --no-workspace-only   take back what was written outside of the workspace, too
  --protect none        take back what was written inside of .git, too
  --json, --human       the form of the answer (human on a terminal, JSON in a pipe)

  The start of an id is enough where it names one change. An undo is refused when a file is not as the change left it;
  the answer shows what happened since, and what going back would do.

  exit 0 done, 1 refused or nothing to do, 2 wrong arguments, 3 a file or the record cannot be read or written
`;
