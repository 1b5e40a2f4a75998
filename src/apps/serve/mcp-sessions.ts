/** Sessions of clients with the protocol of 2025 over HTTP, so that the server can send requests to them. */
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type McpServerFactory,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { LONGEST_BODY, MCP_EVICT_MS, MCP_IDLE_MS, MOST_MCP_SESSIONS } from './limits.ts';

/** Registers a listener for the end of a response: whether the client has received it completely. */
export type OnAnswered = (listener: (whole: boolean) => void) => void;

export interface McpSessions {
  readonly size: number;
  fetch(request: Request, body: unknown, answered: OnAnswered): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Open responses and streams. */
  open: number;
  lastUse: number;
}

export interface SessionLimits {
  readonly most?: number;
  readonly idleMs?: number;
  readonly evictMs?: number;
}

export function mcpSessions(
  factory: McpServerFactory,
  { most = MOST_MCP_SESSIONS, idleMs = MCP_IDLE_MS, evictMs = MCP_EVICT_MS }: SessionLimits = {},
): McpSessions {
  const sessions = new Map<string, Session>();
  let opening = 0;
  const timer = setInterval(() => endIdle(idleMs), Math.min(idleMs, 60_000));
  timer.unref();

  function endIdle(ms: number, count = Number.POSITIVE_INFINITY): void {
    const now = performance.now();
    const idle = [...sessions.values()].filter(({ open, lastUse }) => open === 0 && now - lastUse >= ms);
    idle.sort((a, b) => a.lastUse - b.lastUse);
    for (const session of idle.slice(0, count)) void end(session);
  }

  async function end({ transport }: Session): Promise<void> {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    await transport.close();
  }

  async function begin(request: Request, body: unknown, answered: OnAnswered): Promise<Response> {
    if (sessions.size + opening >= most) endIdle(evictMs, 1);
    if (sessions.size + opening >= most) return full();
    opening++;
    try {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        maxRequestBodySize: LONGEST_BODY,
        onsessioninitialized: (id) => void sessions.set(id, session),
        onsessionclosed: (id) => void sessions.delete(id),
      });
      const session: Session = { transport, open: 0, lastUse: performance.now() };
      const server = await factory({ era: 'legacy' });
      await server.connect(transport);
      const response = await answer(session, request, body, answered);
      if (transport.sessionId === undefined) await end(session); // the initialize request was refused
      return response;
    } finally {
      opening--;
    }
  }

  async function answer(session: Session, request: Request, body: unknown, answered: OnAnswered): Promise<Response> {
    session.open++;
    session.lastUse = performance.now();
    answered((whole) => {
      session.open--;
      session.lastUse = performance.now();
      if (!whole) cancel(session, body);
    });
    return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  }

  return {
    get size() {
      return sessions.size;
    },
    async fetch(request, body, answered) {
      const id = request.headers.get('mcp-session-id');
      const session = id === null ? undefined : sessions.get(id);
      if (session !== undefined) return answer(session, request, body, answered);
      if (id !== null) return failure(404, -32_001, 'Session not found');
      if (isInitializeRequest(body)) return begin(request, body, answered);
      return failure(400, -32_000, 'Bad Request: the header Mcp-Session-Id is required; send initialize first');
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.values()].map(end));
    },
  };
}

/** The client has disconnected, so its requests are cancelled. */
function cancel({ transport }: Session, body: unknown): void {
  for (const id of idsOf(body)) {
    const params = { requestId: id, reason: 'the client closed the connection' };
    transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }
}

function idsOf(body: unknown): readonly RequestId[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message) => isJSONRPCRequest(message)).map(({ id }) => id);
}

function full(): Response {
  return failure(503, -32_000, 'the limit of sessions is reached; try again later', {
    'Retry-After': '30',
  });
}

function failure(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
