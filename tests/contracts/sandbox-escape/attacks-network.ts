/** Attacks on the network. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Arena, Attacks } from './arena.ts';
import { refuses } from './attacks-kernel.ts';

async function listening(server: Server, at: number | string): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'number') server.listen(at, '127.0.0.1', resolve);
    else server.listen(at, resolve);
  });
  return server;
}

/** A server of the host that tells its secret to whoever comes. */
const telling = (): Server => createServer((client) => client.end('HOST-SECRET\n'));

async function withServer(at: number | string, work: (port: number) => Promise<void>): Promise<void> {
  const server = await listening(telling(), at);
  const clients = new Set<Socket>();
  server.on('connection', (client) => clients.add(client));
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Asks the proxy inside for a tunnel. */
const tunnel = (to: string): string => `./implements fetch 127.0.0.1 3128 'CONNECT ${to} HTTP/1.1'`;

export const networkAttacks: Attacks = {
  async 'loopback-only'({ box }) {
    const { out } = await box.sh(
      "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; ./implements fetch 1.1.1.1 80; ./implements fetch 169.254.169.254 80",
    );
    expect(out).toMatch(/^lo\nrefused \d+\nrefused \d+\n$/u);
  },

  async 'host-loopback'({ box }) {
    await withServer(0, async (port) => {
      const { out } = await box.sh(`./implements fetch 127.0.0.1 ${port}`);
      expect(out).toMatch(/^refused \d+\n$/u);
    });
  },

  async 'unix-sockets'(arena) {
    const { box } = arena;
    await refuses(['af_unix', 'datagram_pair'])(arena);
    await withServer(join(box.workspace, 'host.sock'), async () => {
      const { out } = await box.sh('./attempts unix_path');
      expect(out).toMatch(/^unix_path (?!allowed)/u);
    });
    // Such a name is one for the whole machine, where other backends may be attacked at the same time.
    const name = `pincer-escape-${process.pid}`;
    await withServer(`\0${name}`, async () => {
      const { out } = await box.sh(`ABSTRACT=${name} ./attempts unix_abstract`);
      expect(out).toMatch(/^unix_abstract (?!allowed)/u);
    });
  },

  async 'egress-denied'(arena) {
    const refused: string[] = [];
    const box = await withEgress(arena, ['allowed.test:8080'], [], (host) => refused.push(host));
    for (const to of [
      'evil.test:8080',
      'allowed.test:8081',
      '127.0.0.1:8080',
      '169.254.169.254:80',
      'allowed.test.evil.test:8080',
    ]) {
      const { out } = await box.sh(tunnel(to));
      expect.soft(out, to).not.toMatch(/HTTP\/1\.1 200|HOST-SECRET/u);
    }
    expect(refused).toContain('evil.test');
    await withServer(0, async (port) => {
      expect((await box.sh(`./implements fetch 127.0.0.1 ${port}`)).out).toMatch(/^refused/u);
    });
  },

  async 'egress-allowed'(arena) {
    await withServer(0, async (port) => {
      const box = await withEgress(arena, [`allowed.test:${port}`], ['127.0.0.1'], () => {});
      expect((await box.sh(tunnel(`allowed.test:${port}`))).out).toContain('HOST-SECRET');
    });
  },

  async 'egress-rebinding'(arena) {
    await withServer(0, async (port) => {
      const refused: string[] = [];
      const box = await withEgress(arena, [`allowed.test:${port}`], [], (host) => refused.push(host));
      expect((await box.sh(tunnel(`allowed.test:${port}`))).out).not.toContain('HOST-SECRET');
      expect(refused).toEqual(['allowed.test']);
    });
  },
};

/** A sandbox with a way out; every name leads to this machine, where only what is permitted may be reached. */
function withEgress(
  { open }: Arena,
  allow: readonly string[],
  permitted: readonly string[],
  hear: (host: string) => void,
) {
  return open({
    egress: true,
    link: {
      egress: {
        allow,
        resolve: async () => ['127.0.0.1'],
        permitted: (address) => permitted.includes(address),
        onRefused: ({ host }) => hear(host),
      },
    },
  });
}
