/** Makes the MCP servers of one way in: the same tools for both eras of the protocol, over every transport. */
import {
  type McpRequestContext,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { Fault } from '../../base/fault.ts';
import { callHandler } from './call.ts';
import { clientOf } from './client.ts';
import { greetingOf } from './greeting.ts';
import { callLimits } from './limits.ts';
import { listTools } from './list.ts';
import type { McpOptions, Serving } from './options.ts';
import { DefaultJsonSchemaValidator } from './sdk-shims.ts';
import { startedSessions } from './sessions.ts';
import { stateCodec } from './state.ts';

export type { ClientIdentity, McpOptions, Preset, Serving, ServerSetting } from './options.ts';

/**
 * Gives what `serveStdio` and `createMcpHandler` make servers with. A server of the modern era over HTTP lives for one
 * request; every other one lives as long as its connection.
 */
export function createMcpFactory(options: McpOptions): McpServerFactory {
  const codec = stateCodec(options);
  const limits = callLimits();
  const answered = new Set<string>();
  return async (context) => {
    const posture = hearsInstructions(context) ? options.posture : async () => '';
    const { serverInfo, capabilities, instructions, listTtlMs } = await greetingOf({ ...options, posture });
    const server = new Server(serverInfo, {
      capabilities,
      instructions,
      cacheHints: { 'tools/list': { ttlMs: listTtlMs, cacheScope: 'private' } },
      requestState: { verify: (state, request) => codec.verify(state, request) },
      jsonSchemaValidator: new DefaultJsonSchemaValidator(),
    });
    const serving: Serving = {
      era: context.era,
      lasting: isLasting(context),
      toolbox: () => options.toolbox(clientOf(server), 'lately'),
    };
    const sessions = startedSessions(options);
    server.setRequestHandler('tools/list', async (_, request) => ({
      tools: await listed(async () => listTools(await options.toolbox(clientOf(server, request), 'now'), options)),
    }));
    server.setRequestHandler(
      'tools/call',
      callHandler({ server, serving, options, codec, sessions, limits, answered }),
    );
    hearing(server, options.log, [
      options.resources?.(server, serving),
      ...(serving.lasting
        ? [options.onToolsChanged?.(() => tellOfTools(server, options)), () => void sessions.left()]
        : []),
    ]);
    return server;
  };
}

/** Why there is no list, as an error of the protocol: a file of configuration that cannot be read, most likely. */
async function listed<T>(list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, text, { code });
  }
}

/** Only the server of one HTTP request is made with that request at hand. */
function isLasting({ era, requestInfo }: McpRequestContext): boolean {
  return era === 'legacy' || requestInfo === undefined;
}

/** A request of the modern era over HTTP has a server of its own; only the answer to this one carries instructions. */
function hearsInstructions(context: McpRequestContext): boolean {
  return isLasting(context) || context.requestInfo?.headers.get('mcp-method') === 'server/discover';
}

function hearing(server: Server, log: McpOptions['log'], endings: readonly ((() => void) | undefined)[]): void {
  Object.assign(server, {
    onerror: (error) => log(error.message),
    onclose() {
      for (const end of endings) end?.();
    },
  } satisfies Pick<Server, 'onerror' | 'onclose'>);
}

/** A client that never asked for the list, or has just left, need not hear that it changed. */
function tellOfTools(server: Server, { log }: McpOptions): void {
  if (server.getNegotiatedProtocolVersion() === undefined) return;
  server
    .sendToolListChanged()
    .catch((error: Error) => log(`a change of the tools could not be told: ${error.message}`));
}
