// @ts-check
/** The built program as a gateway and as a node, each with folders of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const program = join(here, '..', '..', 'dist', 'pincer.cjs');
/** The default rules, with rules for what is measured. */
const ALLOWED = ['/usr/bin/true', '/usr/bin/head', '/usr/bin/yes'];

/** @typedef {{ stateDir: string, workspace: string, environment: Record<string, string> }} Home */

/** @param {string} folder @param {object} [config] @returns {Home} */
export function makeHome(folder, config = {}) {
  for (const name of ['state', 'run', 'work', 'config/pincer'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config', 'pincer', 'pincer.jsonc'), JSON.stringify(config));
  const stateDir = join(folder, 'state');
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    PINCER_STATE_DIR: stateDir,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: folder,
  };
  const approvals = { version: 1, agents: { '*': { allowlist: ALLOWED.map((pattern) => ({ pattern })) } } };
  writeFileSync(join(stateDir, 'exec-approvals.json'), JSON.stringify(approvals), { mode: 0o600 });
  return { stateDir, workspace: join(folder, 'work'), environment };
}

/**
 * Starts a program that prints lines of JSON and runs until it is stopped. `health()` reports memory in MB and the lag of the
 * event loop since the last `health('reset')`.
 * @param {Home} home @param {readonly string[]} args @param {(line: any) => boolean} isReady
 */
export async function started(home, args, isReady) {
  const healthFile = join(home.stateDir, '..', 'health.json');
  const flags = ['--require', join(here, 'health.cjs'), ...(process.env['BENCH_NODE_FLAGS']?.split(' ') ?? [])];
  const child = spawn(process.execPath, [...flags, program, ...args, '--json'], {
    cwd: home.workspace,
    env: { ...home.environment, BENCH_HEALTH: healthFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4000)));
  const ended = once(child, 'close');
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const value = JSON.parse(line);
      if (isReady(value)) resolve(value);
    });
  });
  const early = ended.then(([code]) => Promise.reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`)));
  early.catch(() => undefined);
  const line = await Promise.race([ready, early]);
  return {
    line,
    pid: child.pid ?? 0,
    /** @param {'reset'} [reset] @returns {Promise<{ rss: number, lag: { p50: number, p99: number, max: number } }>} */
    async health(reset) {
      child.kill(reset === undefined ? 'SIGUSR2' : 'SIGWINCH');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return reset === undefined
        ? JSON.parse(readFileSync(healthFile, 'utf8'))
        : { rss: 0, lag: { p50: 0, p99: 0, max: 0 } };
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** @param {Home} home */
export function startedGateway(home) {
  return started(home, ['gateway', '--port', '0'], ({ nodes }) => nodes !== undefined);
}

/** @param {Home} home @param {string} invitation */
export function startedNode(home, invitation) {
  const args = ['node', 'run', '--invitation', invitation, '--name', 'bench', '--workspace', home.workspace];
  return started(home, args, ({ state }) => state === 'connected');
}

/** A gateway with a real node, and a client of the gateway. @param {any} parts @param {string} folder */
export async function pair(parts, folder) {
  const home = makeHome(join(folder, 'gateway'), { nodes: { listen: '127.0.0.1:0' } });
  const gateway = await startedGateway(home);
  const client = await parts.connectGateway({ stateDir: home.stateDir, start: false, program });
  const { invitation } = await client.call('node.invite', { by: 'bench' });
  const nodeHome = makeHome(join(folder, 'node'));
  const node = await startedNode(nodeHome, invitation);
  const context = { folder: home.workspace, environment: home.environment };
  return {
    gateway,
    node,
    client,
    home,
    /** @param {'node' | 'gateway'} host @param {string} command @param {object} [more] @param {string} [agent] */
    exec: (host, command, more = {}, agent = 'main') =>
      client.call('exec.start', {
        request: { command, host, ...more },
        context: { ...context, caller: { agent, operator: true } },
      }),
    async stop() {
      client.close();
      await node.stop();
      await gateway.stop();
    },
  };
}
