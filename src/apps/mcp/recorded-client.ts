/** What records call a client of MCP or HTTP; free of the MCP package, because tools are listed before that is loaded. */
import { clientName } from '../../wire/client-name.ts';
import type { ClientIdentity } from './options.ts';

/** A client of MCP that gives itself no name. */
const UNNAMED = 'mcp';
/** A client of plain HTTP that gives itself no name. */
const UNNAMED_HTTP = 'http';

/** The name in records: a client may say of itself whatever it likes. */
export function recordedClient({ name }: ClientIdentity): string {
  return clientName(name, UNNAMED);
}

/** Who answered an approval in this client, for the audit log. */
export function answeringClient(client: ClientIdentity): string {
  const name = recordedClient(client);
  return name === UNNAMED ? name : `${UNNAMED}:${name}`;
}

/** A client of plain HTTP names itself in `User-Agent`: the first product, without its version. */
export function httpClient(userAgent: string | undefined): ClientIdentity {
  return { name: /^[^\s/]+/u.exec(userAgent ?? '')?.[0] ?? UNNAMED_HTTP };
}
