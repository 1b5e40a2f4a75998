/** A line to a message of the protocol, or to the error that its sender hears. */
import { type JSONRPCMessage, parseJSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { hasTooManyMembers, isNestedTooDeep, MOST_MEMBERS, MOST_NESTING } from '../../../text/json/bounds.ts';

export type Reading =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'refused'; readonly answer: JSONRPCMessage; readonly why: string };

/** Reads one line; undefined when there is nothing on it. */
export function readMessage(line: string): Reading | undefined {
  if (line.trim() === '') return undefined;
  if (isNestedTooDeep(line))
    return refuse(ProtocolErrorCode.ParseError, `a message is nested deeper than ${MOST_NESTING} levels`);
  if (hasTooManyMembers(line))
    return refuse(ProtocolErrorCode.ParseError, `a message has more than ${MOST_MEMBERS} members`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refuse(ProtocolErrorCode.ParseError, 'a line is no JSON: one message stands on one line');
  }
  if (Array.isArray(value)) return refuse(ProtocolErrorCode.InvalidRequest, 'messages in a list are not taken');
  try {
    return { kind: 'message', message: parseJSONRPCMessage(value) };
  } catch {
    return refuse(ProtocolErrorCode.InvalidRequest, 'this is no message of JSON-RPC 2.0', idOf(value));
  }
}

/** An error that answers no request that could be understood has no id. */
export function refuse(code: number, message: string, id?: string | number): Extract<Reading, { kind: 'refused' }> {
  return {
    kind: 'refused',
    answer: { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } },
    why: message,
  };
}

function idOf(value: unknown): string | number | undefined {
  const id = (value as { readonly id?: unknown } | null)?.id;
  const isRequest = typeof (value as { readonly method?: unknown } | null)?.method === 'string';
  return isRequest && (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) ? id : undefined;
}
