// @ts-check
/** 200 nodes with five sessions each, which print five lines a second: the lag of the gateway's event loop. */
import { join } from 'node:path';
import { startFleet } from './fleet.mjs';
import { makeHome, program, startedGateway } from './machines.mjs';

const EACH = 5;
const MEASURED_MS = 15_000;

/** @param {{ parts: any, module: string, folder: string, scale: number }} options @returns {Promise<[string, string, string][]>} */
export async function measure({ parts, module, folder, scale }) {
  const count = Math.max(4, Math.round(200 * scale));
  const home = makeHome(join(folder, 'gateway'), { nodes: { listen: '127.0.0.1:0' } });
  const gateway = await startedGateway(home);
  const client = await parts.connectGateway({ stateDir: home.stateDir, start: false, program });
  const fleet = await startFleet(module);
  try {
    await fleet.connect(client, count);
    const nodes = (await client.call('node.list', {})).filter((/** @type {any} */ { connected }) => connected);
    if (nodes.length !== count) throw new Error(`${nodes.length} of ${count} nodes are connected`);
    for (const { id } of nodes)
      for (let i = 0; i < EACH; i++) {
        const context = { caller: { agent: `a${i}` }, folder: home.workspace, environment: home.environment };
        const request = { command: 'bench', host: 'node', node: id, background: true, security: 'full', ask: 'off' };
        const { status } = await client.call('exec.start', { request, context });
        if (status !== 'running') throw new Error(`a session of ${id}: ${status}`);
      }
    await gateway.health('reset');
    await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
    const { lag, rss } = await gateway.health();
    const running = (await client.call('session.list', { caller: { agent: 'main', operator: true } })).filter(
      (/** @type {any} */ { status, bytes }) => status === 'running' && bytes > 0,
    ).length;
    if (running !== count * EACH) throw new Error(`${running} of ${count * EACH} sessions print`);
    const shown = `p50 ${lag.p50.toFixed(1)} ms, p99 ${lag.p99.toFixed(1)} ms, max ${lag.max.toFixed(0)} ms`;
    console.log(`${count} nodes with ${EACH} sessions each: lag ${shown}; ${rss.toFixed(0)} MB`);
    return [
      [
        `event-loop lag with ${count} nodes and ${count * EACH} sessions that print`,
        'p99 100 ms',
        `p99 ${lag.p99.toFixed(1)} ms`,
      ],
    ];
  } finally {
    await fleet.stop();
    client.close();
    await gateway.stop();
  }
}
