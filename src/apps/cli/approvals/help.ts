/** The help of `pincer approvals`. */
export const APPROVALS_HELP = `pincer approvals: what waits for a person, and what may run without being asked

  pincer approvals list [--all]               what waits for an answer; with --all what was answered, too
  pincer approvals show <id> [--env]          one of them with everything it is bound to; --env with the values
  pincer approvals allow <id> [--always]      let it run once; --always shows what is stored, and stores it
  pincer approvals deny <id>                  do not let it run
  pincer approvals watch                      live: j k choose, a allows, A allows always, d denies, q leaves

  pincer approvals allowlist list [--agent <id>]
  pincer approvals allowlist add <pattern> [--agent <id>] [--args 'log|diff --stat'] [--arg-pattern <re>] [--reason <text>]
  pincer approvals allowlist remove <id|pattern> [--agent <id>]
  pincer approvals get                        the approvals file, with the hash of its content
  pincer approvals set [file]                 replace it by what get gave (standard input unless told)

  --agent <id>          whose list; add takes * (all agents) unless told, list and remove look at all
  --args <a|b|…>        what the arguments must begin with
  --arg-pattern <re>    a regular expression for all arguments, joined by one blank
  --base-hash <hash>    set: the hash that get gave, if the document does not hold it
  --dry-run             allow --always: show what would be stored, answer nothing
  --yes                 allow --always: do not ask again before it is stored; needed where there is no terminal
  --limit <n>           list: at most so many
  --json, --human       the form of the answer (human on a terminal, JSON in a pipe)

  A pattern is a path or a glob on the real path of the program, never a bare name. The start of an id is enough where
  it names one approval. The first answer wins. Characters that cannot be seen are shown as \\u….

  exit 0 done, 1 refused or nothing there, 2 wrong arguments, 3 the daemon, the store or the file cannot be used
`;
