/**
 * Texts for a shell that is not known, or not bash. The parser reads as bash does, and goes on where bash would refuse a text
 * that zsh takes, so a strict reader must find the same commands:
 *
 *   text = command { ( "&&" | "||" | "|" | ";" | "&" | line end ) command }      command = [ "!" ] { word | redirection }
 *   word = { plain | "'" … "'" | '"' … '"' | "\" character }                     redirection = [ digit ] ( "<" | ">" | ">>" ) word
 *
 * Comments, and `2>&1` and the like, are read as well.
 */
import { findInvalidCharacter } from './characters.ts';
import { commandsIn, type NamedCommand, type NamedCommands } from './commands.ts';
import { whyHiddenInAnyShell } from './evaluation.ts';
import { KEYWORDS } from './reserved.ts';

const SKIPPED = /(?:[ \t]+|#[^\n]*)+/y;
/** `;;`, `|&`, `&>`, `&!` and `&|` are other operators in some shells. */
const OPERATOR = /&&(?!&)|\|\|(?!\|)|;(?![;&|])|&(?![&>!|])|\|(?![&|!])|\n/y;
const OTHER_DESCRIPTOR = /\d?[<>]&[\d-](?=[\s;&|]|$)/y;
/** Before a target, some shells have more operators: `>!`, `>|`, `<<`, `<(`. */
const REDIRECTION = /\d?(?:>>|>|<)(?![<>&|!(])[ \t]*(?![!=])/y;
/** Contains no unquoted dollar, backtick or bracket. */
const WORD = /(?![{}=^])(?:[^\s'"\\$`;&|<>()#]|'[^']*'|"(?:[^"\\$`]|\\[^\n])*"|\\[^\n])+/y;
/** In an option, a file name pattern can expand to another option. */
const PATTERN_IN_OPTION = /^-.*[~^]/s;

/** Finds all commands of a text, and why a shell other than bash might run others. */
export function commandsInAnyShell(text: string): NamedCommands {
  const parsed = commandsIn(text, whyHiddenInAnyShell);
  if (parsed.unknown !== undefined) return parsed;
  const strict = findInvalidCharacter(text) === undefined ? strictCommands(text) : undefined;
  return strict !== undefined && isSame(strict, parsed.commands)
    ? parsed
    : { ...parsed, unknown: 'shells disagree about the commands in the text' };
}

function isSame(strict: readonly (readonly string[])[], parsed: readonly NamedCommand[]): boolean {
  return (
    strict.length === parsed.length &&
    parsed.every(
      ({ words }, i) =>
        words.length === strict[i]!.length && words.every((word, at) => word === undefined || word === strict[i]![at]),
    )
  );
}

/** The words of each command; undefined where the text exceeds the grammar above. */
function strictCommands(text: string): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [];
  let words: string[] = [];
  /** A command has begun, or an operator requires one. */
  let isBegun = false;
  let isNegated = false;
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (take(SKIPPED); at < text.length; take(SKIPPED)) {
    const operator = take(OPERATOR);
    if (operator === '\n' && words.length === 0 && !isNegated) continue;
    if (operator !== undefined) {
      if (words.length === 0) return undefined;
      commands.push(words);
      words = [];
      isBegun = /^(?:&&|\|\|?)$/.test(operator);
      isNegated = false;
      continue;
    }
    isBegun = true;
    if (take(OTHER_DESCRIPTOR) !== undefined) continue;
    const isTarget = take(REDIRECTION) !== undefined;
    const word = take(WORD);
    // Some shells read several digits before a redirection as a word, and a comment begins only after a blank.
    if (word === undefined || text[at] === '#' || (/^\d\d+$/.test(word) && /[<>]/.test(text[at] ?? '')))
      return undefined;
    if (PATTERN_IN_OPTION.test(word.replaceAll(/'[^']*'|"[^"]*"/g, ''))) return undefined;
    if (isTarget) continue;
    if (words.length > 0) words.push(unquoted(word));
    else if (word === '!' && !isNegated) isNegated = true;
    else if (KEYWORDS.has(word)) return undefined;
    else words.push(unquoted(word));
  }
  if (words.length > 0) commands.push(words);
  return words.length === 0 && isBegun ? undefined : commands;
}

/** Removes quotes. Within double quotes, a backslash escapes only `$`, backtick, `"` and itself. */
function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g,
    (_, single?: string, double?: string, one?: string) =>
      double === undefined ? (single ?? one!) : double.replace(/\\([$`"\\])/g, '$1'),
  );
}
