/** Starts the watches for `subscriptions/listen` on a lasting connection; the MCP package answers the request itself. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import type { ListenFilter, WorkspaceResources } from './resources.ts';

/** Wraps a transport to observe listen requests; passes every message on unchanged. */
export function listeningOver(inner: Transport, resources: Pick<WorkspaceResources, 'listen'>): Transport {
  const ends = new Map<RequestId, () => void>();

  function end(id: RequestId): void {
    ends.get(id)?.();
    ends.delete(id);
  }

  function observe(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') {
      end(message.id);
      ends.set(message.id, resources.listen(filterOf(message.params)));
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId };
      if (requestId !== undefined) end(requestId);
    }
  }

  const outer: Transport = {
    start() {
      Object.assign(inner, {
        onmessage(message, extra) {
          observe(message);
          outer.onmessage?.(message, extra);
        },
        onerror: (error) => outer.onerror?.(error),
        onclose() {
          for (const id of ends.keys()) end(id);
          outer.onclose?.();
        },
      } satisfies Pick<Transport, 'onmessage' | 'onerror' | 'onclose'>);
      return inner.start();
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  };
  return outer;
}

/** Ignores invalid members: the MCP package refuses them. */
function filterOf(params: unknown): ListenFilter {
  const { notifications } = (params ?? {}) as { readonly notifications?: unknown };
  if (typeof notifications !== 'object' || notifications === null) return {};
  const { resourceSubscriptions: uris, resourcesListChanged } = notifications as Record<string, unknown>;
  return {
    ...(Array.isArray(uris) ? { resourceSubscriptions: uris.filter((uri) => typeof uri === 'string') } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
  };
}
