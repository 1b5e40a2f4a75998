import type { Hono } from 'hono';
import { type Env, refuseOtherMethods, rpcFailed } from './answer.ts';
import { readJson } from './body.ts';
import type { McpEndpoint } from './mcp.ts';

export function mcpRoute(app: Hono<Env>, mcp: Pick<McpEndpoint, 'fetch'>): void {
  app.on(['POST', 'GET', 'DELETE'], '/mcp', async (c) => {
    const { incoming, outgoing } = c.env;
    const body = c.req.method === 'POST' ? await readJson(incoming, outgoing) : { value: undefined };
    if (!('value' in body)) return rpcFailed(c, body.status, body.message);
    // `writableFinished` distinguishes a complete response from a client that has disconnected.
    return mcp.fetch(c.req.raw, body.value, (listener) =>
      outgoing.once('close', () => listener(outgoing.writableFinished)),
    );
  });
  refuseOtherMethods(app, '/mcp', 'POST, GET, DELETE');
}
