// @ts-check
/** 100 MB of output of a command on a node, until the gateway has all of it, against bare WebSockets over TLS 1.3. */
import { race, shown } from '../sandbox/race.mjs';
import { startBareSockets } from './bare.mjs';
import { pair } from './machines.mjs';

const BYTES = 100_000_000;

/** @param {{ parts: any, folder: string, scale: number }} options @returns {Promise<[string, string, string][]>} */
export async function measure({ parts, folder, scale }) {
  const bare = await startBareSockets(parts);
  const both = await pair(parts, folder);
  const command = `yes 0123456789012345678901234567890123456789012345678901234567890123456789012345678 | head -c ${BYTES}`;
  try {
    const ran = async (/** @type {'node' | 'gateway'} */ host) => {
      const { status, session } = await both.exec(host, command, { yieldMs: 120_000 });
      if (status !== 'completed' || session.bytes !== BYTES)
        throw new Error(`${host}: ${status}, ${session.bytes} bytes`);
      await both.client.call('session.clear', { caller: { agent: 'main', operator: true }, sessionId: session.id });
    };
    const times = await race(
      {
        node: () => ran('node'),
        local: () => ran('gateway'),
        socket: () => bare.send('memory', BYTES),
        piped: () => bare.send(command, BYTES),
      },
      Math.max(3, Math.round(9 * scale)),
      2,
    );
    console.log(`100 MB of output: ${shown(times)}`);
    const rate = (/** @type {keyof typeof times} */ peer) =>
      `${(times[peer].median / times.node.median).toFixed(2)} x (fastest ${(times[peer].min / times.node.min).toFixed(2)} x)`;
    return [
      ['rate of 100 MB of output of a node against a bare WebSocket that sends zeros', '0.6 x', rate('socket')],
      ['the same against a bare WebSocket that sends the output of the same command', '0.6 x', rate('piped')],
      ['the same against the same command on this machine', '', rate('local')],
    ];
  } finally {
    await bare.stop();
    await both.stop();
  }
}
