/** Error responses: for the plain HTTP interface, and for MCP. */
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';

export type Env = { Bindings: HttpBindings };
type Status = 400 | 404 | 405 | 413 | 415 | 503;

/** An error in the format of pincer's faults. */
export function failed(c: Context<Env>, status: Status, code: string, message: string, hint?: string): Response {
  prepare(c, status);
  return c.json({ error: { code, message, ...(hint === undefined ? {} : { hint }) } }, status);
}

/** An error in the format of JSON-RPC. */
export function rpcFailed(c: Context<Env>, status: 400 | 413 | 415 | 503, message: string): Response {
  prepare(c, status);
  const code = status === 400 ? -32_700 : -32_000;
  const text = status === 400 ? `Parse error: ${message}` : message;
  return c.json({ jsonrpc: '2.0', error: { code, message: text }, id: null }, status);
}

/** Refuses all methods that no earlier handler of the path accepts. */
export function refuseOtherMethods(app: Hono<Env>, path: string, allow: string): void {
  app.all(path, (c) => {
    c.header('Allow', allow);
    return failed(c, 405, 'SERVE_METHOD', `${path} does not support ${c.req.method}`, `use ${allow}`);
  });
}

function prepare(c: Context<Env>, status: number): void {
  if (status === 503) c.header('Retry-After', '1');
  // The rest of the request body is not read.
  if (!c.env.incoming.complete) c.header('Connection', 'close');
}
