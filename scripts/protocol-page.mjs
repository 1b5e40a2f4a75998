// @ts-check
/**
 * Writes what follows from the table of methods into `docs/protocol.md`: the methods, and the types of their parameters, results
 * and events. Descriptions are the comments in `src/wire`. A test proves that the page is what the code says.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const WIRE = join(root, 'src', 'wire');

export const PAGE = join(root, 'docs', 'protocol.md');
const BEGIN = '<!-- methods -->\n';
const END = '<!-- /methods -->';

/**
 * @typedef {import('../src/wire/schema.ts').Schema<unknown>} Schema
 * @typedef {{ summary: string, params: Schema, result: Schema, event?: Schema }} Method
 * @typedef {{ names: Map<unknown, string>, docs: Map<unknown, string>, texts: Map<string, string> }} Known
 */

/** The page as the sources say it. @param {string} page */
export async function protocolPage(page) {
  const from = page.indexOf(BEGIN);
  const until = page.indexOf(END);
  if (from < 0 || until < from)
    throw new Error(`docs/protocol.md has no place for the methods: ${BEGIN.trim()} and ${END}`);
  return page.slice(0, from + BEGIN.length) + generated(await wireModules()) + page.slice(until);
}

/** The modules of `src/wire`, by the names of their files. @returns {Promise<Map<string, Record<string, unknown>>>} */
async function wireModules() {
  const files = readdirSync(WIRE, { recursive: true, encoding: 'utf8' });
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.replace(/\.ts$/u, ''));
  const folder = mkdtempSync(join(tmpdir(), 'pincer-protocol-'));
  try {
    const input = Object.fromEntries(names.map((name) => [name, join(WIRE, `${name}.ts`)]));
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    await bundle.close();
    const loaded = names.map(async (name) => {
      return /** @type {const} */ ([name, await import(pathToFileURL(join(folder, `${name}.mjs`)).href)]);
    });
    return new Map(await Promise.all(loaded));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Map<string, Record<string, unknown>>} modules */
function generated(modules) {
  const known = knownTypes(modules);
  const methods = /** @type {Record<string, Method>} */ (modules.get('methods')?.['METHODS']);
  /** @type {Map<string, Schema>} */
  const used = new Map();
  const show = (/** @type {Schema} */ schema) => typeText(schema, known, used);
  const rows = Object.entries(methods).map(([name, { summary, params, result, event }]) => {
    const stream = event === undefined ? '' : ` Events: ${show(event)}.`;
    return `| \`${name}\` | ${show(params)} | ${show(result)} | ${cell(summary)}${stream} |\n`;
  });
  const types = [];
  // Showing a type may name others.
  for (const [name, schema] of used) types.push(typeSection(name, schema, known, used));
  return `\n## Methods\n\n| method | params | result | |\n|---|---|---|---|\n${rows.join('')}\n## Types\n${types.join('')}\n`;
}

/** @param {Map<string, Record<string, unknown>>} modules @returns {Known} */
function knownTypes(modules) {
  /** @type {Known} */
  const known = { names: new Map(), docs: new Map(), texts: new Map() };
  for (const [file, exported] of modules) {
    const source = readFileSync(join(WIRE, `${file}.ts`), 'utf8');
    for (const [name, value] of Object.entries(exported)) {
      if (!isSchema(value) || !source.includes(`export const ${name} = `)) continue;
      const type = name.charAt(0).toUpperCase() + name.slice(1);
      if (!source.includes(`export type ${type} = `)) continue;
      known.names.set(identity(value), type);
      const doc = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\nexport const ${name} = `, 'u').exec(source)?.[1];
      if (doc !== undefined) known.texts.set(type, commentText(doc));
    }
  }
  for (const [file, exported] of modules) {
    const source = readFileSync(join(WIRE, `${file}.ts`), 'utf8');
    for (const [name, value] of Object.entries(exported)) if (isSchema(value)) noteMembers(source, name, value, known);
  }
  return known;
}

/** The comments on the members of a declaration. @param {string} source @param {string} name @param {Schema} schema @param {Known} known */
function noteMembers(source, name, schema, known) {
  const from = source.indexOf(`export const ${name} = `);
  const text = from < 0 ? '' : source.slice(from, source.indexOf('\nexport type ', from));
  for (const [, doc = '', member = ''] of text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(\w+)(?=[:,])/gu))
    for (const found of membersCalled(schema, member))
      if (!known.names.has(identity(found))) known.docs.set(found, commentText(doc));
}

/** @param {Schema} schema @param {string} name @returns {Schema[]} */
function membersCalled({ shape }, name) {
  if (shape.type === 'object') {
    const own = shape.members[name];
    return [
      ...(own === undefined ? [] : [own]),
      ...Object.values(shape.members).flatMap((inner) => inlineMembers(inner, name)),
    ];
  }
  return 'cases' in shape ? shape.cases.flatMap((one) => membersCalled(one, name)) : [];
}

/** @param {Schema} schema @param {string} name @returns {Schema[]} */
function inlineMembers(schema, name) {
  const { shape } = schema;
  return shape.type === 'object' && shape.members[name] !== undefined ? [shape.members[name]] : [];
}

/** @param {unknown} value @returns {value is Schema} */
function isSchema(value) {
  return typeof value === 'object' && value !== null && 'shape' in value && 'read' in value;
}

/** What stays the same when a description is added. @param {Schema} schema */
function identity({ shape }) {
  if (shape.type === 'object') return shape.members;
  if (shape.type === 'enum') return shape.values;
  return 'cases' in shape ? shape.cases : shape;
}

/** @param {string} comment */
function commentText(comment) {
  return comment
    .replaceAll(/\s*\n\s*\* ?/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** @param {Schema} schema @param {Known} known @param {Map<string, Schema>} used @returns {string} */
function typeText(schema, known, used) {
  const name = known.names.get(identity(schema));
  if (name !== undefined) {
    used.set(name, schema);
    return `[${name}](#${name.toLowerCase()})`;
  }
  return ownText(schema, known, used);
}

/** @param {Schema} schema @param {Known} known @param {Map<string, Schema>} used @returns {string} */
function ownText({ shape }, known, used) {
  const inner = (/** @type {Schema} */ one) => typeText(one, known, used);
  switch (shape.type) {
    case 'enum':
      return shape.values.map((value) => `\`${value}\``).join(' ');
    case 'integer':
    case 'number':
      return `${shape.type}${bounds(shape)}`;
    case 'array':
      return `list of ${inner(shape.items)}`;
    case 'record':
      return `object of ${inner(shape.values)}`;
    case 'object': {
      const members = Object.entries(shape.members).map(
        ([name, member]) => `\`${name}\`${shape.required.includes(name) ? '' : '?'}: ${inner(member)}`,
      );
      return members.length === 0 ? 'nothing' : members.join(', ');
    }
    case 'union':
    case 'anyOf':
      return shape.cases.map(inner).join(' or ');
    case 'json':
      return 'any JSON';
    default:
      return shape.type;
  }
}

/** @param {{ readonly min?: number, readonly max?: number }} shape */
function bounds({ min, max }) {
  if (min === undefined) return '';
  return max === undefined ? ` ≥ ${min}` : ` ${min} to ${max}`;
}

/** @param {string} name @param {Schema} schema @param {Known} known @param {Map<string, Schema>} used */
function typeSection(name, schema, known, used) {
  const text = known.texts.get(name);
  const { shape } = schema;
  const head = `\n### ${name}\n${text === undefined ? '' : `\n${wrapped(text)}\n`}`;
  if (shape.type === 'union') {
    const cases = shape.cases.map((one) => `| ${ownText(one, known, used)} |\n`);
    return `${head}\n| one of these, by \`${shape.key}\` |\n|---|\n${cases.join('')}`;
  }
  if (shape.type !== 'object') return `${head}\n${ownText(schema, known, used)}\n`;
  const rows = Object.entries(shape.members).map(([member, one]) => {
    const mark = shape.required.includes(member) ? '' : '?';
    return `| \`${member}\`${mark} | ${typeText(one, known, used)} | ${cell(known.docs.get(one) ?? '')} |\n`;
  });
  return `${head}\n| member | type | |\n|---|---|---|\n${rows.join('')}`;
}

/** @param {string} text */
function wrapped(text) {
  return text.replaceAll(/(.{1,130})(?: |$)/gu, '$1\n').trimEnd();
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(PAGE, await protocolPage(readFileSync(PAGE, 'utf8')));
