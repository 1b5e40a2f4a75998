/**
 * What a client of the modern era carries from a question to its answer: which approval it is about, and of which call. It is
 * signed, and good for this call only.
 */
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import { once } from '../once.ts';
import type { McpOptions } from './options.ts';

export interface AskedState {
  readonly approvalId: string;
  /** The call that was asked about: see `hashOfCall`. */
  readonly call: string;
  readonly expiresAtMs: number;
}

/** The longest time that an approval can be given, and a day: it expires by its own clock before that. */
const TTL_SECONDS = 31 * 86_400;

/** Signs and verifies; the key is read at the first need. */
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

/** Names a call by its tool and its parameters, in whatever order these are said. */
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
