/**
 * Parses the usual first lines of a connection without the MCP package. It accepts only the exact forms that well-known
 * clients send, and leaves all others to the package.
 */
import type { ClientIdentity } from '../options.ts';

export type OpeningLine =
  | { readonly kind: 'initialize'; readonly id: Id; readonly version: string; readonly client: ClientIdentity }
  | { readonly kind: 'initialized' }
  | { readonly kind: 'discover'; readonly id: Id; readonly client: ClientIdentity }
  /** In the 2026 era this request identifies the client; before, the handshake does. */
  | { readonly kind: 'list'; readonly id: Id; readonly client: ClientIdentity | undefined };

type Id = string | number;
type Members = Readonly<Record<string, unknown>>;

/** Protocol versions with a handshake. */
const VERSIONS = new Set(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']);
const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** Undefined if the package must parse the line. */
export function readOpeningLine(line: string): OpeningLine | undefined {
  const message = parsed(line);
  if (message === undefined || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params } = message;
  if (method === 'notifications/initialized')
    return hasOnly(message, ['jsonrpc', 'method']) ? { kind: 'initialized' } : undefined;
  if (!isId(id) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  if (method === 'initialize') return initializeOf(id, params);
  if (method === 'tools/list' && isPlain(params)) return { kind: 'list', id, client: undefined };
  if (method !== 'tools/list' && method !== 'server/discover') return undefined;
  const client = modernClient(params);
  if (client === undefined) return undefined;
  return { kind: method === 'tools/list' ? 'list' : 'discover', id, client };
}

function initializeOf(id: Id, params: unknown): OpeningLine | undefined {
  if (!isMembers(params) || !hasOnly(params, ['protocolVersion', 'capabilities', 'clientInfo'])) return undefined;
  const { protocolVersion: version, capabilities, clientInfo } = params;
  const client = clientIn(clientInfo);
  if (typeof version !== 'string' || !VERSIONS.has(version) || client === undefined) return undefined;
  return areCapabilities(capabilities) ? { kind: 'initialize', id, version, client } : undefined;
}

/** The client of a 2026 request whose parameters contain only metadata. */
function modernClient(params: unknown): ClientIdentity | undefined {
  if (!isMembers(params) || !hasOnly(params, ['_meta']) || !isMembers(params['_meta'])) return undefined;
  const meta = params['_meta'];
  const names = ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((name) => META + name);
  if (!hasOnly(meta, names) || meta[`${META}protocolVersion`] !== MODERN) return undefined;
  if (!areCapabilities(meta[`${META}clientCapabilities`])) return undefined;
  return clientIn(meta[`${META}clientInfo`]);
}

function clientIn(info: unknown): ClientIdentity | undefined {
  if (!isMembers(info) || !hasOnly(info, ['name', 'version', 'title', 'description', 'websiteUrl'])) return undefined;
  if (!Object.values(info).every((value) => typeof value === 'string')) return undefined;
  const { name, version } = info as Record<string, string>;
  return name === undefined || version === undefined ? undefined : { name, version };
}

/** Capabilities in the forms that clients are known to send. */
function areCapabilities(value: unknown): boolean {
  if (!isMembers(value)) return false;
  return Object.entries(value).every(([name, capability]) => {
    if (!isMembers(capability)) return false;
    if (name === 'roots')
      return hasOnly(capability, ['listChanged']) && Object.values(capability).every((is) => typeof is === 'boolean');
    if (name === 'elicitation') return hasOnly(capability, ['form', 'url']) && Object.values(capability).every(isEmpty);
    if (name === 'experimental' || name === 'extensions') return Object.values(capability).every(isMembers);
    return name === 'sampling' && isEmpty(capability);
  });
}

/** No parameters, or an empty object. */
function isPlain(params: unknown): boolean {
  return params === undefined || isEmpty(params);
}

function isEmpty(value: unknown): boolean {
  return isMembers(value) && hasOnly(value, []);
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOnly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function parsed(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined; // the package reports the error
  }
}
