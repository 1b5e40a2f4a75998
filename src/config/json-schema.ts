/** The JSON Schema (draft 2020-12) of a file of configuration, from the checkers themselves. */
import { configFile, SHARED } from './schema.ts';
import type { About, Check } from './shape.ts';
import { SIZE_PATTERN } from './sizes.ts';

/** How the schema calls itself; it is a name, not a place. */
export const SCHEMA_ID = 'urn:pincer:config';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of the whole file. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title: 'pincer.jsonc',
    description: 'What the operator says about the tools of agents. A project’s file may only make rules stricter.',
    ...schemaOf(configFile),
    $defs: Object.fromEntries(Object.entries(SHARED).map(([name, part]) => [name, wholeSchemaOf(part)] as const)),
  };
}

function schemaOf(check: Check<unknown>): JsonSchema {
  const shared = Object.entries(SHARED).find(([, part]) => part.shape === check.shape);
  return shared === undefined ? wholeSchemaOf(check) : { $ref: `#/$defs/${shared[0]}`, ...saidOf(check.about) };
}

function saidOf(about: About | undefined): JsonSchema {
  if (about === undefined) return {};
  const { summary, fallback, otherwise } = about;
  const description = otherwise === undefined ? summary : `${summary} (default: ${otherwise})`;
  return { description, ...(fallback === undefined ? {} : { default: fallback }) };
}

function wholeSchemaOf({ shape, about }: Check<unknown>): JsonSchema {
  const said = saidOf(about);
  switch (shape.type) {
    case 'text':
      return { type: 'string', ...said };
    case 'flag':
      return { type: 'boolean', ...said };
    case 'whole':
      return { type: 'integer', minimum: shape.least, maximum: shape.most, ...said };
    case 'amount':
      return { type: 'number', minimum: shape.least, maximum: shape.most, ...said };
    case 'size':
      return {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: SIZE_PATTERN },
        ],
        ...said,
      };
    case 'word':
      return { type: 'string', enum: shape.words, ...said };
    case 'list':
      return { type: 'array', items: schemaOf(shape.of), ...said };
    case 'record':
      return { type: 'object', additionalProperties: schemaOf(shape.of), ...said };
    case 'object': {
      const properties = Object.entries(shape.members).map(([name, member]) => [name, schemaOf(member)] as const);
      return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false, ...said };
    }
  }
}
