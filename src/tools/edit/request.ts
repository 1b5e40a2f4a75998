/** Reads the parameters of `edit` in the forms that models send. */
import { Fault } from '../../base/fault.ts';
import type { Edit } from '../../text/edit/clean-edit.ts';
import { array, boolean, type Infer, object, string } from '../../wire/schema.ts';
import { readParams } from '../params.ts';
import type { AliasGroup } from '../tool.ts';

type Input = Readonly<Record<string, unknown>>;

export const PATH_ALIASES: AliasGroup = { keys: ['path', 'file_path', 'filePath', 'file'] };

export const TEXT_ALIASES: readonly AliasGroup[] = [
  { keys: ['oldText', 'old_string', 'old_text', 'oldString'] },
  { keys: ['newText', 'new_string', 'new_text', 'newString'], allowEmpty: true },
];

const EDIT_SCHEMA = object(
  {
    oldText: string({ description: 'Text that occurs exactly once, unless replaceAll is set.' }),
    newText: string({ description: 'Its replacement; empty deletes it.' }),
  },
  { replaceAll: boolean({ description: 'Replace every occurrence of oldText.' }) },
);

export const INPUT = object(
  { path: string({ description: 'The file, relative to the workspace or absolute.' }) },
  {
    oldText: EDIT_SCHEMA.required.oldText,
    newText: EDIT_SCHEMA.required.newText,
    replaceAll: EDIT_SCHEMA.optional.replaceAll,
    edits: array(EDIT_SCHEMA, { description: 'Several edits instead of oldText and newText.' }),
    dryRun: boolean({ description: 'Show what would change, write nothing.' }),
    expectHash: string({ description: 'Edit only if the file has this SHA-256.' }),
  },
);

export interface EditRequest {
  readonly path: string;
  readonly edits: readonly Edit[];
  readonly dryRun: boolean;
  /** The required hash of the current content. */
  readonly expectHash: string | undefined;
}

/** Accepts `edits` also as JSON text or as a single entry. */
export function prepareEdits(input: Input): Input {
  const { edits } = input;
  if (edits === undefined || edits === null || edits === '') return input;
  const list = listOf(typeof edits === 'string' ? parseJson(edits) : edits);
  if (list.length === 0) {
    const { edits: _, ...others } = input;
    if (TEXT_ALIASES.some(({ keys }) => keys.some((key) => others[key] !== undefined))) return others;
    throw invalid('edits is empty');
  }
  return { ...input, edits: list.map((entry, i) => entryOf(entry, `edits[${i}]`)) };
}

export function readRequest(input: Infer<typeof INPUT>): EditRequest {
  const { path, oldText, newText, replaceAll, edits: listed, dryRun = false, expectHash } = input;
  const single =
    listed !== undefined && oldText === undefined && newText === undefined
      ? undefined
      : entryOf(
          { ...(oldText === undefined ? {} : { oldText }), ...(newText === undefined ? {} : { newText }) },
          'edit',
        );
  const all = merged(single, listed);
  for (const [i, { newText: text }] of all.entries())
    refuseHalfPairs('edit', listed === undefined ? 'newText' : `edits[${i}].newText`, text);
  return {
    path,
    edits: all.map((edit) => (replaceAll === true ? { ...edit, replaceAll: true } : edit)),
    dryRun,
    expectHash: readHash('edit', expectHash),
  };
}

/** A lone surrogate has no UTF-8 bytes; it would be written as another character. */
export function refuseHalfPairs(tool: string, parameter: string, text: string): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new Fault('PARAM_INVALID', `${tool}: ${parameter} contains a lone surrogate`, {
    hint: 'send the whole character, or send bytes as base64 with the tool write',
    details: { parameter },
  });
}

/** A SHA-256 in hexadecimal, with or without the prefix `sha256:`. */
export function readHash(tool: string, typed: string | undefined): string | undefined {
  if (typed === undefined || typed === '') return undefined;
  const hash = typed.toLowerCase().replace(/^sha-?256[:-]/u, '');
  if (/^[0-9a-f]{64}$/u.test(hash)) return hash;
  throw new Fault('PARAM_INVALID', `${tool}: expectHash must be a SHA-256 in hexadecimal`, {
    hint: 'use the hash in the details of read, write or edit for this file',
    details: { parameter: 'expectHash' },
  });
}

/** Some models repeat the first of the edits as `oldText` and `newText`. */
function merged(single: Edit | undefined, listed: readonly Edit[] | undefined): readonly Edit[] {
  if (listed === undefined) return single === undefined ? [] : [single];
  if (single === undefined) return listed;
  if (listed.some(({ oldText, newText }) => oldText === single.oldText && newText === single.newText)) return listed;
  throw new Fault('PARAM_CONFLICT', 'edit: oldText and newText are not one of the edits', {
    hint: 'put every edit into edits',
    details: { parameter: 'edits' },
  });
}

function entryOf(entry: unknown, name: string): Edit & Input {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(`${name} must be an object`);
  try {
    return readParams(name, EDIT_SCHEMA, TEXT_ALIASES, entry as Input);
  } catch (error) {
    if (!(error instanceof Fault) || error.details?.['parameter'] !== 'oldText' || error.code !== 'PARAM_MISSING')
      throw error;
    throw new Fault(error.code, error.message, {
      hint: 'oldText is text in the file; to create a file or to fill an empty one, use write',
      details: error.details,
    });
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Fault('PARAM_INVALID', `edit: edits is not valid JSON: ${(error as Error).message}`, {
      hint: 'send edits as an array of {oldText, newText}',
      details: { parameter: 'edits' },
      cause: error,
    });
  }
}

function invalid(message: string): Fault {
  return new Fault('PARAM_INVALID', `edit: ${message}`, {
    hint: 'send edits as an array of {oldText, newText}',
    details: { parameter: 'edits' },
  });
}
