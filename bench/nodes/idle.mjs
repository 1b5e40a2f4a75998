// @ts-check
/** The memory of a gateway with 2,000 idle nodes, against that of a process with as many bare WebSockets over TLS 1.3. */
import { join } from 'node:path';
import { startBareSockets } from './bare.mjs';
import { startFleet } from './fleet.mjs';
import { makeHome, program, startedGateway } from './machines.mjs';

/** Garbage of the handshakes is collected by then: V8 returns its young generation at the first collection of an idle process. */
const SETTLED_MS = 45_000;

/** @param {{ parts: any, module: string, folder: string, scale: number }} options @returns {Promise<[string, string, string][]>} */
export async function measure({ parts, module, folder, scale }) {
  const count = Math.max(50, Math.round(2000 * scale));
  const home = makeHome(join(folder, 'gateway'), { nodes: { listen: '127.0.0.1:0' } });
  const gateway = await startedGateway(home);
  const client = await parts.connectGateway({ stateDir: home.stateDir, start: false, program });
  const bare = await startBareSockets(parts);
  const fleet = await startFleet(module);
  try {
    const before = [(await gateway.health()).rss, await bare.memory()];
    await fleet.connect(client, count);
    await fleet.connectBare(bare.port, count);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const { connected } = (await client.call('daemon.status', {})).nodes;
    if (connected !== count) throw new Error(`${connected} of ${count} nodes are connected`);
    const after = [(await gateway.health()).rss, await bare.memory()];
    const shown = (/** @type {number[]} */ [ours = 0, theirs = 0]) =>
      `${ours.toFixed(0)} MB, bare ${theirs.toFixed(0)} MB`;
    console.log(`${count} idle nodes: before ${shown(before)}; after ${shown(after)}`);
    const [ours = Number.NaN, theirs = Number.NaN] = after;
    return [
      [`memory with ${count} idle nodes against as many bare WebSockets`, '1.5 x', `${(ours / theirs).toFixed(2)} x`],
    ];
  } finally {
    await fleet.stop();
    await bare.stop();
    client.close();
    await gateway.stop();
  }
}
