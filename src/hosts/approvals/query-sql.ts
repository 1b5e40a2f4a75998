/** A search as an SQL condition with bound values. */
import type { CheckedTerm } from '../../wire/query/query-fields.ts';
import type { Value } from '../database/shape.ts';

export interface Condition {
  /** Begins with ` AND`, or is empty. */
  readonly sql: string;
  readonly values: readonly Value[];
}

/** The SQL test of a term, with one `?` for each value. */
export type TermTest = (term: CheckedTerm) => { readonly sql: string; readonly values: readonly Value[] };

/** Fields that must all match. Of other fields, one of several values is enough. */
const ALL: ReadonlySet<string> = new Set(['word', 'since', 'until']);

export function conditionOf(terms: readonly CheckedTerm[], test: TermTest): Condition {
  const single = terms.filter(({ field, isNot }) => isNot || ALL.has(field)).map((term) => [term]);
  const others = terms.filter(({ field, isNot }) => !isNot && !ALL.has(field));
  const fields = [...new Set(others.map(({ field }) => field))];
  const groups = [...single, ...fields.map((field) => others.filter((term) => term.field === field))];
  const tests = groups.map((group) => group.map((term) => ({ ...test(term), isNot: term.isNot })));
  return {
    // A value that is missing matches nothing; without COALESCE, neither would its opposite.
    sql: tests
      .map((each) => each.map(({ sql, isNot }) => `${isNot ? 'NOT ' : ''}COALESCE(${sql}, 0)`).join(' OR '))
      .map((sql) => ` AND (${sql})`)
      .join(''),
    values: tests.flat().flatMap(({ values }) => values),
  };
}

/** Whether a text contains another one; ASCII letters match in either case. */
export function contains(column: string, text: Value): ReturnType<TermTest> {
  return { sql: `instr(lower(${column}), lower(?)) > 0`, values: [text] };
}

export function equals(column: string, value: Value): ReturnType<TermTest> {
  return { sql: `${column} = ?`, values: [value] };
}
