/** Identity and capabilities of the client: part of each request in the modern era, sent once per connection before. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ClientIdentity } from './options.ts';

/** The metadata of a request in the modern era; the package has validated it. */
interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** The client of this request, or of the connection. */
export function clientOf(server: Server, request?: ServerContext): ClientIdentity {
  const envelope: Envelope | undefined = request?.mcpReq.envelope;
  const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return info === undefined ? {} : { name: info.name, version: info.version };
}

/** Whether the client can show a form to a person. The capability without a mode means forms. */
export function canAsk(server: Server, request: ServerContext): boolean {
  const envelope: Envelope | undefined = request.mcpReq.envelope;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
