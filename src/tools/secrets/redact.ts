/** Files with secrets as agents see them: names without values, no private keys. Every line gives one line, so that line numbers stay. */
import { privateKeySpans } from '../../text/secrets/private-keys.ts';
import { openValue, type OpenValue } from './open-value.ts';

/** What is shown instead of a value. */
export const HIDDEN = '***';
/** What `read` says below a text with hidden values. */
export const HIDDEN_NOTICE = `[Values are hidden as ${HIDDEN}.]`;
/** `export NAME =`; YAML's `name: value` is read by some loaders. */
const ASSIGNMENT = /^(\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*(=|:(?=\s|$))\s*)(.*)$/u;
const COMMENT = /^(\s*#+)(.*)$/u;
/** What may be a value in a comment: behind a sign, or one long word of letters and digits. */
const SIGN = /[=:]|-----BEGIN /u;
const WORD = /\S+/gu;
const LONG_RUN = /[\w+/.-]{20,}/u;

export interface Redacted {
  readonly text: string;
  /** How many values are hidden. */
  readonly hidden: number;
}

/** What of a file is hidden: every value, or the private keys in it. */
export type HiddenPart = 'values' | 'keys';

/** The text as an agent sees it. */
export function redacted(text: string, part: HiddenPart): Redacted {
  return part === 'values' ? redactSecrets(text) : redactKeys(text);
}

/** The text with each line of a private key as `***`. */
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

/** What is shown instead of a key: a mark for each of its lines. */
export function hiddenLines(key: string): string {
  const lines = key.split(/\r?\n|\r/u);
  return lines.map((line) => (line === '' ? '' : HIDDEN)).join('\n');
}

/** The text with every value as `***`: to its very end, and where that is unclear, everything behind it too. */
export function redactSecrets(text: string): Redacted {
  let hidden = 0;
  /** The value that began on a line before, and whether that was in a comment. */
  let open: (OpenValue & { readonly inComment: boolean }) | undefined;
  const lines = text.split(/\r?\n|\r/u).map((line) => {
    const [, sign, comment] = COMMENT.exec(line) ?? [];
    if (open?.inComment === true && comment === undefined) open = undefined;
    if (open !== undefined) {
      const end = open.ends(open.inComment ? comment! : line);
      if (end !== 'goes-on') open = undefined;
      if (end !== 'before') return HIDDEN;
    }
    if (line.trim() === '') return line;
    if (sign !== undefined && comment !== undefined) {
      if (!mayHoldValue(comment)) return line;
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

function mayHoldValue(comment: string): boolean {
  if (SIGN.test(comment)) return true;
  return [...comment.matchAll(WORD)].some(([word]) => /\d/u.test(word) && LONG_RUN.test(word));
}

/** Whether what looks like a name without a value may be the end of something in base64, with its sign of padding. */
function isEncoded(name: string): boolean {
  return (name.length + 1) % 4 === 0 && (/[\d-]/u.test(name) || (/[a-z]/u.test(name) && /[A-Z]/u.test(name)));
}
