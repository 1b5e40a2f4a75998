/** MCP over HTTP for both eras of the protocol: stateless requests, and sessions. */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { ListenFilter, WorkspaceResources } from '../mcp/resources/resources.ts';
import { LONGEST_BODY, MOST_SUBSCRIPTIONS } from './limits.ts';
import { mcpSessions, type OnAnswered, type SessionLimits } from './mcp-sessions.ts';

export interface McpEndpoint {
  /** The number of sessions of the legacy era. */
  readonly sessions: number;
  /** `body` is the parsed body; the request's own body is already consumed. */
  fetch(request: Request, body: unknown, answered: OnAnswered): Promise<Response>;
  /** Notifies listening clients that the offered tools have changed. */
  toolsChanged(): void;
  close(): Promise<void>;
}

export interface EndpointOptions {
  readonly factory: McpServerFactory;
  /** Watches resources for listening clients: the package answers `subscriptions/listen` before a server sees it. */
  readonly resources?: Pick<WorkspaceResources, 'listen'>;
  /** Carries notifications to listening clients (default: a new one). */
  readonly bus?: ServerEventBus;
  readonly limits?: SessionLimits;
  readonly log: (text: string) => void;
}

export function mcpEndpoint({ factory, resources, bus, limits, log }: EndpointOptions): McpEndpoint {
  const modern = createMcpHandler(factory, {
    legacy: 'reject',
    maxRequestBodySize: LONGEST_BODY,
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    ...(bus === undefined ? {} : { bus }),
    onerror: (error) => log(`mcp: ${error.message}`),
  });
  const sessions = mcpSessions(factory, limits);
  return {
    get sessions() {
      return sessions.size;
    },
    async fetch(request, body, answered) {
      if (request.method !== 'POST') return sessions.fetch(request, body, answered);
      if (await isLegacyRequest(request, body)) return sessions.fetch(request, body, answered);
      const filter = filterOf(body);
      const unlisten = filter === undefined ? undefined : resources?.listen(filter, modern.notify);
      if (unlisten !== undefined) answered(unlisten);
      return modern.fetch(request, { parsedBody: body });
    },
    toolsChanged: () => modern.notify.toolsChanged(),
    async close() {
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}

/** The filter of `subscriptions/listen`; undefined for any other request. */
function filterOf(body: unknown): ListenFilter | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { method, params } = body as {
    readonly method?: unknown;
    readonly params?: { readonly notifications?: unknown };
  };
  if (method !== 'subscriptions/listen' || typeof params?.notifications !== 'object' || params.notifications === null)
    return undefined;
  const { resourceSubscriptions: uris, resourcesListChanged } = params.notifications as Record<string, unknown>;
  const isList = Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') && uris.length <= MOST_WATCHED;
  return {
    ...(isList ? { resourceSubscriptions: uris } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
  };
}

const MOST_WATCHED = 1_000;
