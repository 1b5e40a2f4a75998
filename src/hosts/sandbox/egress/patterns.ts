/**
 * Which names a sandbox may reach:
 *   pattern = ["*."] name [":" port] | address [":" port]      (an IPv6 address stands in brackets)
 * `*.` stands for one or more labels. Without a port the usual two of the web are meant.
 */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isPublic } from './addresses.ts';

export interface AllowPattern {
  /** In lower case, in ASCII. */
  readonly name: string;
  /** All below the name, and not the name itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

const WEB_PORTS: readonly number[] = [80, 443];

/** Reads a pattern; undefined when it is none. */
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

/** What is never reached, whatever a resolver says: addresses that are not public, and the names of the loopback (RFC 6761). */
export function isNeverPublic({ name }: AllowPattern): boolean {
  return isIP(name) === 0 ? /(?:^|\.)localhost$/u.test(name) : !isPublic(name);
}

/** A name as it is compared: ASCII, lower case, without the last dot, addresses without brackets; undefined when it is none. */
export function canonicalHost(host: string): string | undefined {
  const bare = /^\[(.*)\]$/u.exec(host)?.[1];
  if (bare !== undefined) return isIP(bare) === 6 ? bare.toLowerCase() : undefined;
  if (isIP(host) !== 0) return host.toLowerCase();
  if (/[^\w.-]/u.test(host.replaceAll(/[^\0-\x7f]/gu, ''))) return undefined; // the next step would leave some of them out
  const ascii = domainToASCII(host).replace(/\.$/u, '');
  if (ascii.length > 253 || isIP(ascii) !== 0) return undefined; // other spellings of an address
  const isName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u.test(ascii);
  return isName ? ascii : undefined;
}

/** Whether one of the patterns allows this name, which has to be canonical, and port. */
export function isAllowed(patterns: readonly AllowPattern[], name: string, port: number): boolean {
  return patterns.some(
    (pattern) =>
      pattern.ports.includes(port) && (pattern.below ? name.endsWith(`.${pattern.name}`) : name === pattern.name),
  );
}
