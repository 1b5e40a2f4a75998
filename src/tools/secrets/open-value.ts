/** Values of `.env` files that go on after their first line. Loaders differ; in doubt a value never ends. */

export interface OpenValue {
  /** Whether the value goes on after this line, ends with it, or has ended before it. */
  ends(line: string): 'goes-on' | 'here' | 'before';
}

const NEVER: OpenValue = { ends: () => 'goes-on' };
const KEY_BEGINS = /-----BEGIN /u;
const KEY_ENDS = /-----END /u;
const HEREDOC = /<<-?\s*["'\\]?(\w+)/u;
const TRIPLE = /^("""|'''|```)/u;
const YAML_BLOCK = /^(?:[!&]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/u;

/** What ends a value that is not complete on its line; `indent` is that of its name where the value may be YAML's. */
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
  return goesOn(value) ? until((line) => !goesOn(line)) : undefined;
}

function until(last: (line: string) => boolean): OpenValue {
  return { ends: (line) => (last(line) ? 'here' : 'goes-on') };
}

/** All lines that stand deeper than the name. */
function block(indent: number): OpenValue {
  return { ends: (line) => (line.trim() === '' || line.search(/\S/u) > indent ? 'goes-on' : 'before') };
}

/** To the line with the closing quote; when another one opens behind it, nobody knows how far that goes. */
function quoted(quote: string): OpenValue {
  let lost = false;
  return {
    ends: (line) => {
      if (lost) return 'goes-on';
      const { open, turns } = scan(line, quote);
      if (open === undefined) return 'here';
      lost = turns > 0;
      return 'goes-on';
    },
  };
}

/** The quote that is open at the end of a line, and how often quotes opened or closed on the way. */
function scan(text: string, before: string | undefined): { readonly open: string | undefined; readonly turns: number } {
  let open = before;
  let turns = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') {
      // A shell takes the backslash before a closing single quote as it stands, other loaders as an escape.
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

/** A command or a list that is not closed on its line. */
function isBracketOpen(value: string): boolean {
  if (!/\$\(|^[([{]|[([{]\s*$/u.test(value)) return false;
  return (value.match(/[([{]/gu)?.length ?? 0) > (value.match(/[)\]}]/gu)?.length ?? 0);
}

function goesOn(line: string): boolean {
  return /\\\s*$/u.test(line);
}
