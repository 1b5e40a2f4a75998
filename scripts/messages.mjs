// @ts-check
/**
 * usage: npm run messages [-- FOLDER]
 * Prints every sentence of the sources that a person may read: messages and hints of faults with their codes, help texts,
 * warnings, answers. One line each: place, code of the fault where there is one, text with `{…}` for what is put in.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const folder = process.argv[2] ?? 'src';
/** Two words with a blank between them: everything shorter is a name or a key. */
const SENTENCE = /[a-z]{2,}[,:;]? [a-z$']/u;

let count = 0;
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isOurs);
for (const file of names.map((name) => join(folder, name)).sort()) {
  const text = readFileSync(file, 'utf8');
  for (const { start, sentence, code } of sentencesIn(parseAst(text, { lang: 'ts' }))) {
    const line = text.slice(0, start).split('\n').length;
    console.log(`${file}:${line}: ${code === undefined ? '' : `${code}: `}${sentence.replaceAll('\n', '\\n')}`);
    count++;
  }
}
console.log(`${count} sentences`);

/** @typedef {{ start: number, sentence: string, code: string | undefined }} Found */

/** Sentences below a node, in the order of the source. @param {unknown} node @param {string} [code] @returns {Found[]} */
function sentencesIn(node, code) {
  if (Array.isArray(node)) return node.flatMap((each) => sentencesIn(each, code));
  if (typeof node !== 'object' || node === null) return [];
  const { type, start, value, quasis, callee, arguments: args } = /** @type {Record<string, any>} */ (node);
  if (type === 'ImportDeclaration') return [];
  if (type === 'Literal' && typeof value === 'string') return found(start, value, code);
  if (type === 'TemplateLiteral') {
    const whole = quasis.map((/** @type {any} */ quasi) => quasi.value.cooked ?? '').join('{…}');
    const inside = Object.values(node).flatMap((each) => (each === quasis ? [] : sentencesIn(each, code)));
    return [...found(start, whole, code), ...inside];
  }
  const fault = type === 'NewExpression' && callee?.name === 'Fault' ? args?.[0]?.value : undefined;
  return Object.values(node).flatMap((each) => sentencesIn(each, fault ?? code));
}

/** @param {number} start @param {string} sentence @param {string | undefined} code @returns {Found[]} */
function found(start, sentence, code) {
  return SENTENCE.test(sentence) ? [{ start, sentence, code }] : [];
}

/** The scanners are AssemblyScript: they have no sentences, and another grammar. @param {string} name */
function isOurs(name) {
  return name.endsWith('.ts') && !name.includes('scan/assembly/');
}
