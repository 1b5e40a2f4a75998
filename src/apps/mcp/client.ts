/** Who is at the other end, and what it can do: said in each request in the modern era, once per connection before. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ClientIdentity } from './options.ts';

/** What a request of the modern era says about its sender; the package has checked its shape. */
interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** The client of this request; of this connection, where no request is at hand. */
export function clientOf(server: Server, request?: ServerContext): ClientIdentity {
  const envelope: Envelope | undefined = request?.mcpReq.envelope;
  const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return info === undefined ? {} : { name: info.name, version: info.version };
}

/** Whether the client can put a form in front of a person. The capability without a mode means forms. */
export function canAsk(server: Server, request: ServerContext): boolean {
  const envelope: Envelope | undefined = request.mcpReq.envelope;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
