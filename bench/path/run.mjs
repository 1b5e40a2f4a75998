// @ts-check
/**
 * The speed of `pincer path` against its peers, in one run.
 * usage: npm run bench:path [-- --only startup,stdin,jsonl,slow,last,json,set,yaml,markdown] [-- --scale 0.1]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '../jsonl/generate.mjs';
import { has, race, ratio, table } from '../measure.mjs';
import { jsonc, markdown, smallFiles, yaml } from './files.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, '..', '..', 'dist', 'pincer.cjs');
const pincer = (/** @type {string[]} */ ...args) => [process.execPath, program, 'path', ...args];
const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = mkdtempSync(join(tmpdir(), 'pincer-bench-'));

/** @type {[string, string, string][]} */
const summary = [];

/** @param {string} work @param {string} promise @param {string} seen */
function note(work, promise, seen) {
  summary.push([work, promise, seen]);
}

/** @type {Record<string, () => void>} */
const QUESTIONS = {
  startup() {
    writeFileSync(join(folder, 'empty.cjs'), '');
    smallFiles(folder);
    const timings = race(
      [
        { name: 'node empty.cjs', command: [process.execPath, 'empty.cjs'] },
        { name: 'jsonc', command: pincer('resolve', 'oc://small.jsonc/plugins/p7/enabled') },
        { name: 'markdown', command: pincer('resolve', 'oc://small.md/tools/tool-7/risk') },
        { name: 'yaml', command: pincer('resolve', 'oc://small.yaml/steps/7/id') },
        { name: 'jsonl', command: pincer('resolve', 'oc://small.jsonl/L7/event') },
        ...(has('jq') ? [{ name: 'jq (small.json)', command: ['jq', '.plugins.p7.enabled', 'small.json'] }] : []),
      ],
      { rounds: 40, cwd: folder },
    );
    console.log(table(timings));
    for (const kind of ['jsonc', 'markdown', 'yaml', 'jsonl'])
      note(
        `resolve in a 2 KB file, ${kind}`,
        kind === 'jsonc' ? '1.4 x node' : '1.6 x node',
        `${ratio(timings, kind, 'node empty.cjs').toFixed(2)} x`,
      );
  },

  stdin() {
    smallFiles(folder);
    const line = '["resolve","oc://small.jsonc/plugins/p7/enabled","--human"]';
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const calls = 5000;
    /** Microseconds of one call from bash to a program that answers a line with a line. @param {string[]} command */
    const fromShell = (...command) => {
      const script = `coproc P { "$@"; }
        for i in 1 2 3 4 5 6 7 8 9 10; do echo "$LINE" >&"\${P[1]}"; read -r a <&"\${P[0]}"; done
        t0=\${EPOCHREALTIME/./}; for ((i=0; i<${calls}; i++)); do echo "$LINE" >&"\${P[1]}"; read -r a <&"\${P[0]}"; done; t1=\${EPOCHREALTIME/./}
        echo $((t1 - t0))`;
      const ran = spawnSync('bash', ['-c', script, 'bash', ...command], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...env, LINE: line },
      });
      return Number(ran.stdout) / 1000 / calls;
    };
    const shell = Math.min(...[1, 2, 3].map(() => fromShell(process.execPath, program, 'path', '--stdin')));
    const echo = Math.min(...[1, 2, 3].map(() => fromShell('cat')));
    writeFileSync(join(folder, 'calls.txt'), `${line}\n`.repeat(20_000));
    const timings = race(
      [
        {
          name: '20,000 calls',
          command: ['sh', '-c', `exec "${process.execPath}" "${program}" path --stdin < calls.txt`],
        },
      ],
      { rounds: 3, cwd: folder },
    );
    const inside = (timings.get('20,000 calls')?.min ?? Number.NaN) / 20_000;
    console.log(
      `path --stdin: ${shell.toFixed(3)} ms a call from bash, where cat answers in ${echo.toFixed(3)} ms; ${inside.toFixed(3)} ms a call from a file`,
    );
    note(
      'path --stdin, a call from a shell',
      '0.3 ms',
      `${shell.toFixed(2)} ms (cat: ${echo.toFixed(2)} ms; from a file ${inside.toFixed(2)} ms)`,
    );
  },

  jsonl() {
    const file = join(folder, 'session.jsonl');
    const bytes = Math.round(1e9 * scale);
    generate(file, bytes);
    const megabytes = statSync(file).size / 1e6;
    const timings = race(
      [
        { name: 'find [event=tool_call]/name', command: pincer('find', 'oc://session.jsonl/[event=tool_call]/name') },
        { name: 'find */event', command: pincer('find', 'oc://session.jsonl/*/event') },
        { name: 'find [usage.in>8990]/id', command: pincer('find', 'oc://session.jsonl/[usage.in>8990]/id') },
        { name: 'cat', command: ['cat', 'session.jsonl'] },
        ...(has('rg') ? [{ name: 'rg -n -F', command: ['rg', '-n', '-F', '"tool_call"', 'session.jsonl'] }] : []),
      ],
      { rounds: 3, cwd: folder },
    );
    const peers = has('jq')
      ? race(
          [
            { name: 'jq select', command: ['jq', '-c', 'select(.event=="tool_call").name', 'session.jsonl'] },
            { name: 'jq .event', command: ['jq', '-c', '.event', 'session.jsonl'] },
          ],
          { rounds: 1, cwd: folder },
        )
      : new Map();
    const all = new Map([...timings, ...peers]);
    console.log(`${megabytes.toFixed(0)} MB of JSONL`);
    console.log(table(all));
    const memory = `${timings.get('find [event=tool_call]/name')?.rss.toFixed(0)} MB`;
    note(
      'find [event=tool_call]/name in 1 GB JSONL',
      '15 x jq, < 100 MB',
      `${(1 / ratio(all, 'find [event=tool_call]/name', 'jq select')).toFixed(1)} x jq, ${memory}`,
    );
    note(
      'find */event in the same',
      '5 x jq',
      `${(1 / ratio(all, 'find */event', 'jq .event')).toFixed(1)} x jq, ${timings.get('find */event')?.rss.toFixed(0)} MB`,
    );
    if (timings.has('rg -n -F'))
      note(
        'the same against rg -n -F',
        'record 2 x',
        `${ratio(all, 'find [event=tool_call]/name', 'rg -n -F').toFixed(2)} x`,
      );
  },

  slow() {
    const file = join(folder, 'session.jsonl');
    generate(file, Math.round(30e6 * scale));
    const timings = race(
      [
        { name: 'find **/event', command: pincer('find', 'oc://session.jsonl/**/event') },
        { name: 'jq ..', command: ['jq', '-c', '..|objects|.event?|select(.!=null)', 'session.jsonl'] },
        { name: 'find */{event,name}', command: pincer('find', 'oc://session.jsonl/*/{event,name}') },
        { name: 'jq .event,.name', command: ['jq', '-c', '.event,.name', 'session.jsonl'] },
      ].filter(({ command }) => command[0] !== 'jq' || has('jq')),
      { rounds: 3, cwd: folder },
    );
    console.log(table(timings));
    note(
      'find **/event in 32 MB JSONL',
      'none',
      `${ratio(timings, 'find **/event', 'jq ..').toFixed(1)} x the time of jq`,
    );
    note(
      'find */{event,name} in 32 MB JSONL',
      'none',
      `${ratio(timings, 'find */{event,name}', 'jq .event,.name').toFixed(1)} x the time of jq`,
    );
  },

  last() {
    const big = join(folder, 'session.jsonl');
    generate(big, Math.round(1e9 * scale));
    generate(join(folder, 'tiny.jsonl'), 1000);
    const line = '{"event":"checkpoint","ok":true}';
    const timings = race(
      [
        { name: '$last, 1 KB', command: pincer('resolve', 'oc://tiny.jsonl/$last/event') },
        { name: '$last, 1 GB', command: pincer('resolve', 'oc://session.jsonl/$last/event') },
        {
          name: '$last, 1 GB, never counted',
          command: pincer('resolve', 'oc://session.jsonl/$last/event'),
          before: () => rmSync(join(folder, '.home', '.local'), { recursive: true, force: true }),
        },
        { name: 'append, 1 KB', command: pincer('set', 'oc://tiny.jsonl/+', line) },
        { name: 'append, 1 GB', command: pincer('set', 'oc://session.jsonl/+', line) },
      ],
      { rounds: 25, cwd: folder },
    );
    console.log(table(timings));
    note(
      '$last on 1 GB',
      '1.1 x of 1 KB',
      `${ratio(timings, '$last, 1 GB', '$last, 1 KB').toFixed(2)} x, the first time ${ratio(timings, '$last, 1 GB, never counted', '$last, 1 KB').toFixed(2)} x`,
    );
    note('append on 1 GB', '1.1 x of 1 KB', `${ratio(timings, 'append, 1 GB', 'append, 1 KB').toFixed(2)} x`);
  },

  json() {
    const { plain, commented, address, filter } = jsonc(folder, Math.round(100e6 * scale));
    const timings = race(
      [
        { name: 'resolve, JSONC with comments', command: pincer('resolve', `oc://${commented}/${address}`) },
        { name: 'resolve, JSON', command: pincer('resolve', `oc://${plain}/${address}`) },
        {
          name: 'node JSON.parse',
          command: [process.execPath, '-e', `JSON.parse(require('fs').readFileSync('${plain}', 'utf8'))`],
        },
        { name: 'cat', command: ['cat', plain] },
      ],
      { rounds: 5, cwd: folder },
    );
    const peers = has('jq')
      ? race([{ name: 'jq', command: ['jq', filter, plain] }], { rounds: 2, cwd: folder })
      : new Map();
    const all = new Map([...timings, ...peers]);
    console.log(table(all));
    note(
      'a leaf in 100 MB JSON',
      '5 x jq, < 200 MB',
      `${(1 / ratio(all, 'resolve, JSON', 'jq')).toFixed(1)} x jq, ${timings.get('resolve, JSON')?.rss.toFixed(0)} MB`,
    );
    note(
      'a leaf in 100 MB JSONC',
      '5 x jq, < 200 MB',
      `${(1 / ratio(all, 'resolve, JSONC with comments', 'jq')).toFixed(1)} x jq, ${timings.get('resolve, JSONC with comments')?.rss.toFixed(0)} MB`,
    );
  },

  set() {
    const { plain, address } = jsonc(folder, Math.round(100e6 * scale));
    let turn = 0;
    const timings = race(
      [
        { name: 'cp', command: ['cp', plain, 'copy.json'] },
        { name: 'cp and sync', command: ['sh', '-c', `cp ${plain} copy.json && sync copy.json`] },
        {
          name: 'set',
          get command() {
            return pincer('set', `oc://${plain}/${address}`, `value ${turn++}`);
          },
        },
      ],
      { rounds: 5, cwd: folder },
    );
    console.log(table(timings));
    note(
      'set of that leaf',
      '4 x cp',
      `${ratio(timings, 'set', 'cp').toFixed(2)} x cp, ${ratio(timings, 'set', 'cp and sync').toFixed(2)} x cp with sync`,
    );
  },

  yaml() {
    const { file, address } = yaml(folder, Math.round(20e6 * scale));
    const timings = race(
      [
        { name: 'resolve', command: pincer('resolve', `oc://${file}/${address}`) },
        { name: 'js-yaml', command: [process.execPath, join(here, 'peer.mjs'), 'js-yaml', file] },
      ],
      { rounds: 3, cwd: folder },
    );
    console.log(table(timings));
    note(
      'a leaf in 20 MB YAML',
      'no slower than js-yaml',
      `${(1 / ratio(timings, 'resolve', 'js-yaml')).toFixed(1)} x faster, ${timings.get('resolve')?.rss.toFixed(0)} MB`,
    );
  },

  markdown() {
    const { file, address } = markdown(folder, Math.round(20e6 * scale));
    const timings = race(
      [
        { name: 'resolve', command: pincer('resolve', `oc://${file}/${address}`) },
        { name: 'markdown-it', command: [process.execPath, join(here, 'peer.mjs'), 'markdown-it', file] },
      ],
      { rounds: 3, cwd: folder },
    );
    console.log(table(timings));
    note(
      'a leaf in 20 MB Markdown',
      '4 x faster than markdown-it',
      `${(1 / ratio(timings, 'resolve', 'markdown-it')).toFixed(1)} x, ${timings.get('resolve')?.rss.toFixed(0)} MB`,
    );
  },
};

try {
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    if (only !== undefined && !only.includes(name)) continue;
    console.log(`\n## ${name}\n`);
    ask();
    rmSync(join(folder, 'session.jsonl'), { force: true });
  }
  console.log('\n## summary\n\n| work | promise | seen |\n|---|---|---|');
  for (const row of summary) console.log(`| ${row.join(' | ')} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
