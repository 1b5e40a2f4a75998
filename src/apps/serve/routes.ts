/** The routes of the HTTP server: tools, state of the server, and MCP. */
import { type Context, Hono } from 'hono';
import { Fault, faultData } from '../../base/fault.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { Toolbox, ToolResult } from '../assemble.ts';
import type { ClientIdentity } from '../mcp/options.ts';
import { httpClient } from '../mcp/recorded-client.ts';
import { isApprovalPending } from '../approval-pending.ts';
import { type Env, failed, refuseOtherMethods } from './answer.ts';
import { readJson } from './body.ts';
import type { McpEndpoint } from './mcp.ts';
import { mcpRoute } from './mcp-route.ts';
import type { Metrics } from './metrics.ts';
import type { ControlPage } from './page/page.ts';
import { openApi } from './openapi.ts';

export interface RouteOptions {
  /** The current tools of an HTTP client. */
  toolbox(client: ClientIdentity): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  readonly mcp: Pick<McpEndpoint, 'fetch'>;
  readonly page?: Pick<ControlPage, 'register'>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** The base URL of this server. */
  url(): string;
  readonly version: string;
  readonly log: (text: string) => void;
}

export function routes(options: RouteOptions): Hono<Env> {
  const app = new Hono<Env>();
  const toolboxFor = (c: Context<Env>) => options.toolbox(httpClient(c.req.header('user-agent')));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  refuseOtherMethods(app, '/healthz', 'GET, HEAD');

  app.get('/readyz', async (c) => {
    try {
      await (await options.gateway()).call('daemon.status', {});
      return c.json({ status: 'ready' });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return failed(c, 503, error.code, error.message, error.hint);
    }
  });
  refuseOtherMethods(app, '/readyz', 'GET, HEAD');

  app.get('/metrics', async (c) => {
    c.header('Content-Type', options.metrics.contentType);
    return c.body(await options.metrics.text());
  });
  refuseOtherMethods(app, '/metrics', 'GET, HEAD');

  app.get('/openapi.json', async (c) =>
    c.json(openApi(await (await toolboxFor(c)).tools(), options.url(), options.version)),
  );
  refuseOtherMethods(app, '/openapi.json', 'GET, HEAD');

  app.get('/v1/tools', async (c) => c.json({ tools: await (await toolboxFor(c)).tools() }));
  refuseOtherMethods(app, '/v1/tools', 'GET, HEAD');

  app.post('/v1/tools/:name', async (c) => {
    const body = await readJson(c.env.incoming, c.env.outgoing);
    if (!('value' in body)) return failed(c, body.status, body.code, body.message, body.hint);
    const toolbox = await toolboxFor(c);
    const result = await toolbox.call(c.req.param('name'), body.value, { signal: c.req.raw.signal });
    return answered(c, c.req.param('name'), result);
  });
  refuseOtherMethods(app, '/v1/tools/:name', 'POST');

  mcpRoute(app, options.mcp);
  options.page?.register(app);

  app.notFound((c) => failed(c, 404, 'SERVE_NO_ROUTE', 'unknown path', 'GET /openapi.json lists all paths'));
  app.onError((error, c) => {
    // The client has disconnected, possibly in the middle of its body. (`destroyed` does not show that: a stream that was
    // read to its end is destroyed too.)
    if (c.env.incoming.errored !== null || !c.env.incoming.complete || c.req.raw.signal.aborted)
      return failed(c, 400, 'SERVE_MALFORMED', 'the body is incomplete', 'send the complete body');
    options.log(`${c.req.method} ${c.req.path} failed: ${error.stack ?? error.message}`);
    const fault = new Fault('INTERNAL_ERROR', 'the request failed because of a bug in pincer', {
      hint: 'the output of pincer serve has details',
    });
    return c.json({ error: faultData(fault) }, 500);
  });
  return app;
}

/** A failure of a tool is a normal response; an invalid call is a client error. */
function answered(c: Context<Env>, tool: string, result: ToolResult): Response {
  const { code, hint, ...details } = result.details;
  const status = result.isError === true ? statusOf(String(code)) : 200;
  if (status !== 200)
    return c.json({ error: { code, message: result.error, ...(hint === undefined ? {} : { hint }), details } }, status);
  return c.json(result, isApprovalPending(tool, result) ? 202 : 200);
}

function statusOf(code: string): 200 | 404 | 422 {
  if (code === 'TOOL_UNKNOWN' || code === 'TOOL_NOT_OFFERED') return 404;
  return code.startsWith('PARAM_') ? 422 : 200;
}
