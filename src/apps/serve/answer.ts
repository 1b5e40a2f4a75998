/** The form of refusals: one for the plain interface, one for the protocol. */
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';

export type Env = { Bindings: HttpBindings };
type Status = 400 | 404 | 405 | 413 | 415 | 503;

/** Why a request is not answered, in the form of the faults of the program. */
export function failed(c: Context<Env>, status: Status, code: string, message: string, hint?: string): Response {
  prepare(c, status);
  return c.json({ error: { code, message, ...(hint === undefined ? {} : { hint }) } }, status);
}

/** The same in the form of the protocol. */
export function rpcFailed(c: Context<Env>, status: 400 | 413 | 415 | 503, message: string): Response {
  prepare(c, status);
  const code = status === 400 ? -32_700 : -32_000;
  const text = status === 400 ? `Parse error: ${message}` : message;
  return c.json({ jsonrpc: '2.0', error: { code, message: text }, id: null }, status);
}

/** Refuses the methods that a path does not know. It stands behind those that it does. */
export function only(app: Hono<Env>, path: string, allow: string): void {
  app.all(path, (c) => {
    c.header('Allow', allow);
    return failed(c, 405, 'SERVE_METHOD', `${path} does not know ${c.req.method}`, `it knows ${allow}`);
  });
}

function prepare(c: Context<Env>, status: number): void {
  if (status === 503) c.header('Retry-After', '1');
  // What is still being sent is not read to its end.
  if (!c.env.incoming.complete) c.header('Connection', 'close');
}
