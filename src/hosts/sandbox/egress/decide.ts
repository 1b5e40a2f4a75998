/** Whether a connection may leave a sandbox, and to which address exactly. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isOwn, isPublic } from './addresses.ts';
import { type AllowPattern, canonicalHost, isAllowed } from './patterns.ts';

export type Resolve = (name: string) => Promise<readonly string[]>;

export interface Rules {
  readonly patterns: readonly AllowPattern[];
  readonly resolve: Resolve;
  /** Addresses that may be reached although they are not public. */
  readonly permitted: (address: string) => boolean;
}

export type Verdict =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly reason: RefusalReason };

export type RefusalReason = 'not-a-name' | 'not-allowed' | 'not-found' | 'not-public' | 'too-many' | 'unreachable';

export const systemResolve: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/**
 * Resolves the name once, and returns the address that was checked, so a name whose addresses change between two lookups gains
 * nothing. One address that is not public refuses all of them.
 */
export async function decide(host: string, port: number, { patterns, resolve, permitted }: Rules): Promise<Verdict> {
  const name = canonicalHost(host);
  if (name === undefined) return { ok: false, reason: 'not-a-name' };
  if (!isAllowed(patterns, name, port)) return { ok: false, reason: 'not-allowed' };
  let addresses: readonly string[];
  try {
    addresses = isIP(name) === 0 ? await resolve(name) : [name];
  } catch {
    return { ok: false, reason: 'not-found' };
  }
  const [address] = addresses;
  if (address === undefined) return { ok: false, reason: 'not-found' };
  const isOpen = (each: string): boolean => (isPublic(each) && !isOwn(each)) || permitted(each);
  if (!addresses.every(isOpen)) return { ok: false, reason: 'not-public' };
  return { ok: true, address };
}
