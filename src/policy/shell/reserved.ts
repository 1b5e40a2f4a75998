/** Reserved words of bash and zsh: at the start of a command they are syntax. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  '! { } [[ ]] (( if then else elif fi case esac for select while until do done in function time coproc foreach repeat end nocorrect noglob'.split(
    ' ',
  ),
);

/** Builtins that act on the shell itself. A file of the same name does something else. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': . alias autoload bg bind bindkey break builtin caller cd chdir command compadd compctl compgen complete compopt continue declare dirs ' +
    'disable disown emulate enable eval exec exit export fc fg float functions getln getopts hash help history integer jobs let limit ' +
    'local logout mapfile popd print pushd pushln read readarray readonly rehash return sched set setopt shift shopt source suspend ' +
    'times trap ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence where zcompile ' +
    'zformat zle zmodload zparseopts zstyle'
  ).split(' '),
);
