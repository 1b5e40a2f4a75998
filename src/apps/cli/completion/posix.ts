/** Shared by bash and zsh: a table of candidates, and a parser of the words before the cursor. */
import type { Choice, Completes, Scope } from './scopes.ts';

/** The table as a shell function: takes a key, sets `found`. */
export function tableOf(scopes: readonly Scope[], write: (choices: readonly Choice[]) => string): string {
  const rows = scopes.flatMap(({ path, next, flags, words, opens }) => [
    ...(next.length === 0
      ? []
      : [row(`next ${path}`, write(next)), row(`is ${path}`, next.map(({ word }) => word).join(' '))]),
    row(`flags ${path}`, write(flags)),
    ...(words.length === 0 ? [] : [row(`words ${path}`, kindOf(words, write))]),
    ...(opens ? [row(`opens ${path}`, 'yes')] : []),
    ...flags.flatMap(({ word, value }) =>
      value === undefined ? [] : [row(`value ${path} ${word}`, value.length === 0 ? 'none' : kindOf(value, write))],
    ),
  ]);
  return `_pincer_table() {\n  found=\n  case "$1" in\n${rows.join('')}  esac\n}\n`;
}

function row(key: string, value: string): string {
  return `    '${key}') found=${quoted(value)} ;;\n`;
}

function kindOf(completes: Completes, write: (choices: readonly Choice[]) => string): string {
  if (typeof completes === 'string') return completes;
  return `words\n${write(completes.map((word) => ({ word, summary: '' })))}`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * `_pincer_read` parses the words before the cursor: command and verb (`scope`), a flag that needs a value (`flag`), whether
 * flags have ended (`over`), and the number of positionals (`count`). `_pincer_kind` then sets what the current word may be.
 */
export const READER = `_pincer_read() {
  scope= flag= over= count=0
  while [ $# -gt 0 ]; do
    if [ -n "$over" ]; then
      count=$((count + 1))
    else
      case "$1" in
        --) over=yes ;;
        --*=*) ;;
        -?*)
          _pincer_table "value $scope $1"
          if [ -n "$found" ]; then
            if [ $# -eq 1 ]; then flag=$1; else shift; fi
          fi
          ;;
        *)
          _pincer_table "is $scope"
          case " $found " in
            *" $1 "*) scope="\${scope:+$scope }$1" ;;
            *)
              count=$((count + 1))
              _pincer_table "opens $scope"
              over=$found
              ;;
          esac
          ;;
      esac
    fi
    shift
  done
}

_pincer_kind() {
  if [ -n "$flag" ]; then
    _pincer_table "value $scope $flag"
    return
  fi
  if [ -z "$over" ]; then
    case "$1" in
      -*)
        _pincer_table "flags $scope"
        found="words
$found"
        return
        ;;
    esac
    _pincer_table "next $scope"
    if [ -n "$found" ]; then
      found="words
$found"
      return
    fi
  fi
  _pincer_table "opens $scope"
  if [ -n "$found" ] && [ "$count" -gt 0 ]; then
    found=file
    return
  fi
  _pincer_table "words $scope"
}
`;
