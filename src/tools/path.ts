import { Fault, faultData } from '../base/fault.ts';
import { writeJson } from '../text/json/value.ts';
import { toJson } from '../text/json/data.ts';
import { findAll, newValue, remove, resolve, set, validate } from './path/verbs.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

const VERBS = ['resolve', 'find', 'set', 'delete', 'validate'] as const;

interface PathInput {
  readonly verb: (typeof VERBS)[number];
  readonly path: string;
  readonly value?: string;
  readonly valueJson?: string;
  readonly dryRun?: boolean;
  readonly diff?: boolean;
}

/** The agent tool `path`: the verbs of the command line on files of the workspace, answering its JSON. */
export const pathTool: Tool = {
  name: 'path',
  description:
    'Read, find or change one spot in a Markdown, JSON(C), JSONL or YAML file by its address oc://FILE/SECTION/ITEM/FIELD, byte-exact around the change. ' +
    'find takes wildcards (* **), unions {a,b} and predicates [key=value]; set takes a concrete address or an insertion (+, +key, +N).',
  input: {
    type: 'object',
    properties: {
      verb: { type: 'string', description: 'What to do.', enum: VERBS },
      path: { type: 'string', description: 'The oc:// address or, for find, pattern.' },
      value: { type: 'string', description: 'set: the new text, coerced to the type that stands there.' },
      valueJson: { type: 'string', description: 'set: the new value as JSON text of any shape, instead of value.' },
      dryRun: { type: 'boolean', description: 'set, delete: show what would be written, write nothing.' },
      diff: { type: 'boolean', description: 'With dryRun: also give a unified diff.' },
    },
    required: ['verb', 'path'],
    additionalProperties: false,
  },
  effects: 'writes',
  run: async (input, context) => {
    try {
      const answer = await answerTo(readInput(input), context);
      return result(answer, 'ok' in answer && answer['ok'] === false);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return result({ error: faultData(error) }, true);
    }
  },
};

function readInput(input: Readonly<Record<string, unknown>>): PathInput {
  const wrong = (message: string) => new Fault('PARAM_INVALID', `path: ${message}`);
  const { verb, path, value, valueJson, dryRun, diff } = input;
  if (!VERBS.some((name) => name === verb)) throw wrong(`verb is one of ${VERBS.join(', ')}`);
  if (typeof path !== 'string') throw wrong('path is an oc:// address');
  for (const [name, flag] of Object.entries({ dryRun, diff }))
    if (flag !== undefined && typeof flag !== 'boolean') throw wrong(`${name} is true or false`);
  if (value !== undefined && typeof value !== 'string') throw wrong('value is a string; valueJson takes any JSON');
  if (verb === 'set' && (value === undefined) === (valueJson === undefined))
    throw wrong('set needs exactly one of value and valueJson');
  const json = valueJson === undefined || typeof valueJson === 'string' ? valueJson : JSON.stringify(valueJson);
  return { ...(input as unknown as PathInput), ...(json === undefined ? {} : { valueJson: json }) };
}

async function answerTo(input: PathInput, { files }: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const preview = { dryRun: input.dryRun === true, diff: input.diff === true };
  switch (input.verb) {
    case 'resolve':
      return { ...(await resolve(files, input.path, {})) };
    case 'find':
      return { ...(await findAll(files, input.path, {})) };
    case 'set': {
      const value = newValue(input.valueJson ?? input.value ?? '', input.valueJson !== undefined);
      return 'ok' in value ? { ...value } : { ...(await set(files, input.path, { value, ...preview })) };
    }
    case 'delete':
      return { ...(await remove(files, input.path, preview)) };
    case 'validate':
      return { ...validate(input.path) };
  }
}

/** What the model reads is the JSON of the command line. */
function result(answer: Readonly<Record<string, unknown>>, isError: boolean): ToolResult {
  const content = writeJson(toJson(answer), { indent: '  ' });
  return { content, details: JSON.parse(content) as unknown, isError };
}
