// @ts-check
/**
 * The speed of the MCP server: its start against bare Node, and a read of 1 KB against the file server of the protocol's
 * authors, with the same clients in one run.
 * usage: npm run bench:mcp [-- --only start,stdio,lines,http,heavy] [-- --scale 0.1]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { best, load, middle, shown } from './figures.mjs';
import { healthDuringHeavyCalls } from './heavy.mjs';
import { serving } from './http.mjs';
import { talkTo } from './lines.mjs';
import { filesystemServer } from './peer.mjs';

// The official client keeps one signal for all of its requests, and Node warns about each listener on it.
process.removeAllListeners('warning');

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, '..', '..', 'dist', 'pincer.cjs');
const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const folder = mkdtempSync(join(tmpdir(), 'pincer-bench-'));
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
const file = join(workspace, 'file.txt');
writeFileSync(file, 'a line of sixty-four bytes, so that sixteen of them are a KB...\n'.repeat(16));
const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  PINCER_STATE_DIR: join(folder, 'state'),
  XDG_RUNTIME_DIR: folder,
};

/** @type {[string, string, string][]} */
const summary = [];

/** @typedef {{ name: string, command: readonly string[], tool: string, args: object }} Contestant */

/** @returns {Contestant[]} */
function contestants() {
  const ours = { name: 'pincer', command: [process.execPath, program, 'mcp', '--workspace', workspace], tool: 'read' };
  const peer = filesystemServer();
  return [
    { ...ours, args: { path: 'file.txt' } },
    ...(peer === undefined
      ? []
      : [
          {
            name: 'server-filesystem',
            command: [process.execPath, peer, workspace],
            tool: 'read_text_file',
            args: { path: file },
          },
        ]),
  ];
}

/**
 * Blocks of calls that take turns between the servers, one by one and sixteen at a time.
 * @param {readonly { name: string, call: () => Promise<any> }[]} servers @param {(answer: any) => any} resultOf
 */
async function compare(servers, resultOf) {
  const calls = Math.max(50, Math.round(1000 * scale));
  for (const { name, call } of servers) {
    const { content, isError } = resultOf(await call());
    if (isError === true || !content[0].text.includes('sixty-four')) throw new Error(`${name} did not read the file`);
    await load(call, calls, 4);
  }
  /** @type {Map<string, Record<number, import('./figures.mjs').Latency[]>>} */
  const blocks = new Map(servers.map(({ name }) => [name, { 1: [], 16: [] }]));
  for (let round = 0; round < 3; round++) {
    for (const together of [1, 16])
      for (const { name, call } of servers) blocks.get(name)?.[together]?.push(await load(call, calls, together));
  }
  return new Map(
    [...blocks].map(([name, seen]) => [name, { alone: best(seen[1] ?? []), together: best(seen[16] ?? []) }]),
  );
}

/** @param {Awaited<ReturnType<typeof compare>>} seen @param {string} way @param {number} most */
function report(seen, way, most) {
  for (const [name, { alone, together }] of seen)
    console.log(`${way}, ${name}: one by one ${shown(alone)}; 16 at a time ${shown(together)}`);
  const ours = seen.get('pincer');
  const peer = seen.get('server-filesystem');
  if (ours === undefined) return;
  summary.push([`read of 1 KB, ${way}`, `p50 < ${most} ms`, `p50 ${ours.alone.p50.toFixed(2)} ms`]);
  if (peer === undefined) return;
  const times = (/** @type {'alone' | 'together'} */ how) => `${(ours[how].rate / peer[how].rate).toFixed(1)} x`;
  summary.push([
    `its rate against server-filesystem, ${way}`,
    '>= 5 x',
    `${times('alone')}, 16 at a time ${times('together')}`,
  ]);
}

/**
 * What a call costs the server itself, which holds on a busy machine too.
 * @param {readonly { name: string, server: ReturnType<typeof talkTo>, call: () => Promise<unknown> }[]} servers
 */
async function reportProcessorTime(servers) {
  const calls = Math.max(200, Math.round(4000 * scale));
  /** @type {Map<string, number>} */
  const costs = new Map();
  for (const { name, server, call } of servers) {
    const before = server.processorTime();
    if (before === undefined) return;
    await load(call, calls, 16);
    costs.set(name, ((server.processorTime() ?? Number.NaN) - before) / calls);
  }
  for (const [name, cost] of costs) console.log(`processor time of a call, ${name}: ${cost.toFixed(3)} ms`);
  const [ours, peer, empty] = ['pincer', 'server-filesystem', 'empty'].map((name) => costs.get(name) ?? Number.NaN);
  const times = (/** @type {number | undefined} */ cost) =>
    `${((peer ?? Number.NaN) / (cost ?? Number.NaN)).toFixed(1)} x`;
  summary.push([
    'calls in the processor time of one of server-filesystem',
    '>= 5 x',
    `${times(ours)}; a server on the package that reads nothing ${times(empty)}`,
  ]);
}

/** @type {Record<string, () => Promise<void>>} */
const QUESTIONS = {
  async start() {
    const [ours = /** @type {never} */ (undefined), ...peers] = contestants();
    const bare = () => {
      const begin = performance.now();
      if (spawnSync(process.execPath, ['-e', '0'], { env: environment, stdio: 'ignore' }).status !== 0)
        throw new Error('node -e 0 failed');
      return performance.now() - begin;
    };
    /** @param {readonly string[]} command @param {'greet' | 'modern'} opening */
    const listed = async (command, opening) => {
      const begin = performance.now();
      const server = talkTo({ command, cwd: workspace, environment });
      if (opening === 'greet') void server.greet();
      const { result } = await (opening === 'greet'
        ? server.ask('tools/list', {})
        : server.askModern('tools/list', {}));
      const time = performance.now() - begin;
      if (result.tools.length < 5) throw new Error('too few tools');
      await server.leave();
      return time;
    };
    /** @type {Record<string, () => number | Promise<number>>} */
    const ways = {
      'node -e 0': bare,
      'pincer mcp, 2025 era': () => listed(ours.command, 'greet'),
      'pincer mcp, 2026 era': () => listed(ours.command, 'modern'),
      ...Object.fromEntries(peers.map(({ name, command }) => [name, () => listed(command, 'greet')])),
    };
    /** @type {Map<string, number[]>} */
    const times = new Map(Object.keys(ways).map((name) => [name, []]));
    for (let round = 0; round < Math.max(5, Math.round(30 * scale)); round++)
      for (const [name, run] of Object.entries(ways)) times.get(name)?.push(await run());
    const base = middle(times.get('node -e 0') ?? []);
    for (const [name, seen] of times) {
      const { median, min } = middle(seen);
      console.log(`first tools/list, ${name}: median ${median.toFixed(1)} ms, fastest ${min.toFixed(1)} ms`);
      if (!name.startsWith('pincer')) continue;
      const ratio = `${(median / base.median).toFixed(2)} x (fastest ${(min / base.min).toFixed(2)} x)`;
      summary.push([`first tools/list against bare Node, ${name}`, '2.5 x', ratio]);
    }
  },

  async stdio() {
    const servers = await Promise.all(
      contestants().map(async ({ name, command: [start = '', ...args], tool, args: sent }) => {
        const client = new Client({ name: 'bench', version: '0' });
        await client.connect(
          new StdioClientTransport({ command: start, args, cwd: workspace, env: environment, stderr: 'ignore' }),
        );
        return { name, client, call: () => client.callTool({ name: tool, arguments: { ...sent } }) };
      }),
    );
    report(await compare(servers, (answer) => answer), 'over stdio with the official client', 2);
    for (const { client } of servers) await client.close();
  },

  async lines() {
    const empty = { name: 'empty', command: [process.execPath, join(here, 'empty.mjs')], tool: 'read', args: {} };
    const servers = await Promise.all(
      [...contestants(), empty].map(async ({ name, command, tool, args }) => {
        const server = talkTo({ command, cwd: workspace, environment });
        await server.greet();
        return { name, server, call: () => server.ask('tools/call', { name: tool, arguments: args }) };
      }),
    );
    report(await compare(servers, ({ result }) => result), 'over stdio with a client of bare lines', 2);
    await reportProcessorTime(servers);
    for (const { server } of servers) await server.leave();
  },

  async http() {
    const served = await serving({ program, workspace, environment });
    try {
      for (const mode of /** @type {const} */ (['legacy', 'auto'])) {
        const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode } });
        const headers = { authorization: `Bearer ${served.token}` };
        await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit: { headers } }));
        const call = () => client.callTool({ name: 'read', arguments: { path: 'file.txt' } });
        const era = mode === 'legacy' ? '2025' : '2026';
        report(await compare([{ name: 'pincer', call }], (answer) => answer), `over HTTP, ${era} era`, 4);
        await client.close();
      }
    } finally {
      await served.stop();
    }
  },

  async heavy() {
    const served = await serving({ program, workspace, environment });
    try {
      const { p99, max, bare, answers, outcomes } = await healthDuringHeavyCalls(served, workspace, scale);
      console.log(
        `heavy calls: ${outcomes.join(', ')}; ${answers} answers of /healthz meanwhile, max ${max.toFixed(1)} ms`,
      );
      console.log(`a bare server meanwhile: p99 ${bare.p99.toFixed(1)} ms, max ${bare.max.toFixed(1)} ms`);
      summary.push([
        '/healthz while 50 MB of anchored YAML and 10 MB of `>` are read',
        'p99 < 100 ms',
        `${p99.toFixed(1)} ms`,
      ]);
    } finally {
      await served.stop();
    }
  },
};

try {
  for (const [name, ask] of Object.entries(QUESTIONS)) if (only === undefined || only.includes(name)) await ask();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log('\n| work | promise | seen |\n|---|---|---|');
for (const row of summary) console.log(`| ${row.join(' | ')} |`);
