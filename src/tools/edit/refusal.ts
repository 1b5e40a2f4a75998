/** Faults of edits that cannot be applied. */
import { Fault } from '../../base/fault.ts';
import type { EncodingConflict } from '../../text/edit/encoding.ts';
import type { Refused } from '../../text/edit/plan.ts';

const MOST_LINES = 100;

/** `count` is the number of edits. */
export function refusal(name: string, count: number, plan: Refused): Fault {
  const nth = (edit: number): string => (count === 1 ? '' : `edits[${edit}].`);
  const details = { path: name, ...(count === 1 ? {} : { edit: plan.edit }) };
  const what = `${nth(plan.edit)}oldText`;
  switch (plan.reason) {
    case 'not-found':
      return notFound(name, what, plan, details);
    case 'ambiguous': {
      const { lines, more, level } = plan;
      const shown = [...new Set(lines)].slice(0, MOST_LINES);
      const rest = more || shown.length < new Set(lines).size ? ' and more' : '';
      const many = `${more ? 'at least ' : ''}${lines.length}`;
      const where = `${shown.length === 1 && rest === '' ? 'line' : 'lines'} ${shown.join(', ')}${rest}`;
      const how = level === 'exact' ? '' : ` (compared without ${LEVEL_WORDS[level]})`;
      return new Fault(
        'EDIT_AMBIGUOUS',
        `${what} occurs ${many} times in ${name}, in ${where}${how}; nothing was changed`,
        {
          hint: 'add neighbouring lines to oldText until it is unique, or set replaceAll to change all occurrences',
          details: { ...details, match: level, count: lines.length, lines: shown },
        },
      );
    }
    case 'overlap':
      return new Fault(
        'EDIT_OVERLAP',
        plan.edit === plan.other
          ? `occurrences of ${what} in ${name} overlap at line ${plan.line}; nothing was changed`
          : `edits[${plan.edit}] and edits[${plan.other}] overlap in ${name} at line ${plan.line}; nothing was changed`,
        {
          hint: 'combine them into one edit, or choose separate places',
          details: { ...details, edits: [plan.edit, plan.other], line: plan.line },
        },
      );
    case 'too-many':
      return new Fault('EDIT_TOO_MANY', `${what} occurs more than ${plan.most} times in ${name}; nothing was changed`, {
        hint: 'choose a longer oldText, or write the whole file',
        details,
      });
  }
}

/** An edit would mix encodings in a file, or lose bytes. */
export function encodingRefusal(name: string, { harm }: EncodingConflict, line: number): Fault {
  const what =
    harm === 'loses-bytes'
      ? `the edit would replace bytes at line ${line} of ${name} that are not valid UTF-8`
      : `${name} is not valid UTF-8, and newText would insert non-ASCII characters at line ${line}`;
  return new Fault('EDIT_ENCODING', `${what}; nothing was changed`, {
    hint:
      harm === 'loses-bytes'
        ? 'choose an ASCII oldText next to them; U+FFFD only represents bytes that stay'
        : 'use only ASCII in newText, or convert the whole file to UTF-8 first',
    details: { path: name, line },
  });
}

const LEVEL_WORDS = {
  'line-endings': 'line endings',
  'trailing-blanks': 'trailing whitespace',
  punctuation: 'variants of quotes, dashes and spaces',
  indentation: 'indentation',
  whitespace: 'amounts of whitespace',
} as const;

function notFound(
  name: string,
  what: string,
  { nearest, applied }: Extract<Refused, { reason: 'not-found' }>,
  details: Readonly<Record<string, unknown>>,
): Fault {
  const hints: string[] = [];
  if (applied !== undefined)
    hints.push(`its newText is at line ${applied.line}: this edit may already have been applied`);
  if (nearest?.reason !== undefined) hints.push(nearest.reason);
  if (nearest !== undefined && nearest.excerpt !== '')
    hints.push(`the nearest text is at line ${nearest.line} (| the file, ? oldText):\n${nearest.excerpt}`);
  if (hints.length === 0) hints.push('the file has no similar text; read the file and copy the text exactly');
  return new Fault('EDIT_NOT_FOUND', `${what} is not in ${name}; nothing was changed`, {
    hint: hints.join('; '),
    details: {
      ...details,
      ...(nearest === undefined ? {} : { nearest: { line: nearest.line, excerpt: nearest.excerpt } }),
      ...(nearest?.reason === undefined ? {} : { reason: nearest.reason }),
      ...(applied === undefined ? {} : { newTextAt: applied.line }),
    },
  });
}
