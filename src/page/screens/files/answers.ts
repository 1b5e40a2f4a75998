/** The parts of tool results that the screen uses. */
import { actor } from '../../../wire/caller.ts';
import {
  array,
  boolean,
  type Infer,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  partial,
  string,
} from '../../../wire/schema.ts';

const position = object({ line: integer({ min: 1 }), column: integer({ min: 1 }) });

export const match = object(
  { kind: string(), line: integer({ min: 1 }), column: integer({ min: 1 }) },
  { leafType: string(), valueText: string(), descriptor: string(), end: position },
);
export type Match = Infer<typeof match>;

export const readDetails = object(
  { kind: string() },
  {
    lines: object({ from: integer({ min: 0 }), to: integer({ min: 0 }) }),
    totalLines: integer({ min: 0 }),
    redacted: number(),
    encoding: string(),
    eol: string(),
    bytes: number(),
  },
);

const outlineEntry = object({ path: string(), depth: integer({ min: 1 }), match });
export type OutlineEntry = Infer<typeof outlineEntry>;
export const outlineDetails = object({ kind: string(), entries: array(outlineEntry) }, { truncated: literal(true) });

export const structure = object({ file: string() }, { section: string(), item: string(), field: string() });
export type Structure = Infer<typeof structure>;
export const validateDetails = object(
  { valid: boolean() },
  { formatted: string(), structure, message: string(), hint: string() },
);

const foundMatch = object({ path: string(), match });
export const findDetails = object(
  { count: integer({ min: 0 }), matches: array(foundMatch) },
  { truncated: literal(true) },
);
export const resolveDetails = object({ resolved: boolean() }, { match });

/** `hash` is absent for a file with hidden values. */
export const previewDetails = object({ ok: literal(true) }, { diff: string(), hash: string() });
export const writtenDetails = object({ ok: literal(true) }, { note: string() });

const changedFile = object(
  { action: oneOf(['add', 'modify', 'delete', 'move']), path: string(), bytesBefore: number(), bytesAfter: number() },
  { movedTo: string() },
);
const recordedChange = object(
  {
    ...actor.required,
    id: string(),
    time: string(),
    tool: string(),
    files: array(changedFile),
    state: oneOf(['done', 'undone', 'not-kept']),
  },
  { ...actor.optional, undoes: array(string()), redoes: array(string()), notKept: string() },
);
export type RecordedChange = Infer<typeof recordedChange>;
export const changesDetails = object({ changes: array(recordedChange) });
export const diffDetails = object({ change: recordedChange, diff: string() });
export const reversalDetails = partial({ diff: string(), id: string(), already: array(string()) });

/** The files that an undo would overwrite, in the details of its refusal. */
const conflict = object(
  { path: string(), change: string(), since: string() },
  { later: array(string()), leftAs: string(), isNow: string() },
);
export const conflictDetails = partial({ conflicts: array(conflict), reason: json() });
