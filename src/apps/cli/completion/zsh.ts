import { READER, tableOf } from './posix.ts';
import type { Choice, Scope } from './scopes.ts';

export function zshScript(scopes: readonly Scope[]): string {
  return `#compdef pincer
# zsh completion for pincer: eval "$(pincer completion zsh)" after compinit
${tableOf(scopes, (choices) => choices.map(describedWord).join('\n'))}
${READER}
_pincer() {
  local found scope flag over count current=\${words[CURRENT]}
  local -a before choices
  before=("\${(@)words[2,CURRENT-1]}")
  if [[ $current == --*=* ]]; then
    before+=("\${current%%=*}")
    compset -P '*='
    current=\${current#*=}
  fi
  _pincer_read "\${before[@]}"
  _pincer_kind "$current"
  case "$found" in
    words*)
      choices=("\${(@f)\${found#words?}}")
      _describe -V pincer choices
      ;;
    file) _files ;;
    folder) _files -/ ;;
    command) _command_names -e ;;
    session | approval)
      choices=("\${(@f)$("\${words[1]}" completion ids "$found" 2>/dev/null)}")
      compadd -V pincer -a choices
      ;;
  esac
}
if [ "\${funcstack[1]}" = _pincer ]; then _pincer "$@"; else compdef _pincer pincer; fi
`;
}

function describedWord({ word, summary }: Choice): string {
  const name = word.replaceAll(':', '\\:');
  return summary === '' ? name : `${name}:${summary}`;
}
