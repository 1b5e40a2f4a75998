/**
 * Checks every request first: the Host header, the origin (a page of another origin may reach a loopback address through
 * DNS rebinding), then the token.
 */
import { networkInterfaces } from 'node:os';

export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A refusal of the gate, or of what comes after it. */
export type AnyRefusal = Omit<Refusal, 'status'> & { readonly status: number };

/** The checked parts of a request. */
export interface RequestOrigin {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** The path needs no token. */
  readonly open: boolean;
}

export interface GateOptions {
  /** The bound address or name. */
  readonly host: string;
  readonly hasToken: (authorization: string | undefined) => boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

export function isLoopback(host: string): boolean {
  return /^127(?:\.\d{1,3}){3}$/u.test(host) || host === '::1' || host === 'localhost';
}

/** Returns the check; undefined means that the request passes. */
export function gate({ host, hasToken }: GateOptions): (request: RequestOrigin) => Refusal | undefined {
  const names = new Set([...LOOPBACK, ...namesOf(host)]);
  return ({ host: called, origin, authorization, open }) => {
    const name = hostName(called);
    if (name === undefined) return badHost();
    if (!names.has(name)) return wrongHost(name);
    if (origin !== undefined && !isAllowedOrigin(origin, names)) return wrongOrigin();
    return open || hasToken(authorization) ? undefined : noToken(authorization);
  };
}

/** A server that is bound to all addresses accepts the addresses of this machine, but no host names. */
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
    message: 'the Host header is missing or invalid',
    hint: 'send the host and port that pincer serve printed',
  };
}

function wrongHost(name: string): Refusal {
  return {
    status: 403,
    code: 'SERVE_HOST',
    message: `unknown host name ${JSON.stringify(name.slice(0, 100))}`,
    hint: 'use the address that pincer serve printed, or start it with --host and that name',
  };
}

function wrongOrigin(): Refusal {
  return {
    status: 403,
    code: 'SERVE_ORIGIN',
    message: 'this origin is not allowed',
    hint: 'only pages of this machine are allowed; programs must not send an Origin header',
  };
}

function noToken(authorization: string | undefined): Refusal {
  return {
    status: 401,
    code: 'SERVE_UNAUTHORIZED',
    message: authorization === undefined ? 'the request has no token' : 'the token is wrong',
    hint: 'send Authorization: Bearer with the content of the token file that pincer serve printed',
  };
}
