import { Fault } from '../base/fault.ts';
import { writeJson } from '../text/json/value.ts';
import { toJson } from '../text/json/data.ts';
import { boolean, type Infer, integer, object, oneOf, string } from '../wire/schema.ts';
import { READING_PATH_VERBS } from './path/reading-verbs.ts';
import { findAll, newValue, remove, resolve, set, validate } from './path/verbs.ts';
import { readHash } from './edit/request.ts';
import { DEFAULT_DEPTH, outline } from './path/outline.ts';
import { withReadMemory } from './path/read-memory.ts';
import { hidesFile } from './secrets/secrets.ts';
import { defineTool, textResult, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

const VERBS = ['resolve', 'find', 'ls', 'set', 'delete', 'validate'] as const;
const READING_VERBS: readonly string[] = READING_PATH_VERBS;

/** More than a model reads, and small enough to send quickly. */
const LIMITS = { matches: 10_000, characters: 1 << 20 };
/** A person scrolls through no more; `ls` below an address lists the rest. */
const OUTLINE_LIMITS = { matches: 2_000, characters: 1 << 20 };

const MAX_ANSWER = 4 << 20;

const INPUT = object(
  {
    verb: oneOf(VERBS, { description: 'What to do.' }),
    path: string({ description: 'The oc:// address or, for find, pattern.' }),
  },
  {
    value: string({ description: 'For set: the new text, coerced to the type of the old value.' }),
    valueJson: string({ description: 'For set: the new value as any JSON, instead of value.' }),
    dryRun: boolean({ description: 'For set and delete: show what would be written, write nothing.' }),
    diff: boolean({ description: 'With dryRun: include a unified diff.' }),
    expectHash: string({ description: 'For set and delete: only if the file has this SHA-256.' }),
    depth: integer({ min: 1, description: `For ls: levels to list (default ${DEFAULT_DEPTH}).` }),
  },
);
type PathInput = Infer<typeof INPUT>;

/** The tool `path`: the verbs of `pincer path` on files of the workspace, with the same JSON results. */
export const pathTool = defineTool({
  name: 'path',
  description:
    'Read, find or change one place in a Markdown, JSON(C), JSONL, YAML or .env file by its address oc://FILE/SECTION/ITEM/FIELD; all other bytes stay. ' +
    'find accepts wildcards (* **), unions {a,b} and predicates [key=value]; ls lists the addresses below one; ' +
    'set needs a concrete address or an insertion (+, +key, +N).',
  input: INPUT,
  effects: 'writes',
  effectsOf: ({ verb, dryRun }) => (READING_VERBS.includes(verb) || dryRun === true ? 'reads' : 'writes'),
  run: async (input, context) => result(await answerTo(checked(input), context)),
});

function checked(input: PathInput): PathInput {
  if (input.verb === 'set' && (input.value === undefined) === (input.valueJson === undefined))
    throw new Fault('PARAM_INVALID', 'path: set needs exactly one of value and valueJson', {
      details: { parameter: 'value' },
    });
  return input;
}

async function answerTo(input: PathInput, context: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { files } = context;
  const target = { hides: hidesFile(context) };
  const remembered = <T extends { readonly ok: boolean }>(change: () => Promise<T>): Promise<T> =>
    withReadMemory(input.dryRun === true ? { ...context, reads: undefined } : context, input.path, change);
  const expectHash = readHash('path', input.expectHash);
  const preview = { ...target, dryRun: input.dryRun === true, diff: input.diff === true, expectHash, withHash: true };
  switch (input.verb) {
    case 'resolve':
      return { ...(await resolve(files, input.path, target)) };
    case 'find':
      return { ...(await findAll(files, input.path, target, LIMITS)) };
    case 'ls':
      return { ...(await outline(files, input.path, target, input.depth ?? DEFAULT_DEPTH, OUTLINE_LIMITS)) };
    case 'set': {
      const value = newValue(input.valueJson ?? input.value ?? '', input.valueJson !== undefined);
      return 'ok' in value
        ? { ...value }
        : { ...(await remembered(() => set(files, input.path, { value, ...preview }))) };
    }
    case 'delete':
      return { ...(await remembered(() => remove(files, input.path, preview))) };
    case 'validate':
      return { ...validate(input.path) };
  }
}

/** YAML aliases and indentation can make the answer far longer than the file. */
function toText(answer: Readonly<Record<string, unknown>>): string {
  try {
    const text = writeJson(toJson(answer), { indent: '  ' });
    if (text.length <= MAX_ANSWER) return text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // longer than the maximum string
  }
  throw new Fault('TOOL_TOO_LARGE', `the answer has more than ${MAX_ANSWER} characters`, {
    hint: 'address a smaller part of the document',
    details: { most: MAX_ANSWER },
  });
}

/** The text is the JSON of the command line; a refusal is an error result. */
function result(answer: Readonly<Record<string, unknown>>): ToolResult {
  const text = toText(answer);
  const details = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (answer['ok'] !== false) return textResult(text, details);
  return { ...textResult(text, { ...details, code: 'OC_REFUSED' }), isError: true, error: String(answer['detail']) };
}
