/** Client names in records. Does not import the MCP package, because tools are listed before it is loaded. */
import { clientName } from '../../wire/client-name.ts';
import type { ClientIdentity } from './options.ts';

/** An MCP client without a name. */
const UNNAMED = 'mcp';
/** An HTTP client without a name. */
const UNNAMED_HTTP = 'http';

/** Sanitizes the name, because a client chooses it freely. */
export function recordedClient({ name }: ClientIdentity): string {
  return clientName(name, UNNAMED);
}

/** The answering client in the audit log. */
export function answeringClient(client: ClientIdentity): string {
  const name = recordedClient(client);
  return name === UNNAMED ? name : `${UNNAMED}:${name}`;
}

/** The name of an HTTP client: the first product of `User-Agent`, without its version. */
export function httpClient(userAgent: string | undefined): ClientIdentity {
  return { name: /^[^\s/]+/u.exec(userAgent ?? '')?.[0] ?? UNNAMED_HTTP };
}
