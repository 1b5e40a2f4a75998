/** Who may use the control page: one-time links, and the browsers that have used one. */
import { ROLES } from './login-terms.ts';
import { type Infer, integer, literal, number, object, oneOf, string, union } from '../schema.ts';

/** A viewer reads. An operator also answers, types, and changes settings and files. */
export const role = oneOf(ROLES);
export type Role = Infer<typeof role>;

/** A browser that used a login link. */
export const login = object(
  {
    id: string(),
    role,
    /** Such as `operator-3`. Records of this person have `page:<name>`. */
    name: string(),
    createdAt: number(),
    lastSeenAt: number(),
  },
  {
    /** The browser, as its User-Agent header names it. */
    browser: string(),
  },
);
export type Login = Infer<typeof login>;

const AUTHOR = 'page:';

/** The name of a login in records. */
export function loginAuthor({ name }: Pick<Login, 'name'>): string {
  return `${AUTHOR}${name}`;
}

/** No user has such a name: names of users have no colon. */
export function isLoginAuthor(by: string): boolean {
  return by.startsWith(AUTHOR);
}

export const loginLink = object({
  /** Works once. */
  code: string(),
  expiresAt: number(),
});

/**
 * What both ends of a new connection prove. Each end chooses a nonce. The port prevents a program that has taken the port of a
 * stopped server from relaying a proof to the server on its new port.
 */
export const loginHandshake = object({
  /** The origin of the page in its browser. Behind a proxy or a forwarded port, it has another port. */
  origin: string({ max: 300 }),
  /** The port that the server listens on. The page knows it from its login, not from its address. */
  port: integer({ min: 1, max: 65_535 }),
  pageNonce: string({ max: 100 }),
  serverNonce: string({ max: 100 }),
});
export type LoginHandshake = Infer<typeof loginHandshake>;

/** A proof is the HMAC-SHA-256 of this text in hex digits, with the SHA-256 of the login's key as the key. */
export function proofText(end: 'page' | 'server', { origin, port, pageNonce, serverNonce }: LoginHandshake): string {
  return JSON.stringify(['pincer page', end, origin, port, pageNonce, serverNonce]);
}

export const provenLogin = union('ok', object({ ok: literal(true), proof: string() }), object({ ok: literal(false) }));

/** Both secrets are returned once; the daemon keeps only their hashes. */
export const usedLink = union(
  'ok',
  object({
    ok: literal(true),
    login,
    /** The browser sends it with every request to this host, to any port. */
    cookie: string(),
    /** Only the origin of the page can read it. The browser never sends it: it proves that it has it. */
    key: string(),
  }),
  object({ ok: literal(false) }),
);

export const checkedLogin = union('ok', object({ ok: literal(true), login }), object({ ok: literal(false) }));
