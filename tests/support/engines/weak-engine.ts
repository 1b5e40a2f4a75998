/** A real engine that says of itself what one without root says on the first version of control groups: limits are taken, and not held. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const WEAK = { Rootless: true, CgroupVersion: '1', CgroupDriver: 'cgroupfs' };

export interface WeakEngine {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Stands in front of the engine at a socket, and changes nothing but that one answer. */
export async function weakEngine(engine: string): Promise<WeakEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-weak-'));
  const socket = join(folder, 'engine.sock');
  const server = createServer((asked, answer) => {
    pass(engine, asked, answer).catch((error: Error) => answer.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function pass(socketPath: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { url: path, method, headers } = asked;
  const told = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ socketPath, path, method, headers, agent: false }, resolve);
    sent.on('error', reject);
    asked.pipe(sent);
  });
  const body = await text(told);
  const isInfo = /^(?:\/v[\d.]+)?\/info$/u.test(path ?? '');
  answer.writeHead(told.statusCode ?? 500, { 'content-type': told.headers['content-type'] ?? 'application/json' });
  answer.end(isInfo ? JSON.stringify({ ...(JSON.parse(body) as object), ...WEAK }) : body);
}
