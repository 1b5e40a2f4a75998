/** Fixture tools that do something while they run: log, tell their progress, lose their stream, change the lists. */
import type { ServerContext, ServerEvent } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { type FixtureServer, said, tool } from './shape.ts';

const PAUSE_MS = 50;

export function registerRunningTools(server: FixtureServer): void {
  tool(server, 'test_tool_with_logging', 'Logs three times while it runs', async (context) => {
    await log(context, 'Tool execution started');
    await wait(PAUSE_MS);
    await log(context, 'Tool processing data');
    await wait(PAUSE_MS);
    await log(context, 'Tool execution completed');
    return said('Logged three times.');
  });
  tool(server, 'test_logging_tool', 'Logs where the client asked for logs', async (context) => {
    await log(context, 'Tool called');
    return said('Logged where wanted.');
  });
  tool(server, 'test_tool_with_progress', 'Tells its progress three times', async (context) => {
    await progress(context, 0);
    await wait(PAUSE_MS);
    await progress(context, 50);
    await wait(PAUSE_MS);
    await progress(context, 100);
    return said('Told its progress.');
  });
  tool(server, 'test_reconnection', 'Closes its stream before it answers', async (context) => {
    context.http?.closeSSE?.();
    await wait(2 * PAUSE_MS);
    return said('Answered on the stream that was opened again.');
  });
  tool(server, 'test_trigger_tool_change', 'Announces a change of the tools', (context) => {
    announce(server, context, 'tools_list_changed', () => server.mcp.sendToolListChanged());
    return said('Announced.');
  });
  tool(server, 'test_trigger_prompt_change', 'Announces a change of the prompts', (context) => {
    announce(server, context, 'prompts_list_changed', () => server.mcp.sendPromptListChanged());
    return said('Announced.');
  });
}

/** On a connection that stays, the server tells its client; behind stateless HTTP the open streams are reached by the bus. */
function announce(
  { era, bus }: FixtureServer,
  context: ServerContext,
  kind: Exclude<ServerEvent['kind'], 'resource_updated'>,
  tell: () => void,
): void {
  if (era === 'modern' && context.http !== undefined) bus.publish({ kind });
  else tell();
}

async function log({ mcpReq }: ServerContext, message: string): Promise<void> {
  await mcpReq.log('info', message, 'conformance');
}

async function progress({ mcpReq }: ServerContext, done: number): Promise<void> {
  const token = mcpReq['_meta']?.progressToken;
  if (token === undefined) return;
  await mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken: token, progress: done, total: 100, message: `Completed ${done} of 100` },
  });
}
