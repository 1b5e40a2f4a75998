/** Reads the answer of the tool `path` on another machine, which may have any form. */
import { Mismatch } from '../../../wire/mismatch.ts';
import {
  array,
  check,
  type Infer,
  integer,
  isObject,
  literal,
  object,
  oneOf,
  type Schema,
  string,
  union,
} from '../../../wire/schema.ts';

const AT = { line: integer(), column: integer() };
const match = union(
  'kind',
  object({
    kind: literal('leaf'),
    valueText: string(),
    leafType: oneOf(['string', 'number', 'boolean', 'null']),
    ...AT,
  }),
  object({ kind: literal('node'), descriptor: string(), ...AT }),
  object({ kind: literal('insertion-point'), container: string(), ...AT }),
  object({ kind: literal('root'), descriptor: string(), ...AT }),
);

const ANSWERS = {
  found: object({ resolved: literal(true), ocPath: string(), match }),
  missing: object({ resolved: literal(false), ocPath: string() }),
  matches: object({ pattern: string(), count: integer(), matches: array(object({ path: string(), match })) }),
  written: object({ ok: literal(true), dryRun: literal(false), bytesWritten: integer(), fsPath: string() }),
  preview: object({ ok: literal(true), dryRun: literal(true), bytes: string(), fsPath: string() }, { diff: string() }),
  refused: object({ ok: literal(false), reason: string(), detail: string() }),
};
export type NodePathAnswer = Infer<(typeof ANSWERS)[keyof typeof ANSWERS]>;

/** Undefined for an answer of another form. */
export function nodeAnswer(text: string): NodePathAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? check<NodePathAnswer>(schemaOf(value), value, 'the answer of the node') : undefined;
  } catch (error) {
    if (error instanceof Mismatch || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function schemaOf({ resolved, matches, ok, dryRun }: Readonly<Record<string, unknown>>): Schema<NodePathAnswer> {
  if (resolved !== undefined) return resolved === true ? ANSWERS.found : ANSWERS.missing;
  if (matches !== undefined) return ANSWERS.matches;
  if (ok !== true) return ANSWERS.refused;
  return dryRun === true ? ANSWERS.preview : ANSWERS.written;
}
