// @ts-check
/**
 * Writes what follows from the checkers of the configuration: `schema/pincer.schema.json`, which the package publishes, and the
 * table of settings in `docs/config.md`. A test proves that both are what the code says.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const SCHEMA_FILE = join(root, 'schema', 'pincer.schema.json');
export const DOCUMENT = join(root, 'docs', 'config.md');
const BEGIN = '<!-- settings -->\n';
const END = '<!-- /settings -->';

/**
 * A part of a JSON Schema.
 * @typedef {{
 *   type?: string, description?: string, default?: unknown, enum?: string[], minimum?: number, maximum?: number,
 *   properties?: Record<string, Part>, items?: Part, additionalProperties?: boolean | Part, $ref?: string,
 *   $defs?: Record<string, Part>, anyOf?: Part[]
 * }} Part
 */

/** The text of the schema's file. @param {object} schema */
export function schemaText(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The document with the table of these settings in it. @param {string} document @param {Part} schema */
export function withTable(document, schema) {
  const from = document.indexOf(BEGIN);
  const until = document.indexOf(END);
  if (from < 0 || until < from)
    throw new Error(`docs/config.md has no place for the table: ${BEGIN.trim()} and ${END}`);
  return document.slice(0, from + BEGIN.length) + tableOf(schema) + document.slice(until);
}

/** @param {Part} schema */
function tableOf(schema) {
  const rows = [...settings(schema, schema, '')].map(
    ({ path, part }) => `| \`${path}\` | ${takes(part)} | ${fallback(part)} | ${cell(part.description ?? '')} |\n`,
  );
  return `| setting | takes | default | |\n|---|---|---|---|\n${rows.join('')}`;
}

/**
 * Every setting, with `[i]` for a number and `NAME` for a name of the operator's choosing. What stands in several places is shown
 * at the first.
 * @param {Part} schema @param {Part} part @param {string} at
 * @returns {Generator<{ path: string, part: Part }>}
 */
function* settings(schema, part, at) {
  for (const [name, member] of Object.entries(part.properties ?? {})) {
    const path = at === '' ? name : `${at}.${name}`;
    const whole = resolved(schema, member);
    if (path === 'exec' || /\[i\]\.(?:tools|sandbox)$/u.test(path)) yield { path, part: { ...member, type: 'object' } };
    else if (whole.properties !== undefined) yield* settings(schema, whole, path);
    else {
      yield { path, part: whole };
      if (whole.items !== undefined) yield* settings(schema, resolved(schema, whole.items), `${path}[i]`);
      const { additionalProperties: of } = whole;
      if (typeof of === 'object') yield* settings(schema, resolved(schema, of), `${path}.NAME`);
    }
  }
}

/** @param {Part} schema @param {Part} part @returns {Part} */
function resolved(schema, part) {
  if (part.$ref === undefined) return part;
  const { $ref, ...own } = part;
  return { ...schema.$defs?.[$ref.slice('#/$defs/'.length)], ...own };
}

/** @param {Part} part @returns {string} */
function takes({ type, enum: words, minimum, maximum, items, anyOf }) {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(' ');
  if (anyOf !== undefined && anyOf.some(({ type }) => type === 'object'))
    return anyOf.map((one) => (one.type === 'object' ? 'an object' : takes(one))).join(', or ');
  if (anyOf !== undefined) return 'a size such as `512m`';
  if (type === 'integer' || type === 'number')
    return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
  if (type === 'boolean') return 'true, false';
  if (type === 'array') return items?.type === 'string' ? 'a list of strings' : 'a list';
  return type === 'object' ? 'an object' : 'a string';
}

/** @param {Part} part */
function fallback(part) {
  const value = /** @type {string | number | boolean | string[] | Record<string, unknown> | undefined} */ (
    part.default
  );
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((entry) => `\`${entry}\``).join(' ');
  return typeof value === 'object' ? 'none' : `\`${value}\``;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

/** The schema as the sources say it. */
async function currentSchema() {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-schema-'));
  try {
    const bundle = await rolldown({
      input: join(root, 'src/config/schema/schema.ts'),
      platform: 'node',
      logLevel: 'warn',
    });
    await bundle.write({ file: join(folder, 'schema.mjs'), format: 'esm', codeSplitting: false });
    await bundle.close();
    const { configSchema } = await import(pathToFileURL(join(folder, 'schema.mjs')).href);
    return configSchema();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const schema = await currentSchema();
  mkdirSync(dirname(SCHEMA_FILE), { recursive: true });
  writeFileSync(SCHEMA_FILE, schemaText(schema));
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), schema));
}
