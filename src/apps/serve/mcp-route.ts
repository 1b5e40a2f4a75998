/** The path of MCP: the body is read within our bounds, and who stops listening is told apart from who has heard all. */
import type { Hono } from 'hono';
import { type Env, only, rpcFailed } from './answer.ts';
import { readJson } from './body.ts';
import type { McpEndpoint } from './mcp.ts';

export function mcpRoute(app: Hono<Env>, mcp: Pick<McpEndpoint, 'fetch'>): void {
  app.on(['POST', 'GET', 'DELETE'], '/mcp', async (c) => {
    const { incoming, outgoing } = c.env;
    const body = c.req.method === 'POST' ? await readJson(incoming, outgoing) : { value: undefined };
    if (!('value' in body)) return rpcFailed(c, body.status, body.message);
    return mcp.fetch(c.req.raw, body.value, (listener) =>
      outgoing.once('close', () => listener(outgoing.writableFinished)),
    );
  });
  only(app, '/mcp', 'POST, GET, DELETE');
}
