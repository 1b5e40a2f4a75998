// @ts-check
/**
 * The speed of the file tools against their peers, in one run.
 * usage: npm run bench:files [-- --only confined,patch,blanks,many,edit,warm,cold] [-- --scale 0.1]
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { has, race, table } from '../measure.mjs';
import { bundleSource } from './bundle.mjs';
import { manyFiles, oneFile } from './patches.mjs';
import { codexApplyPatch, compiledLoop } from './peers.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, '..', '..', 'dist', 'pincer.cjs');
const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = mkdtempSync(join(tmpdir(), 'pincer-bench-'));
const clean = { PATH: process.env['PATH'] ?? '', HOME: join(folder, '.home') };

/** @type {[string, string, string][]} */
const summary = [];

/** @param {string} work @param {string} promise @param {string} seen */
function note(work, promise, seen) {
  summary.push([work, promise, seen]);
}

/**
 * How many times as long `name` takes as `peer`: by the medians, and by the fastest run of each.
 * @param {Map<string, import('../measure.mjs').Timing>} timings @param {string} name @param {string} peer
 */
function times(timings, name, peer) {
  const [ours, theirs] = [timings.get(name), timings.get(peer)];
  if (ours === undefined || theirs === undefined) return `${peer} is not here`;
  return `${(ours.median / theirs.median).toFixed(2)} x ${peer} (fastest ${(ours.min / theirs.min).toFixed(2)} x)`;
}

/** Ours, reading a patch from its input. @param {string} patch */
const pincerPatch = (patch) => ['sh', '-c', `exec "${process.execPath}" "${program}" patch < ${patch}`];

/** @param {string[]} args @param {string} [cwd] */
function inProcess(args, cwd = folder) {
  const ran = spawnSync(process.execPath, args, { cwd, env: clean, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

/** One file and its patch, ours against Codex. @param {string} end @param {string} work @param {string} promise */
function patchOneFile(end, work, promise) {
  oneFile(folder, { lines: Math.round(20_000 * scale), hunks: Math.round(2000 * scale), end });
  const before = () => cpSync(join(folder, 'original.txt'), join(folder, 'big.txt'));
  const codex = codexApplyPatch();
  const timings = race(
    [
      { name: 'pincer patch', command: pincerPatch('big.patch'), before },
      ...(codex === undefined ? [] : [{ name: 'codex', command: ['sh', '-c', `exec "${codex}" < big.patch`], before }]),
    ],
    { rounds: 15, cwd: folder },
  );
  console.log(table(timings));
  note(work, promise, times(timings, 'pincer patch', 'codex'));
}

/** How many times files were laid out. */
let used = 0;

/** @param {{ files: number, lines: number, hunks: number }} size */
function layFiles(size) {
  if (existsSync(join(folder, 'original'))) renameSync(join(folder, 'original'), join(folder, `used${++used}`));
  const names = manyFiles(folder, size);
  // Put aside and not removed: for a minute or more ext4 does not give out the numbers of removed files again, and
  // looks at each of them whenever a file is made. Whoever makes new files would pay for what was removed here.
  const before = () => {
    if (existsSync(join(folder, 'src'))) renameSync(join(folder, 'src'), join(folder, `used${++used}`));
    cpSync(join(folder, 'original', 'src'), join(folder, 'src'), { recursive: true });
    spawnSync('sync', ['-f', folder]); // what was laid out is not written back while the contestants run
  };
  return { names, before };
}

/** @type {Record<string, () => void | Promise<void>>} */
const QUESTIONS = {
  async confined() {
    const module = await bundleSource('src/hosts/files/files.ts', folder, 'files');
    const medians = inProcess([join(here, 'confined.mjs'), module, folder]);
    const promises = {
      'read 1 KB': '1.5 x',
      'read distinct 1 KB': '1.5 x',
      'read 1 MB': '1.1 x',
      'write 1 KB': '1.6 x',
      'write 1 MB': '1.6 x',
    };
    for (const [work, promise] of Object.entries(promises)) {
      const { plain, confined, ...others } = medians[work];
      const all = Object.entries({ plain, confined, ...others }).map(([name, us]) => `${name} ${us.toFixed(0)} us`);
      console.log(`${work}, depth 3: ${all.join(', ')}`);
      const bare =
        others.renamed === undefined
          ? ''
          : `; a bare temporary file and rename ${(others.renamed / plain).toFixed(2)} x`;
      note(`confined ${work} against plain fs`, promise, `${(confined / plain).toFixed(2)} x${bare}`);
    }
  },

  patch() {
    patchOneFile('', '2,000 hunks on 20,000 lines against Codex', 'no slower');
  },

  blanks() {
    patchOneFile('  ', 'the same when blanks at line ends differ', 'half the time');
  },

  many() {
    const { before } = layFiles({ files: Math.round(2000 * scale), lines: 40, hunks: 1 });
    const codex = codexApplyPatch();
    const timings = race(
      [
        { name: 'pincer patch', command: pincerPatch('many.patch'), before },
        ...(codex === undefined
          ? []
          : [{ name: 'codex', command: ['sh', '-c', `exec "${codex}" < many.patch`], before }]),
      ],
      { rounds: 5, cwd: folder },
    );
    console.log(table(timings));
    const seen = times(timings, 'pincer patch', 'codex');
    note('2,000 files with one hunk each, flushed to the disk, against Codex, which does not flush', '1.5 x', seen);
  },

  edit() {
    const file = openSync(join(folder, 'source.txt'), 'w');
    const block = 'the quick brown fox jumps over the lazy dog, over and over again\n'.repeat(16_384);
    const megabytes = Math.round(50 * scale);
    for (let i = 0; i < megabytes; i++) {
      writeSync(file, block.slice(0, 1 << 20));
      if (i === Math.floor(megabytes * 0.7)) writeSync(file, 'NEEDLE in the haystack\n');
    }
    closeSync(file);
    const before = () => cpSync(join(folder, 'source.txt'), join(folder, 'big.txt'));
    const edit = [process.execPath, program, 'edit', 'big.txt', '--old', 'NEEDLE in', '--new', 'pin found in'];
    const timings = race(
      [
        { name: 'cp', command: ['cp', 'big.txt', 'copy.txt'], before },
        { name: 'cp and sync', command: ['sh', '-c', 'cp big.txt copy.txt && sync copy.txt'], before },
        { name: 'pincer edit', command: edit, before },
      ],
      { rounds: 7, cwd: folder },
    );
    console.log(table(timings));
    const memory = `${timings.get('pincer edit')?.rss.toFixed(0)} MB`;
    note(
      'one unique string in 50 MB against cp',
      '3 x, < 100 MB',
      `${times(timings, 'pincer edit', 'cp')}, ${times(timings, 'pincer edit', 'cp and sync')}, ${memory}`,
    );
  },

  async warm() {
    const { names, before } = layFiles({ files: Math.round(200 * scale), lines: 240, hunks: 10 });
    before();
    const workspace = join(folder, 'warm');
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(workspace);
    cpSync(join(folder, 'src'), join(workspace, 'src'), { recursive: true });
    const module = await bundleSource('src/apps/assemble.ts', folder, 'assemble');
    const loop = compiledLoop(folder) ?? '-';
    const {
      ours,
      durable,
      loop: peer,
    } = inProcess([join(here, 'warm.mjs'), module, workspace, folder, loop, ...names]);
    console.log(
      `2,000 hunks over 200 files, warm: ${ours.toFixed(0)} ms, flushed ${durable.toFixed(0)} ms, the loop in C ${peer?.toFixed(0) ?? '-'} ms`,
    );
    const seen =
      loop === '-' ? 'no C compiler' : `${(ours / peer).toFixed(2)} x, flushed ${(durable / peer).toFixed(2)} x`;
    note('2,000 hunks over 200 files, warm, against a loop in C that reads, writes and renames', '1.3 x', seen);
  },

  cold() {
    const { before } = layFiles({ files: Math.round(200 * scale), lines: 240, hunks: 10 });
    const timings = race(
      [
        { name: 'pincer patch', command: pincerPatch('many.patch'), before },
        ...(has('git') ? [{ name: 'git apply', command: ['git', 'apply', 'many.diff'], before }] : []),
        ...(has('patch') ? [{ name: 'patch', command: ['sh', '-c', 'exec patch -s -p1 < many.diff'], before }] : []),
      ],
      { rounds: 7, cwd: folder },
    );
    console.log(table(timings));
    const seen = times(timings, 'pincer patch', 'git apply');
    note('the same, cold, against git apply', '2.5 x', seen);
  },
};

try {
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    if (only !== undefined && !only.includes(name)) continue;
    console.log(`\n## ${name}\n`);
    await ask();
  }
  console.log('\n## summary\n\n| work | promise | seen |\n|---|---|---|');
  for (const row of summary) console.log(`| ${row.join(' | ')} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
