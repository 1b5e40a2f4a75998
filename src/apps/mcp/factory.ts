/** Creates the MCP servers of one entry point: the same tools for both eras of the protocol, over every transport. */
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
 * The server factory for `serveStdio` and `createMcpHandler`. A server of the modern era over HTTP exists for one request;
 * every other server exists as long as its connection.
 */
export function createMcpFactory(options: McpOptions): McpServerFactory {
  const codec = stateCodec(options);
  const limits = callLimits();
  const answered = new Set<string>();
  return async (context) => {
    const needed = needsInstructions(context);
    const posture = needed ? options.posture : async () => '';
    const filesNode = needed && options.filesNode !== undefined ? options.filesNode : async () => undefined;
    const { serverInfo, capabilities, instructions, listTtlMs } = await greetingOf({ ...options, posture, filesNode });
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
      tools: await withProtocolError(async () =>
        listTools(await options.toolbox(clientOf(server, request), 'now'), options),
      ),
    }));
    server.setRequestHandler(
      'tools/call',
      callHandler({ server, serving, options, codec, sessions, limits, answered }),
    );
    setCallbacks(server, options.log, [
      options.resources?.(server, serving),
      ...(serving.lasting
        ? [options.onToolsChanged?.(() => notifyToolsChanged(server, options)), () => void sessions.disconnected()]
        : []),
    ]);
    return server;
  };
}

/** Converts a Fault, such as one of an unreadable configuration file, to a protocol error. */
async function withProtocolError<T>(list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, text, { code });
  }
}

/** Only the server of a single HTTP request is created with that request. */
function isLasting({ era, requestInfo }: McpRequestContext): boolean {
  return era === 'legacy' || requestInfo === undefined;
}

/** A modern request over HTTP has its own server; only the answer to `server/discover` contains instructions. */
function needsInstructions(context: McpRequestContext): boolean {
  return isLasting(context) || context.requestInfo?.headers.get('mcp-method') === 'server/discover';
}

function setCallbacks(server: Server, log: McpOptions['log'], endings: readonly ((() => void) | undefined)[]): void {
  Object.assign(server, {
    onerror: (error) => log(error.message),
    onclose() {
      for (const end of endings) end?.();
    },
  } satisfies Pick<Server, 'onerror' | 'onclose'>);
}

/** Skips clients that have not finished the handshake or have just disconnected. */
function notifyToolsChanged(server: Server, { log }: McpOptions): void {
  if (server.getNegotiatedProtocolVersion() === undefined) return;
  server
    .sendToolListChanged()
    .catch((error: Error) => log(`cannot notify the client of changed tools: ${error.message}`));
}
