// @ts-check
/** Files and the patches for them, in the formats of ours and of the peers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {number} number */
const line = (number) => `  const value${number} = compute(${number}, "some text of line ${number}");`;
/** @param {number} number */
const changed = (number) => line(number).replace('compute', 'computeAgain');

/** @param {number} count @param {string} [end] */
const lines = (count, end = '') => Array.from({ length: count }, (_, i) => `${line(i)}${end}\n`).join('');

/** The lines of one hunk around a line, with one line of context on each side. @param {number} at @param {boolean} back */
const hunk = (at, back) => {
  const [from, to] = back ? [changed(at), line(at)] : [line(at), changed(at)];
  return ` ${line(at - 1)}\n-${from}\n+${to}\n ${line(at + 1)}\n`;
};

/** @param {string} folder @param {string} name @param {string} text */
function put(folder, name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/**
 * One file of so many lines and a patch with so many hunks; `end` is what the file's lines have at their ends and the
 * patch's have not.
 * @param {string} folder @param {{ lines: number, hunks: number, end?: string }} size
 */
export function oneFile(folder, { lines: count, hunks, end }) {
  put(folder, 'original.txt', lines(count, end));
  const step = Math.floor(count / hunks);
  const places = Array.from({ length: hunks }, (_, i) => i * step + 2);
  const body = places.map((at) => `@@\n${hunk(at, false)}`).join('');
  put(folder, 'big.patch', `*** Begin Patch\n*** Update File: big.txt\n${body}*** End Patch\n`);
}

/**
 * So many files, and patches that change so many places in each of them: forth and back in our format, forth for git.
 * @param {string} folder @param {{ files: number, lines: number, hunks: number }} size
 */
export function manyFiles(folder, { files, lines: count, hunks }) {
  const names = Array.from({ length: files }, (_, i) => `src/part${i % 10}/file${i}.txt`);
  const step = Math.floor(count / hunks);
  const places = Array.from({ length: hunks }, (_, i) => i * step + 2);
  const text = lines(count);
  for (const name of names) put(folder, join('original', name), text);
  /** @param {boolean} back */
  const ours = (back) => {
    const body = places.map((at) => `@@\n${hunk(at, back)}`).join('');
    return `*** Begin Patch\n${names.map((name) => `*** Update File: ${name}\n${body}`).join('')}*** End Patch\n`;
  };
  put(folder, 'many.patch', ours(false));
  put(folder, 'many.back.patch', ours(true));
  const unified = places.map((at) => `@@ -${at},3 +${at},3 @@\n${hunk(at, false)}`).join('');
  put(folder, 'many.diff', names.map((name) => `--- a/${name}\n+++ b/${name}\n${unified}`).join(''));
  return names;
}
