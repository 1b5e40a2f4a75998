// @ts-check
/**
 * The speed of running commands against Node's own ways and a reader in C, in one run.
 * usage: npm run bench:exec [-- --only spawn,steps,output,sessions,judge,daemon] [-- --scale 0.1]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));
const runner = join(here, '..', '..', 'dist', 'runner', 'runner.cjs');
const program = join(here, '..', '..', 'dist', 'pincer.cjs');
const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = mkdtempSync(join(tmpdir(), 'pincer-bench-'));
const runtime = join(folder, 'run');
mkdirSync(runtime, { mode: 0o700 });

/** @type {[string, string, string][]} */
const summary = [];

/** @param {string} program @param {string[]} args */
function figures(program, args) {
  const ran = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${program} ${args[0]} ended with ${ran.status ?? ran.signal}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** A program of this folder, compiled; undefined without a compiler. @param {string} name */
function compiled(name) {
  const program = join(folder, name);
  const ran = spawnSync('cc', ['-O2', '-o', program, join(here, `${name}.c`)], { stdio: 'ignore' });
  return ran.status === 0 ? program : undefined;
}

/** What is measured without the program around it, as a module that Node can load. */
async function bundleParts() {
  const root = join(here, '..', '..');
  const entry = join(folder, 'parts.ts');
  const hosts = [
    'process/launcher',
    'process/programs/which',
    'sessions/sessions',
    'files/files',
    'steps/step-files',
    'steps/step-launcher',
  ].map((name) => `hosts/${name}`);
  const policy = ['judge', 'steps/judge-step', 'steps/scan-program', 'steps/to-steps'].map((name) => `policy/${name}`);
  writeFileSync(entry, [...hosts, ...policy].map((name) => `export * from '${root}/src/${name}.ts';\n`).join(''));
  const bundle = await rolldown({
    cwd: root,
    input: { parts: entry },
    platform: 'node',
    external: ['@lydell/node-pty', '@xterm/headless'],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return join(folder, 'parts.mjs');
}

const module = await bundleParts();

/** A run of sessions. @param {string} producer @param {number} megabytes @param {number} count @param {string} kind */
function printed(producer, megabytes, count, kind) {
  const script = join(here, 'output.mjs');
  return figures(process.execPath, [script, module, runner, folder, producer, `${megabytes}`, `${count}`, kind]);
}

/** @type {Record<string, () => void>} */
const QUESTIONS = {
  spawn() {
    const rounds = `${Math.max(10, Math.round(200 * scale))}`;
    const ask = (/** @type {number} */ megabytes) =>
      figures(process.execPath, [join(here, 'spawn.mjs'), module, runner, runtime, `${megabytes}`, rounds]);
    const small = ask(0);
    const large = ask(2048);
    for (const [size, { ours, nodes }] of Object.entries({ small, '2 GB': large })) {
      console.log(
        `sh -c true, ${size} process: ours ${ours.median.toFixed(2)} ms (min ${ours.min.toFixed(2)}, blocked ${ours.blocked.toFixed(2)}), ` +
          `Node ${nodes.median.toFixed(2)} ms (min ${nodes.min.toFixed(2)}, blocked ${nodes.blocked.toFixed(2)})`,
      );
    }
    const times = (/** @type {{ min: number, median: number }} */ ours) =>
      `${(ours.median / small.nodes.median).toFixed(2)} x (fastest ${(ours.min / small.nodes.min).toFixed(2)} x)`;
    summary.push(['sh -c true against spawn of a small Node process', '1.5 x', times(small.ours)]);
    summary.push(['the same from a process with 2 GB', '1.5 x, flat', times(large.ours)]);
  },

  steps() {
    const rounds = `${Math.max(5, Math.round(20 * scale))}`;
    const { alone, ten, long, bash } = figures(process.execPath, [
      join(here, 'steps.mjs'),
      module,
      runner,
      folder,
      rounds,
    ]);
    const more = (ten - alone) / 9 - alone;
    console.log(
      `true ${alone.toFixed(2)} ms, ten steps ${ten.toFixed(1)} ms; 5 x sleep 0.1: ${long.toFixed(0)} ms, bash ${bash.toFixed(0)} ms`,
    );
    summary.push(['a step of `true` against one launch of `true`', '+4 ms', `${more.toFixed(2)} ms more`]);
    summary.push(['five steps of 100 ms against bash', '1.2 x', `${(long / bash).toFixed(2)} x`]);
  },

  output() {
    const producer = compiled('produce');
    const reader = compiled('read');
    if (producer === undefined || reader === undefined) {
      summary.push(['4 GB through one session against a reader in C', '0.5 x', 'no C compiler']);
      return;
    }
    const megabytes = Math.round(4096 * scale);
    const peer = Number(figures(reader, [producer, `${megabytes}`]));
    const ours = printed(producer, megabytes, 1, `${2 ** 30}`);
    console.log(`one session: ${ours.rate.toFixed(0)} MB/s, ${ours.memory.toFixed(0)} MB; C ${peer.toFixed(0)} MB/s`);
    const seen = `${(ours.rate / peer).toFixed(2)} x, ${ours.memory.toFixed(0)} MB`;
    summary.push(['4 GB through one session against a reader in C', '0.5 x, < 100 MB', seen]);
  },

  sessions() {
    const producer = compiled('produce');
    if (producer === undefined) {
      summary.push(['200 sessions with 20 MB each', 'lag < 80 ms', 'no C compiler']);
      return;
    }
    const count = Math.max(2, Math.round(200 * scale));
    const naive = printed(producer, 20, count, 'naive');
    const bounded = printed(producer, 20, count, `${2 ** 20}`);
    const whole = printed(producer, 20, count, `${2 ** 30}`);
    for (const [name, { rate, memory, lag }] of Object.entries({ naive, bounded, whole }))
      console.log(
        `${count} sessions, ${name}: ${rate.toFixed(0)} MB/s, ${memory.toFixed(0)} MB, lag p99 ${lag.toFixed(0)} ms`,
      );
    const shown = (/** @type {{ rate: number, lag: number }} */ { rate, lag }) =>
      `${(rate / naive.rate).toFixed(1)} x, ${lag.toFixed(0)} ms`;
    const promise = '8 x strings joined in Node, lag p99 < 80 ms';
    summary.push([`${count} sessions with 20 MB each, 1 MB of each kept`, promise, shown(bounded)]);
    summary.push(['the same, all of it kept on the disk', promise, shown(whole)]);
  },

  judge() {
    const all = figures(process.execPath, [join(here, 'judge.mjs'), module]);
    for (const { command, median, p99 } of all)
      console.log(`${(median * 1e3).toFixed(0)} us (p99 ${(p99 * 1e3).toFixed(0)})  ${JSON.stringify(command)}`);
    /** @typedef {{ median: number, isCompound?: boolean }} Figure */
    const slowest = (/** @type {(one: Figure) => boolean} */ which) =>
      `${Math.max(...all.filter(which).map((/** @type {Figure} */ { median }) => median)).toFixed(3)} ms`;
    const isSteps = (/** @type {Figure} */ { isCompound }) => isCompound === true;
    summary.push(['judgement of a typical command, the slowest of seven', '0.2 ms', slowest((one) => !isSteps(one))]);
    summary.push(['judgement of a compound command without git settings', '0.4 ms', slowest(isSteps)]);
  },

  daemon() {
    const env = { ...process.env, PINCER_STATE_DIR: join(folder, 'state'), XDG_RUNTIME_DIR: folder };
    const empty = join(folder, 'empty.cjs');
    writeFileSync(empty, '');
    const timed = (/** @type {string[]} */ args) => {
      const begin = performance.now();
      if (spawnSync(process.execPath, args, { env, stdio: 'ignore' }).status !== 0)
        throw new Error(`${args.join(' ')} failed`);
      return performance.now() - begin;
    };
    const ours = () => timed([program, 'exec', '--', 'true']);
    const peer = () => {
      const begin = performance.now();
      spawnSync('true');
      spawnSync(process.execPath, [empty], { env, stdio: 'ignore' });
      return performance.now() - begin;
    };
    try {
      ours();
      /** @type {{ ours: number[], peer: number[] }} */
      const seen = { ours: [], peer: [] };
      for (let i = 0; i < Math.max(5, Math.round(40 * scale)); i++) {
        seen.ours.push(ours());
        seen.peer.push(peer());
      }
      const median = (/** @type {number[]} */ times) => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
      const [a, b] = [median(seen.ours), median(seen.peer)];
      console.log(`pincer exec -- true: ${a.toFixed(1)} ms; node empty.cjs and true: ${b.toFixed(1)} ms`);
      summary.push([
        '`pincer exec -- true`, daemon warm, against `node empty.cjs` and `true`',
        '1.5 x',
        `${(a / b).toFixed(2)} x`,
      ]);
    } finally {
      spawnSync(process.execPath, [program, 'daemon', 'stop', '--force'], { env, stdio: 'ignore' });
    }
  },
};

try {
  for (const [name, ask] of Object.entries(QUESTIONS)) if (only === undefined || only.includes(name)) ask();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log('\n| work | promise | seen |\n|---|---|---|');
for (const row of summary) console.log(`| ${row.join(' | ')} |`);
