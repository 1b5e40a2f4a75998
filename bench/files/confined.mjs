// @ts-check
/**
 * usage: node confined.mjs MODULE FOLDER
 * Reads and writes through the boundary against plain ones, taking turns in one process; prints medians as JSON.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [module = '', folder = ''] = process.argv.slice(2);
const { localFiles } = await import(module);
// Depth 3, and a file of its own for each: what one leaves to be flushed must not be paid for by another.
const NAMES = {
  plain: 'a/b/c/plain.txt',
  renamed: 'a/b/c/renamed.txt',
  confined: 'a/b/c/confined.txt',
  recorded: 'a/b/c/recorded.txt',
};
const workspace = join(folder, 'ws');
const state = join(folder, 'state');
mkdirSync(join(workspace, 'a', 'b', 'c'), { recursive: true });

const files = localFiles({ cwd: workspace, stateDir: state, durable: false });
const writer = await files.writer('bench');
const recording = await localFiles({
  cwd: workspace,
  stateDir: state,
  durable: false,
  author: { agent: 'bench', client: 'bench' },
}).writer('bench');

/** @param {string} name @param {Uint8Array} bytes @param {typeof writer} through */
function confinedWrite(name, bytes, through) {
  const file = files.openPath(name);
  try {
    through.exclusively([file.located], () => through.replace(file, [{ start: 0, end: file.size, bytes }]));
  } finally {
    file.close();
  }
}

/** @param {string} name */
function confinedRead(name) {
  const file = files.openPath(name);
  try {
    return file.readAll().length;
  } finally {
    file.close();
  }
}

/**
 * Microseconds of one call, as the median of blocks. A write leaves work to the file system that the next one waits for,
 * so that each contestant does a block of them before it is another's turn.
 * @param {Record<string, (turn: number) => unknown>} contestants @param {number} blocks @param {number} calls
 */
function takeTurns(contestants, blocks, calls) {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let block = -5; block < blocks; block++) {
    for (const [name, work] of Object.entries(contestants)) {
      const begin = process.hrtime.bigint();
      for (let turn = 0; turn < calls; turn++) work(turn);
      const took = Number(process.hrtime.bigint() - begin) / 1e3 / calls;
      if (block >= 0) times[name]?.push(took);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN]),
  );
}

/** @type {Record<string, Record<string, number>>} */
const medians = {};
for (const [label, size, calls] of /** @type {const} */ ([
  ['1 KB', 1 << 10, 50],
  ['1 MB', 1 << 20, 10],
])) {
  const bytes = [65, 66].map((letter) => new Uint8Array(size).fill(letter));
  const content = (/** @type {number} */ turn) => bytes[turn & 1] ?? new Uint8Array();
  for (const name of Object.values(NAMES)) writeFileSync(join(workspace, name), content(1));
  const plain = join(workspace, NAMES.plain);
  const renamed = join(workspace, NAMES.renamed);
  medians[`read ${label}`] = takeTurns(
    { plain: () => readFileSync(plain).length, confined: () => confinedRead(NAMES.confined) },
    40,
    calls * 4,
  );
  medians[`write ${label}`] = takeTurns(
    {
      plain: (turn) => writeFileSync(plain, content(turn)),
      renamed: (turn) => {
        writeFileSync(`${renamed}.tmp`, content(turn));
        renameSync(`${renamed}.tmp`, renamed);
      },
      confined: (turn) => confinedWrite(NAMES.confined, content(turn), writer),
      recorded: (turn) => confinedWrite(NAMES.recorded, content(turn), recording),
    },
    15,
    calls,
  );
}
// Every file of a large folder once: nothing that is remembered of a file can help.
const many = Array.from({ length: 2000 }, (_, i) => `a/b/c/one-of-many-${i}.txt`);
for (const name of many) writeFileSync(join(workspace, name), new Uint8Array(1 << 10).fill(65));
medians['read distinct 1 KB'] = takeTurns(
  {
    plain: (turn) => readFileSync(join(workspace, many[turn] ?? '')).length,
    confined: (turn) => confinedRead(many[turn] ?? ''),
  },
  15,
  many.length,
);
console.log(JSON.stringify(medians));
