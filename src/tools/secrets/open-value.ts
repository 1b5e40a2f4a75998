/** Multi-line values of `.env` files. Loaders differ; in doubt a value never ends. */

export interface OpenValue {
  /** Whether the value continues after this line, ends with it, or ended before it. */
  ends(line: string): 'continues' | 'here' | 'before';
}

const NEVER: OpenValue = { ends: () => 'continues' };
const KEY_BEGINS = /-----BEGIN /u;
const KEY_ENDS = /-----END /u;
const HEREDOC = /<<-?\s*["'\\]?(\w+)/u;
const TRIPLE = /^("""|'''|```)/u;
const YAML_BLOCK = /^(?:[!&]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/u;

/** Undefined for a value that ends on its line. `indent` is that of its name where the value may be YAML. */
export function openValue(value: string, indent: number | undefined): OpenValue | undefined {
  if (KEY_BEGINS.test(value) && !KEY_ENDS.test(value)) return until((line) => KEY_ENDS.test(line));
  const word = HEREDOC.exec(value)?.[1];
  if (word !== undefined) return until((line) => line.trim() === word);
  const triple = TRIPLE.exec(value)?.[1];
  if (triple !== undefined) {
    return value.includes(triple, triple.length) ? undefined : until((line) => line.includes(triple));
  }
  if (indent !== undefined && YAML_BLOCK.test(value)) return block(indent);
  const { open, turns } = scan(value, undefined);
  if (open !== undefined) return turns === 1 && value.startsWith(open) ? quoted(open) : NEVER;
  if (isBracketOpen(value)) return NEVER;
  return isContinued(value) ? until((line) => !isContinued(line)) : undefined;
}

function until(last: (line: string) => boolean): OpenValue {
  return { ends: (line) => (last(line) ? 'here' : 'continues') };
}

/** All lines with a deeper indentation than the name. */
function block(indent: number): OpenValue {
  return { ends: (line) => (line.trim() === '' || line.search(/\S/u) > indent ? 'continues' : 'before') };
}

/** Ends at the closing quote; if another quote opens after it on the same line, the end is unknown. */
function quoted(quote: string): OpenValue {
  let isEndUnknown = false;
  return {
    ends: (line) => {
      if (isEndUnknown) return 'continues';
      const { open, turns } = scan(line, quote);
      if (open === undefined) return 'here';
      isEndUnknown = turns > 0;
      return 'continues';
    },
  };
}

/** Returns the quote that is open at the end of a line, and how often quotes opened or closed. */
function scan(text: string, before: string | undefined): { readonly open: string | undefined; readonly turns: number } {
  let open = before;
  let turns = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') {
      // Before a closing single quote a backslash is literal in a shell, and an escape in other loaders.
      if (open === "'" && text[at + 1] === "'") return { open, turns: turns + 2 };
      if (open !== "'") at++;
    } else if (open !== undefined) {
      if (char !== open) continue;
      open = undefined;
      turns++;
    } else if (char === '#' && (at === 0 || /\s/u.test(text[at - 1]!))) break;
    else if (/["'`]/u.test(char)) {
      open = char;
      turns++;
    }
  }
  return { open, turns };
}

/** For a command substitution or a list that is not closed on its line. */
function isBracketOpen(value: string): boolean {
  if (!/\$\(|^[([{]|[([{]\s*$/u.test(value)) return false;
  return (value.match(/[([{]/gu)?.length ?? 0) > (value.match(/[)\]}]/gu)?.length ?? 0);
}

function isContinued(line: string): boolean {
  return /\\\s*$/u.test(line);
}
