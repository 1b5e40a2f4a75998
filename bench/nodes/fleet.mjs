// @ts-check
/** Many nodes in a few processes: they have real keys, handshakes and links, and commands that only print. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const PROCESSES = 2;

/** @param {string} module */
export async function startFleet(module) {
  const children = Array.from({ length: PROCESSES }, () => fork(join(here, 'fleet-process.mjs'), [module]));
  /** @param {(share: number, index: number) => object | Promise<object>} message @param {number} count */
  const askAll = async (message, count) => {
    const share = Math.ceil(count / children.length);
    await Promise.all(
      children.map(async (child, index) => {
        const answer = once(child, 'message');
        child.send(await message(Math.min(share, count - share * index), index));
        const [{ error }] = await answer;
        if (error !== undefined) throw new Error(error);
      }),
    );
  };
  return {
    /** @param {any} client of the gateway @param {number} count */
    connect: (client, count) =>
      askAll(async (share, index) => {
        const invitations = [];
        for (let i = 0; i < share; i++)
          invitations.push((await client.call('node.invite', { by: 'bench' })).invitation);
        return { invitations, prefix: `n${index}` };
      }, count),
    /** @param {number} port @param {number} count */
    connectBare: (port, count) => askAll((share) => ({ port, count: share }), count),
    async stop() {
      for (const child of children) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
    },
  };
}
