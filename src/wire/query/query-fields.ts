/** Checks the terms of a search against the fields that can be searched. */
import { isProblem, type QueryProblem, type QueryTerm, queryTerms } from './query-terms.ts';
import { timeOf } from './query-time.ts';

/** What the value of a field must be: one of these words, or a text, a time or the end of a command. */
export type FieldValues = readonly string[] | 'text' | 'time' | 'exit';
export type Fields = Readonly<Record<string, FieldValues>>;

export interface CheckedTerm<F extends string = string> {
  /** `word`: a text in the command. */
  readonly field: F | 'word';
  /** A time and an exit code are numbers. */
  readonly value: string | number;
  readonly isNot: boolean;
}

/** `now` is the time that durations count back from. */
export function checkedTerms<F extends Fields>(
  text: string,
  fields: F,
  now: number,
): readonly CheckedTerm<keyof F & string>[] | QueryProblem {
  const terms = queryTerms(text);
  if (isProblem(terms)) return terms;
  const checked: CheckedTerm<keyof F & string>[] = [];
  for (const term of terms) {
    const value = valueOf(term, fields, now);
    if (isProblem(value)) return value;
    checked.push({ field: term.field ?? 'word', value, isNot: term.isNot });
  }
  return checked;
}

function valueOf(
  { field, value, at, valueAt }: QueryTerm,
  fields: Fields,
  now: number,
): string | number | QueryProblem {
  if (field === undefined) return value;
  const values = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (values === undefined) {
    const known = Object.keys(fields).join(', ');
    return {
      message: `unknown field ${JSON.stringify(field)}; fields: ${known}; quote a word that contains a colon`,
      at,
    };
  }
  if (values === 'text') return value;
  if (values === 'time')
    return (
      timeOf(value, now) ?? {
        message: `${field}: needs a time such as 2026-01-31, 2026-01-31T10:00Z or 24h`,
        at: valueAt,
      }
    );
  if (values === 'exit') {
    if (/^\d{1,3}$/u.test(value)) return Number(value);
    return /^SIG[A-Z0-9]{1,10}$/u.test(value)
      ? value
      : { message: `${field}: needs an exit code such as 0, or a signal such as SIGKILL`, at: valueAt };
  }
  return values.includes(value) ? value : { message: `${field}: must be ${values.join(', ')}`, at: valueAt };
}
