/** Why an address of a gateway does not accept a connection, in the words of the operator. */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';

interface Why {
  readonly why: string;
  readonly hint: string;
}

const ADDRESS = 'use the address that pincer gateway prints: the host and the port of its setting nodes.listen';
const START = 'start pincer gateway there, and check its setting nodes.listen and the firewall';

/** Errors of Node and OpenSSL about a certificate: expired, of another host, of an unknown authority, … */
const CERTIFICATE = /CERT|ALTNAME|ISSUER|LEAF_SIGNATURE|CRL/u;
const PROXY = 'check that pincer gateway runs, and that the proxy passes WebSocket connections on to its nodes.listen';

/** `isVerified`: TLS ends at a proxy, and its certificate is verified. */
export function unreachable(url: string, error: unknown, isVerified = false): Fault {
  if (isVerified && CERTIFICATE.test(String((error as NodeJS.ErrnoException).code)))
    return new Fault('NODE_CERTIFICATE', `the certificate at ${new URL(url).host} is refused: ${oneLine(error)}`, {
      hint: 'the proxy needs a certificate for this host name, of an authority that Node knows; NODE_EXTRA_CA_CERTS adds one',
      cause: error,
    });
  const { why, hint } = reasonOf(url, error, isVerified);
  return new Fault('NODE_UNREACHABLE', `cannot connect to ${url}: ${why}`, { hint, cause: error });
}

function reasonOf(url: string, error: unknown, isProxied: boolean): Why {
  const message = messageOf(error);
  const { code } = error as NodeJS.ErrnoException;
  const { host, hostname } = new URL(url);
  if (code === 'ECONNREFUSED') return { why: `no program listens at ${host} (ECONNREFUSED)`, hint: START };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { why: `the host name ${hostname} is unknown (${code})`, hint: ADDRESS };
  if (code === 'ETIMEDOUT' || message.includes('handshake has timed out'))
    return { why: 'no answer in time', hint: START };
  if (/wrong version number|packet length too long|http request/iu.test(message))
    return { why: 'the port answers without TLS, so it is not the port for nodes', hint: ADDRESS };
  const status = /^Unexpected server response: (\d+)$/u.exec(message)?.[1];
  if (status !== undefined && isProxied) return { why: `the proxy answers HTTP status ${status}`, hint: PROXY };
  if (status !== undefined)
    return { why: `the port answers HTTP (status ${status}), so it is not the port for nodes`, hint: ADDRESS };
  if (url.startsWith('ws:') && (code === 'ECONNRESET' || message === 'socket hang up'))
    return { why: 'the port closed the connection, and may need TLS', hint: 'use wss:// instead of ws://' };
  return { why: oneLine(error), hint: `${ADDRESS}; check the firewall` };
}

function oneLine(error: unknown): string {
  return messageOf(error).trim().replaceAll(/\s+/gu, ' ');
}
