/** `pincer serve --conformance-fixtures`: what the official suite wants to find, over the HTTP server of the real tools. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { Fault } from '../../base/fault.ts';
import { conformanceFixtures } from '../mcp/conformance/fixtures.ts';
import { gate, isLoopback } from './gate.ts';
import { listen } from './listener.ts';
import { mcpEndpoint } from './mcp.ts';
import { mcpRoute } from './mcp-route.ts';
import { ownToken, tokenCheck } from './token.ts';

export interface FixtureOptions {
  readonly host: string;
  readonly port: number;
  readonly stateDir: string;
  readonly log: (text: string) => void;
}

export interface ServedFixtures {
  readonly url: string;
  readonly tokenFile: string;
  close(): Promise<void>;
}

export async function serveFixtures({ host, port, stateDir, log }: FixtureOptions): Promise<ServedFixtures> {
  if (!isLoopback(host))
    throw new Fault('SERVE_EXPOSED', `the fixtures are not served on ${host}`, { hint: 'leave --host out' });
  const token = ownToken(stateDir);
  const mcp = mcpEndpoint({ ...conformanceFixtures(), log });
  const listener = await listen({
    host,
    port,
    look: gate({ host, hasToken: tokenCheck(token) }),
    told: () => undefined,
    log,
  });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  mcpRoute(app, mcp);
  listener.serve(app.fetch);
  return {
    url: `http://${host}:${listener.port}/mcp`,
    tokenFile: token.file,
    close: () => listener.close(() => mcp.close()),
  };
}
