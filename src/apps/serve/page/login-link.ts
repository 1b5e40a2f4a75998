import type { Role } from '../../../wire/page/login.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { LOGIN_PATH } from './paths.ts';

export interface IssuedLink {
  /** Works once. */
  readonly url: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/** A new one-time link; `server` is any URL of the server. */
export async function issueLink(gateway: Gateway, server: string, role: Role, by: string): Promise<IssuedLink> {
  const { code, expiresAt } = await gateway.call('login.link', { role, by });
  const url = new URL(LOGIN_PATH, server);
  url.searchParams.set('code', code);
  return { url: url.href, role, expiresAt };
}
