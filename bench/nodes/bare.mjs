// @ts-check
/** Bare WebSockets of the package `ws` over TLS 1.3, with the same masking and message size, each end in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** @param {any} parts */
export async function startBareSockets(parts) {
  const tls = parts.selfSignedCertificate();
  const server = fork(join(here, 'bare-server.mjs'), { env: { TLS: JSON.stringify(tls) } });
  const [{ port }] = await once(server, 'message');
  const client = fork(join(here, 'bare-client.mjs'), [`${port}`], { env: { PATH: '/usr/bin:/bin' } });
  await once(client, 'message');
  return {
    port,
    pid: server.pid ?? 0,
    /** Resolves when the server has all bytes. `what`: zeros from the memory, or the output of a command. @param {string} what @param {number} bytes */
    async send(what, bytes) {
      const received = once(server, 'message');
      server.send({ bytes });
      client.send({ what, bytes });
      await received;
    },
    /** @returns {Promise<number>} MB of the server's process */
    async memory() {
      const answer = once(server, 'message');
      server.send({ memory: true });
      const [{ rss }] = await answer;
      return rss;
    },
    async stop() {
      for (const child of [client, server]) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
    },
  };
}
