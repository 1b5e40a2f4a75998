/**
 * What every request passes before anything else looks at it: the name that it calls this server by and the page that it
 * comes from (a page of another origin may reach a loopback address by a name of its own), then the secret.
 */
import { networkInterfaces } from 'node:os';

/** Why a request goes no further. */
export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What of a request is looked at. */
export interface Visitor {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** Everybody may ask. */
  readonly open: boolean;
}

export interface GateOptions {
  /** The address or name that was bound. */
  readonly host: string;
  readonly hasToken: (authorization: string | undefined) => boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return /^127(?:\.\d{1,3}){3}$/u.test(host) || host === '::1' || host === 'localhost';
}

/** Gives what looks at each request; undefined lets it pass. */
export function gate({ host, hasToken }: GateOptions): (visitor: Visitor) => Refusal | undefined {
  const names = new Set([...LOOPBACK, ...namesOf(host)]);
  return ({ host: called, origin, authorization, open }) => {
    const name = hostName(called);
    if (name === undefined) return badHost();
    if (!names.has(name)) return wrongHost(name);
    if (origin !== undefined && !isAllowedOrigin(origin, names)) return wrongOrigin();
    return open || hasToken(authorization) ? undefined : noToken(authorization);
  };
}

/** Bound to every address, the server answers to the addresses of this machine, never to a name. */
function namesOf(host: string): readonly string[] {
  if (!EVERY_ADDRESS.has(host)) return [asName(host)];
  return Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => asName(address)));
}

function asName(address: string): string {
  return (address.includes(':') ? `[${address.replace(/%.*$/u, '')}]` : address).toLowerCase();
}

/** The name in a `Host` header, without its port. */
function hostName(header: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d.-]*[a-z\d])?)(?::\d{1,5})?$/iu.exec(header ?? '')?.[1]?.toLowerCase();
}

function isAllowedOrigin(origin: string, names: ReadonlySet<string>): boolean {
  const [, name] = /^https?:\/\/([^/?#\\@]+)$/iu.exec(origin) ?? [];
  const host = hostName(name);
  return host !== undefined && names.has(host);
}

function badHost(): Refusal {
  return {
    status: 400,
    code: 'SERVE_HOST',
    message: 'the request has no Host header that names a host',
    hint: 'send the host and port that pincer serve printed',
  };
}

function wrongHost(name: string): Refusal {
  return {
    status: 403,
    code: 'SERVE_HOST',
    message: `this server is not called ${JSON.stringify(name.slice(0, 100))}`,
    hint: 'reach it by the address that pincer serve printed, or start it with --host and that name',
  };
}

function wrongOrigin(): Refusal {
  return {
    status: 403,
    code: 'SERVE_ORIGIN',
    message: 'pages of this origin may not reach this server',
    hint: 'only pages of this machine may; programs send no Origin header',
  };
}

function noToken(authorization: string | undefined): Refusal {
  return {
    status: 401,
    code: 'SERVE_UNAUTHORIZED',
    message:
      authorization === undefined ? 'the request brings no token' : 'the token of the request is not the right one',
    hint: 'send Authorization: Bearer with the content of the token file that pincer serve printed',
  };
}
