/**
 * The `requestState` that a client of the modern era returns with the answer to an approval request: the approval and a
 * hash of the call. It is signed, and valid for this call only.
 */
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import { once } from '../once.ts';
import type { McpOptions } from './options.ts';

export interface AskedState {
  readonly approvalId: string;
  /** The result of `hashOfCall`. */
  readonly call: string;
  readonly expiresAtMs: number;
}

/** The longest lifetime of an approval, and a day; `expiresAtMs` limits it earlier. */
const TTL_SECONDS = 31 * 86_400;

/** Reads the key at first use. */
export function stateCodec({
  stateDir,
  setting,
}: Pick<McpOptions, 'stateDir' | 'setting'>): RequestStateCodec<AskedState> {
  const codec = once(async () =>
    createRequestStateCodec<AskedState>({
      key: (await import('./key.ts')).stateKey(stateDir),
      ttlSeconds: TTL_SECONDS,
      bind: ({ mcpReq }) => JSON.stringify([mcpReq.method, setting.agent, setting.conversation, setting.workspace]),
    }),
  );
  return {
    mint: async (payload, context?: ServerContext) => (await codec()).mint(payload, context),
    verify: async (state, context) => (await codec()).verify(state, context),
  };
}

/** A hash of tool and parameters, independent of their order. */
export function hashOfCall(tool: string, args: unknown): string {
  return process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(JSON.stringify([tool, sorted(args)]))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return { members: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
