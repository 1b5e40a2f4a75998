import type { Choice, Completes, Scope, ScopeFlag } from './scopes.ts';

/** One `complete` line per candidate, with the condition for its position. */
export function fishScript(scopes: readonly Scope[]): string {
  return `# fish completion for pincer: pincer completion fish > ~/.config/fish/completions/pincer.fish
# whether the arguments so far start with this command and verb, ignoring flags
function __pincer_at
    set -l words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or set -a words $word
    end
    test "$words[1..$argv[1]]" = "$argv[2..-1]"
end
# whether the arguments so far are exactly this command and verb
function __pincer_next
    set -l words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or set -a words $word
    end
    test "$words" = "$argv"
end
complete -c pincer -f
${scopes.map(scopeLines).join('')}`;
}

function scopeLines({ path, next, flags, words }: Scope): string {
  const depth = path === '' ? 0 : path.split(' ').length;
  const at = depth === 0 ? '__pincer_next' : `__pincer_at ${depth} ${path}`;
  const lines = [
    ...next.map((choice) => `complete -c pincer -n ${quoted(`__pincer_next ${path}`.trim())} ${choiceText(choice)}`),
    ...flags.map((flag) => `complete -c pincer -n ${quoted(at)} ${flagText(flag)}`),
    ...(words.length === 0 ? [] : [`complete -c pincer -n ${quoted(at)} ${completesText(words)}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function choiceText({ word, summary }: Choice): string {
  return `-a ${quoted(word)}${described(summary)}`;
}

function flagText({ word, summary, value }: ScopeFlag): string {
  const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
  return `${name}${value === undefined ? '' : ` -r ${completesText(value)}`}${described(summary)}`;
}

function completesText(completes: Completes): string {
  if (typeof completes !== 'string') return completes.length === 0 ? '-f' : `-f -a ${quoted(completes.join(' '))}`;
  switch (completes) {
    case 'file':
      return '-F';
    case 'folder':
      return "-f -a '(__fish_complete_directories)'";
    case 'command':
      return "-f -a '(__fish_complete_subcommand)'";
    default:
      return `-f -a '(pincer completion ids ${completes} 2>/dev/null)'`;
  }
}

function described(summary: string): string {
  return summary === '' ? '' : ` -d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
