import { READER, tableOf } from './posix.ts';
import type { Scope } from './scopes.ts';

/** Works without the bash-completion package. */
export function bashScript(scopes: readonly Scope[]): string {
  const table = tableOf(scopes, (choices) => choices.map(({ word }) => word).join('\n'));
  return `# bash completion for pincer: eval "$(pincer completion bash)"
${table}
${READER}
_pincer() {
  local found scope flag over count word before=() current=\${COMP_WORDS[COMP_CWORD]} IFS=$' \\t\\n'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # bash splits --kind=md at the equals sign
    [ "$word" = = ] || before+=("$word")
  done
  [ "$current" = = ] && current=
  _pincer_read "\${before[@]}"
  _pincer_kind "$current"
  COMPREPLY=()
  case "$found" in
    words*) _pincer_offer <<<"\${found#words}" ;;
    file)
      compopt -o filenames 2>/dev/null
      _pincer_offer < <(compgen -f -- "$current")
      ;;
    folder)
      compopt -o filenames 2>/dev/null
      _pincer_offer < <(compgen -d -- "$current")
      ;;
    command) _pincer_offer < <(compgen -c -- "$current") ;;
    session | approval) _pincer_offer < <("\${COMP_WORDS[0]}" completion ids "$found" 2>/dev/null) ;;
  esac
}
# Adds each line literally: a* is not expanded, and $(...) is not run.
_pincer_offer() {
  local line
  while IFS= read -r line; do
    case "$found" in
      # compgen splits a name with a newline; the parts are not files.
      file | folder) [[ -e $line || -L $line || $line == "~"* ]] || continue ;;
      command) ;;
      *) [[ -n $line && $line == "$current"* ]] || continue ;;
    esac
    COMPREPLY+=("$line")
  done
}
complete -F _pincer pincer
`;
}
