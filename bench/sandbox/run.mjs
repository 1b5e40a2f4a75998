// @ts-check
/**
 * The speed of sandboxes against Node's own `spawn`, one bubblewrap per command, the engines' own exec and the same tools on
 * this machine, in one run.
 * usage: npm run bench:sandbox [-- --only command,tools,containers,cold,many] [-- --scale 0.1]
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBox, run, specOf } from './box.mjs';
import { measureEngine } from './containers.mjs';
import { memoryOf } from './memory.mjs';
import { loadParts } from './parts.mjs';
import { startPeer, timed } from './peer.mjs';
import { race, shown, times } from './race.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const runner = join(root, 'dist', 'runner', 'runner.cjs');
const argument = (/** @type {string} */ name) => process.argv[process.argv.indexOf(name) + 1];
const only = process.argv.includes('--only') ? argument('--only')?.split(',') : undefined;
const scale = process.argv.includes('--scale') ? Number(argument('--scale')) : 1;
const scaled = (/** @type {number} */ rounds) => Math.max(10, Math.round(rounds * scale));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-bench-')));
chmodSync(folder, 0o755);
const [workspace = '', scratch = ''] = ['workspace', 'scratch'].map((name) => join(folder, name));
for (const each of [workspace, scratch]) mkdirSync(each);

const SH = ['/bin/sh', '-c', 'true'];
const OUTPUT = 'yes | head -c 100000000';
const MANY = 50;

/** @type {[string, string, string][]} */
const summary = [];
const parts = await loadParts(folder);
const peer = startPeer();
const agent = parts.provisions({ runner });
const bubblewrap = parts.createBubblewrap({ provisions: () => agent, hidden: [], scratch });
const works = await bubblewrap.probe();

/** @param {string} question @param {() => Promise<void>} ask */
async function withBubblewrap(question, ask) {
  if (works.ok) await ask();
  else summary.push([question, '', `not measured: ${works.message}`]);
}

/** A profile that others use for each command: all namespaces, and this machine's programs read-only. */
function oneForEach() {
  const links = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const own = ['--unshare-user', '--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
  const seen = ['--ro-bind', '/usr', '/usr', ...links, '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  return ['bwrap', ...own, ...seen, '--bind', workspace, '/workspace', ...SH];
}

/** The launcher that the gateway's sessions have. */
async function registry() {
  const sandboxes = parts.createSandboxes({
    folder: scratch,
    backendFor: async () => bubblewrap,
    connect: parts.connectInside,
  });
  const container = {
    image: undefined,
    socket: undefined,
    runtime: undefined,
    setupCommand: undefined,
    user: undefined,
  };
  const { limits, workspaceAccess, binds, env } = specOf(workspace);
  const settings = {
    mode: 'all',
    backend: 'bubblewrap',
    scope: 'agent',
    networkAllow: [],
    pruneAfterMs: 3_600_000,
    limits,
    workspaceAccess,
    binds,
    env,
    container,
  };
  const place = parts.placeFor(settings, { agent: 'main' }, workspace);
  await sandboxes.open(place);
  const launcher = sandboxes.runnerOf(place);
  return { sh: () => run(launcher, 'true'), close: () => sandboxes.close() };
}

/** Reads a file as a model does: page by page, where the answer says how to go on. @param {(args: object) => Promise<any>} read */
async function readToEnd(read) {
  let bytes = 0;
  for (let offset = 1; offset !== undefined; ) {
    const { content, details } = await read({ path: 'big.txt', offset });
    bytes += content[0].text.length;
    offset = details.continuation?.offset;
  }
  if (bytes < 1_000_000) throw new Error(`only ${bytes} bytes of the large file were read`);
}

/** The time until the agent, as a plain process of this machine, has announced itself. */
async function agentStart() {
  const began = performance.now();
  const options = agent.command.slice(agent.command.indexOf('/opt/pincer/bin/node') + 1, -2);
  const child = spawn(process.execPath, [...options, runner, '--inside'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const places = { workspace, stateDir: join(folder, 'state'), scratch };
  const link = parts.connectInside(child.stdio[3], { breakDown: () => child.kill('SIGKILL'), places });
  await link.ready;
  const took = performance.now() - began;
  await link.launcher.close();
  await gone;
  return took;
}

/** @type {Record<string, () => Promise<void>>} */
const QUESTIONS = {
  command: () =>
    withBubblewrap('`sh -c true` in a bubblewrap sandbox', async () => {
      const box = await openBox(parts, bubblewrap, specOf(workspace));
      const all = await registry();
      const seen = await race(
        {
          inside: () => box.sh('true'),
          registry: () => all.sh(),
          spawn: () => peer.run(SH),
          own: () => timed(SH),
          each: () => peer.run(oneForEach()),
        },
        scaled(300),
      );
      const reader = startPeer(); // what it has read makes it large, and slow to start others
      const output = await race(
        { inside: () => box.sh(OUTPUT), spawn: () => reader.run(['/bin/sh', '-c', OUTPUT]) },
        5,
        1,
      );
      reader.end();
      console.log(`sh -c true: ${shown(seen)}`);
      console.log(`100 MB of output: ${shown(output)}`);
      summary.push([
        '`sh -c true` in a bubblewrap sandbox against `spawn` in a small process',
        '1.5 x',
        times(seen.inside, seen.spawn),
      ]);
      summary.push(['the same through the registry of sandboxes', '1.5 x', times(seen.registry, seen.spawn)]);
      summary.push(['`spawn` in the process of the gateway itself', '', times(seen.own, seen.spawn)]);
      summary.push(['one bubblewrap for each command against `spawn`', '', times(seen.each, seen.spawn)]);
      summary.push(['100 MB of output against `spawn`', '', times(output.inside, output.spawn)]);
      await all.close();
      await box.end();
    }),

  tools: () =>
    withBubblewrap('file tools in a bubblewrap sandbox', async () => {
      writeFileSync(join(workspace, 'small.txt'), 'hello\n');
      writeFileSync(join(workspace, 'big.txt'), `${'x'.repeat(99)}\n`.repeat(10_000));
      const box = await openBox(parts, bubblewrap, specOf(workspace));
      const modelContextWindowTokens = 200_000;
      const host = parts.assembleTools({ workspace, stateDir: join(folder, 'state'), modelContextWindowTokens });
      const here = (/** @type {object} */ args) => host.call('read', args);
      const ours = (/** @type {object} */ args) => box.link.callTool('read', args, { modelContextWindowTokens });
      const ping = await race({ ping: () => box.link.ping() }, scaled(1000));
      const small = await race(
        { inside: () => ours({ path: 'small.txt' }), host: () => here({ path: 'small.txt' }) },
        scaled(1000),
      );
      const big = await race({ inside: () => readToEnd(ours), host: () => readToEnd(here) }, scaled(50), 5);
      console.log(`${shown(ping)}; read of a small file: ${shown(small)}; of 1 MB in pages: ${shown(big)}`);
      const rate = `${(big.host.median / big.inside.median).toFixed(2)} x (fastest ${(big.host.min / big.inside.min).toFixed(2)} x)`;
      summary.push(['a question to the agent inside', 'under 1 ms', `${ping.ping.median.toFixed(2)} ms`]);
      summary.push(['`read` of a small file inside', 'under 1 ms', `${small.inside.median.toFixed(2)} ms`]);
      summary.push(['the same against this machine', '', times(small.inside, small.host)]);
      summary.push(['rate of `read` of 1 MB, page by page, against this machine', '0.5 x', rate]);
      await box.end();
    }),

  async containers() {
    for (const name of /** @type {const} */ (['docker', 'podman'])) {
      const work = `\`sh -c true\` in a ${name} container against \`spawn\``;
      const seen = await measureEngine(parts, name, { runner, folder, workspace, peer, rounds: scaled(200) });
      if (typeof seen === 'string') {
        summary.push([work, '1.5 x', seen]);
        continue;
      }
      console.log(`${name}: ${shown(seen)}`);
      summary.push([work, '1.5 x', times(seen.agent, seen.spawn)]);
      summary.push(["the same against `spawn` of the image's own shell", '', times(seen.agent, seen.sameShell)]);
      summary.push([`${name}'s own exec against \`spawn\``, '', times(seen.api, seen.spawnMeanwhile)]);
    }
  },

  cold: () =>
    withBubblewrap('first command in a new bubblewrap sandbox', async () => {
      const first = async () => {
        const began = performance.now();
        const box = await openBox(parts, bubblewrap, specOf(workspace));
        await box.sh('true');
        const took = performance.now() - began;
        await box.end();
        return took;
      };
      const seen = await race({ first, agent: agentStart, spawn: () => peer.run(SH) }, scaled(30), 2);
      console.log(`cold: ${shown(seen)}`);
      const beyond = (/** @type {'median' | 'min'} */ by) => (seen.first[by] - seen.agent[by]) / seen.spawn[by];
      summary.push([
        'first command in a new bubblewrap sandbox, beyond the start of the agent, against `spawn`',
        '15 x',
        `${beyond('median').toFixed(1)} x (fastest ${beyond('min').toFixed(1)} x)`,
      ]);
      summary.push(['the same in all against the start of the agent', '', times(seen.first, seen.agent)]);
    }),

  many: () =>
    withBubblewrap(`${MANY} bubblewrap sandboxes at once`, async () => {
      const began = performance.now();
      const opening = Array.from({ length: MANY }, async (_, i) => {
        const own = join(folder, `many-${i}`);
        mkdirSync(own);
        const box = await openBox(parts, bubblewrap, specOf(own));
        await box.sh('true');
        return box;
      });
      const boxes = await Promise.all(opening);
      const seconds = (performance.now() - began) / 1000;
      const pids = boxes.map(({ pid }) => pid);
      const idle = memoryOf(pids) / MANY;
      await Promise.all(boxes.map(({ link }) => link.callTool('write', { path: 'a.txt', content: 'a' })));
      const used = memoryOf(pids) / MANY;
      await Promise.all(boxes.map((box) => box.end()));
      console.log(`${MANY} sandboxes: ${seconds.toFixed(2)} s, ${((seconds / MANY) * 1000).toFixed(0)} ms each`);
      summary.push([
        `${MANY} bubblewrap sandboxes opened at once, with a command in each`,
        '',
        `${seconds.toFixed(1)} s`,
      ]);
      summary.push(['memory of each; after a file tool', '', `${idle.toFixed(0)} MB; ${used.toFixed(0)} MB`]);
    }),
};

try {
  for (const [name, ask] of Object.entries(QUESTIONS)) if (only === undefined || only.includes(name)) await ask();
} finally {
  peer.end();
  rmSync(folder, { recursive: true, force: true });
}
console.log('\n| work | promise | seen |\n|---|---|---|');
for (const row of summary) console.log(`| ${row.join(' | ')} |`);
