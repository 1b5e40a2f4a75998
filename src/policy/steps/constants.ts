/** Constants of a compound command: `NAME=text` as a step of its own. Their uses are replaced; no program sees them. */
import { isProgramVariable } from '../environment-names.ts';

/** Variables that a shell sets or obeys. */
const OF_SHELL: ReadonlySet<string> = new Set(
  (
    'BASH BASHOPTS BASHPID CDPATH CHILD_MAX COLUMNS COMPREPLY COMP_CWORD COMP_KEY COMP_LINE COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_WORDS ' +
    'COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS ' +
    'HISTCMD HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC INSIDE_EMACS ' +
    'LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PIPESTATUS POSIXLY_CORRECT PPID ' +
    'PROMPT_COMMAND PROMPT_DIRTRIM PWD RANDOM READLINE_ARGUMENT READLINE_LINE READLINE_MARK READLINE_POINT REPLY SECONDS SHELLOPTS SHLVL SRANDOM ' +
    'TIMEFORMAT TMOUT UID auto_resume histchars'
  ).split(' '),
);

/** Whether a shell would only remember the value: no program and no shell obeys a variable of this name. */
export function isConstantName(name: string): boolean {
  return !isProgramVariable(name) && !OF_SHELL.has(name) && !/^(?:BASH_|PS\d)/.test(name);
}
