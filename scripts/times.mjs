// @ts-check
/** `npm test -- --times`: where the time of a run went, by step, by folder of tests and by test file. */
import { dirname } from 'node:path';

/**
 * Times are in seconds. `processor` is the user and system time of a process and of all it waited for.
 * @typedef {{ name: string, tests?: number, wall: number, processor?: number | undefined }} Row
 */

const SLOWEST_FILES = 25;

/** The whole report. @param {readonly Row[]} steps @param {readonly Row[]} files */
export function timesReport(steps, files) {
  const slowest = [...files].sort((a, b) => b.wall - a.wall).slice(0, SLOWEST_FILES);
  return [
    table('Steps', [...steps, sumOf('whole', steps)]),
    table('Folders of tests', byFolder(files)),
    table(`Slowest ${slowest.length} test files`, slowest),
  ].join('\n');
}

/** Files of one room together: `tests/hosts/files` with all below it. @param {readonly Row[]} files @returns {Row[]} */
export function byFolder(files) {
  /** @type {Map<string, Row[]>} */
  const folders = new Map();
  for (const file of files) {
    const folder = dirname(file.name).split('/').slice(0, 3).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].map(([name, rows]) => sumOf(name, rows)).sort((a, b) => b.wall - a.wall);
}

/** @param {string} name @param {readonly Row[]} rows @returns {Row} */
function sumOf(name, rows) {
  const sum = (/** @type {(row: Row) => number} */ value) => rows.reduce((total, row) => total + value(row), 0);
  return {
    name,
    tests: sum((row) => row.tests ?? 0),
    wall: sum((row) => row.wall),
    // A file whose tests are all skipped reports none.
    processor: rows.every((row) => row.processor === undefined) ? undefined : sum((row) => row.processor ?? 0),
  };
}

/** @param {string} title @param {readonly Row[]} rows */
function table(title, rows) {
  const width = Math.max(title.length, ...rows.map((row) => row.name.length));
  const line = (/** @type {string[]} */ [name = '', ...cells]) =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padStart(12)).join('')}\n`;
  const seconds = (/** @type {number | undefined} */ value) => value?.toFixed(1) ?? '-';
  return [
    line([title, 'tests', 'wall s', 'processor s']),
    ...rows.map((row) => line([row.name, `${row.tests || '-'}`, seconds(row.wall), seconds(row.processor)])),
  ].join('');
}
