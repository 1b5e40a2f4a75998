/** `.env` files: names and comments are shown, values are not. Line numbers stay, so that every line gives one line. */
import { Fault } from '../base/fault.ts';

const NAME = /^@?\.env(?:\..+)?$/iu;
const HARMLESS = /\.(?:example|sample|template|dist)$/iu;

/** Whether a file of this name holds secrets. */
export function holdsSecrets(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return NAME.test(name) && !HARMLESS.test(name);
}

/** Whether the lines of a file are kept from the agent, by the name it asked for or by the file's own. */
export function hidesLines(names: readonly string[], showSecrets: boolean | undefined): boolean {
  return showSecrets !== true && names.some(holdsSecrets);
}

/** A refusal without what it quotes of the file. */
export function withoutLines(error: unknown, name: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(error.code, error.message, {
    hint: 'the file holds secrets, so its lines are not shown',
    details: { path: name },
  });
}

const HIDDEN = '***';
/** `export NAME =`, also when it is commented out; YAML's `name: value` is read by some loaders. */
const ASSIGNMENT = /^(\s*(?:#\s*)*(?:export\s+)?[A-Za-z_][\w.-]*\s*(?:=|:(?=\s))\s*)(.*)$/u;
const COMMENT = /^\s*#/u;
const KEY_BEGINS = /-----BEGIN /u;
const KEY_ENDS = /-----END /u;

export interface Redacted {
  readonly text: string;
  /** How many values are hidden. */
  readonly hidden: number;
}

/** The text with every value as `***`: a quoted one to its closing quote, a key to its last line, what is unclear too. */
export function redactSecrets(text: string): Redacted {
  let hidden = 0;
  /** What ends the value that began on a line before. */
  let until: ((line: string) => boolean) | undefined;
  const lines = text.split(/\r?\n|\r/u).map((line) => {
    if (until !== undefined) {
      if (until(line)) until = undefined;
      return HIDDEN;
    }
    if (line.trim() === '') return line;
    const [, name, value] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      if (KEY_BEGINS.test(line) && !KEY_ENDS.test(line)) until = (later) => KEY_ENDS.test(later);
      else if (COMMENT.test(line)) return line;
      hidden++;
      return HIDDEN;
    }
    if (COMMENT.test(line) && !/=/u.test(name)) return line;
    if (value.trim() === '') return line;
    hidden++;
    until = endOf(value);
    return name + HIDDEN;
  });
  return { text: lines.join('\n'), hidden };
}

/** How a value that goes on after its first line ends; undefined when it is complete. */
function endOf(value: string): ((line: string) => boolean) | undefined {
  const quote = value[0]!;
  if (/["'`]/u.test(quote)) {
    if (closes(value.slice(1), quote)) return undefined;
    return (line) => closes(line, quote);
  }
  if (KEY_BEGINS.test(value) && !KEY_ENDS.test(value)) return (line) => KEY_ENDS.test(line);
  return value.endsWith('\\') ? (line) => !line.endsWith('\\') : undefined;
}

/** Whether the quote stands here without a backslash that takes its meaning away. */
function closes(text: string, quote: string): boolean {
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (quote === "'" || slashes % 2 === 0) return true;
  }
  return false;
}
