/**
 * Which names a sandbox may reach:
 *   pattern = ["*."] name [":" port] | address [":" port]      (an IPv6 address is in brackets)
 * `*.` matches one or more labels. Default ports: 80 and 443.
 */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isPublic } from './addresses.ts';

export interface AllowPattern {
  /** In lower case, in ASCII. */
  readonly name: string;
  /** Matches subdomains, and not the name itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

const WEB_PORTS: readonly number[] = [80, 443];

/** Undefined when the pattern is invalid. */
export function parseAllow(text: string): AllowPattern | undefined {
  const parts = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/u.exec(text.trim());
  if (parts === null) return undefined;
  const [, star, written = '', port] = parts;
  const name = canonicalHost(written);
  if (name === undefined || (star !== undefined && isIP(name) !== 0)) return undefined;
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 0xffff)) return undefined;
  return { name, below: star !== undefined, ports: number === undefined ? WEB_PORTS : [number] };
}

/** Addresses that are not public, and names of the loopback (RFC 6761), which a resolver must not override. */
export function isNeverPublic({ name }: AllowPattern): boolean {
  return isIP(name) === 0 ? /(?:^|\.)localhost$/u.test(name) : !isPublic(name);
}

/** The name in ASCII and lower case, without a final dot; addresses without brackets. Undefined when it is invalid. */
export function canonicalHost(host: string): string | undefined {
  const bare = /^\[(.*)\]$/u.exec(host)?.[1];
  if (bare !== undefined) return isIP(bare) === 6 ? bare.toLowerCase() : undefined;
  if (isIP(host) !== 0) return host.toLowerCase();
  if (/[^\w.-]/u.test(host.replaceAll(/[^\0-\x7f]/gu, ''))) return undefined; // domainToASCII would drop some of them
  const ascii = domainToASCII(host).replace(/\.$/u, '');
  if (ascii.length > 253 || isIP(ascii) !== 0) return undefined; // an address in another notation
  const isName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u.test(ascii);
  return isName ? ascii : undefined;
}

/** `name` has to be canonical. */
export function isAllowed(patterns: readonly AllowPattern[], name: string, port: number): boolean {
  return patterns.some(
    (pattern) =>
      pattern.ports.includes(port) && (pattern.below ? name.endsWith(`.${pattern.name}`) : name === pattern.name),
  );
}
