/** Hides values and private keys in files with secrets. Every line stays one line, so line numbers do not change. */
import { privateKeySpans } from '../../text/secrets/private-keys.ts';
import { openValue, type OpenValue } from './open-value.ts';

/** Replaces a value. */
export const HIDDEN = '***';
/** Follows a text with hidden values in `read`. */
export const HIDDEN_NOTICE = `[Values are hidden as ${HIDDEN}.]`;
/** `export NAME =`; some loaders also accept YAML's `name: value`. */
const ASSIGNMENT = /^(\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*(=|:(?=\s|$))\s*)(.*)$/u;
const COMMENT = /^(\s*#+)(.*)$/u;
/** A possible value in a comment: after a sign, or a long word of letters and digits. */
const SIGN = /[=:]|-----BEGIN /u;
const WORD = /\S+/gu;
const LONG_RUN = /[\w+/.-]{20,}/u;

export interface Redacted {
  readonly text: string;
  /** The number of hidden values. */
  readonly hidden: number;
}

/** All values of a file, or only the private keys in it. */
export type HiddenPart = 'values' | 'keys';

export function redacted(text: string, part: HiddenPart): Redacted {
  return part === 'values' ? redactSecrets(text) : redactKeys(text);
}

function redactKeys(text: string): Redacted {
  const spans = privateKeySpans(text);
  let out = '';
  let at = 0;
  for (const { start, end } of spans) {
    out += text.slice(at, start) + hiddenLines(text.slice(start, end));
    at = end;
  }
  return { text: out + text.slice(at), hidden: spans.length };
}

/** One mark for each line of a key. */
export function hiddenLines(key: string): string {
  const lines = key.split(/\r?\n|\r/u);
  return lines.map((line) => (line === '' ? '' : HIDDEN)).join('\n');
}

/** Hides every value up to its end; where the end is unclear, also everything after it. */
export function redactSecrets(text: string): Redacted {
  let hidden = 0;
  /** A value that began on an earlier line, perhaps in a comment. */
  let open: (OpenValue & { readonly inComment: boolean }) | undefined;
  const lines = text.split(/\r?\n|\r/u).map((line) => {
    const [, sign, comment] = COMMENT.exec(line) ?? [];
    if (open?.inComment === true && comment === undefined) open = undefined;
    if (open !== undefined) {
      const end = open.ends(open.inComment ? comment! : line);
      if (end !== 'continues') open = undefined;
      if (end !== 'before') return HIDDEN;
    }
    if (line.trim() === '') return line;
    if (sign !== undefined && comment !== undefined) {
      if (!mayContainValue(comment)) return line;
      hidden++;
      const value = /^.*?[=:]\s*(.*)$/u.exec(comment)?.[1] ?? comment.trim();
      const rest = openValue(value, comment.search(/\S/u));
      if (rest !== undefined) open = { ...rest, inComment: true };
      return `${sign}${/^\s*/u.exec(comment)![0]}${HIDDEN}`;
    }
    const [, before, name, equals, value] = ASSIGNMENT.exec(line) ?? [];
    const named = before !== undefined && name !== undefined && value !== undefined;
    if (named && value === '' && !isEncoded(name)) return line;
    hidden++;
    const indent = equals === ':' ? line.search(/\S/u) : undefined;
    const rest = openValue(named ? value : line, indent);
    if (rest !== undefined) open = { ...rest, inComment: false };
    return named && !/^=*$/u.test(value) ? before + HIDDEN : HIDDEN;
  });
  return { text: lines.join('\n'), hidden };
}

function mayContainValue(comment: string): boolean {
  if (SIGN.test(comment)) return true;
  return [...comment.matchAll(WORD)].some(([word]) => /\d/u.test(word) && LONG_RUN.test(word));
}

/** Whether a name without a value may be the last line of base64 with its padding. */
function isEncoded(name: string): boolean {
  return (name.length + 1) % 4 === 0 && (/[\d-]/u.test(name) || (/[a-z]/u.test(name) && /[A-Z]/u.test(name)));
}
