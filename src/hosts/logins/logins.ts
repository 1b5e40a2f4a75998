/** The logins of the control page, and the one-time links that create them. Of every secret only a hash is stored. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import {
  isLoginAuthor,
  loginAuthor,
  type Login,
  type LoginHandshake,
  proofText,
  type Role,
} from '../../wire/page/login.ts';
import { LINK_MINUTES, UNUSED_DAYS } from '../../wire/page/login-terms.ts';
import type { Methods } from '../../wire/methods.ts';
import type { Database, Row } from '../database/shape.ts';

const LINK_MS = LINK_MINUTES * 60_000;
const UNUSED_MS = UNUSED_DAYS * 24 * 3600_000;
/** The time of the last use is stored at most this often. */
const SEEN_EVERY_MS = 60_000;
/** Links that wait; the oldest one is dropped for another one. */
const MOST_LINKS = 100;
const LONGEST_BROWSER = 200;
const SECRET_BYTES = 32;
const ID_BYTES = 8;

export interface LoginParts {
  readonly database: Database;
  readonly now: () => number;
  /** Writes a row of the audit log. */
  readonly audit: (by: string, details: Readonly<Record<string, unknown>>) => void;
}

export interface Logins {
  /** A link for one browser; `code` is its secret. A login that has ended creates none. */
  link(role: Role, by: string, lifeMs?: number): Methods['login.link']['result'];
  /** Exchanges a code. Of all callers, in any process, one gets the login. */
  use(code: string, browser?: string): Methods['login.use']['result'];
  /** The proof of this server for the page that has the cookie. */
  prove(cookie: string, handshake: LoginHandshake): Methods['login.prove']['result'];
  /** Without `page`, only the cookie is checked. */
  check(cookie: string, page?: Methods['login.check']['params']['page']): Methods['login.check']['result'];
  list(): readonly Login[];
  /** Also revokes the logins that were created from it, through any number of links. */
  revoke(id: string, by: string, keepCreated?: true): Login;
}

export function loginsIn({ database, now, audit }: LoginParts): Logins {
  const unusedSince = (): number => now() - UNUSED_MS;
  const rowOf = (id: string): Row | undefined =>
    database.prepare('SELECT * FROM logins WHERE id = ? AND last_seen_at > ?').get(id, unusedSince());

  function removeExpired(): void {
    database.prepare('DELETE FROM login_links WHERE expires_at <= ?').run(now());
    database.prepare('DELETE FROM logins WHERE last_seen_at <= ?').run(unusedSince());
  }

  function withCookie(cookie: string): Row | undefined {
    const [id = '', secretPart = ''] = cookie.split('.', 2);
    const row = rowOf(id);
    return isSecret(secretPart, row?.['cookie_hash']) ? row : undefined;
  }

  const all = (): readonly Row[] =>
    database.prepare('SELECT * FROM logins WHERE last_seen_at > ? ORDER BY number').all(unusedSince());

  const withAuthor = (author: string): Row | undefined => all().find((row) => loginAuthor(loginOf(row)) === author);

  /** The logins that a login of this author's link comes from, the first one first. */
  function originsOf(author: string): readonly string[] {
    const creator = withAuthor(author);
    return creator === undefined ? [] : [...createdBy(creator), loginOf(creator).name];
  }

  function remove(login: Login): void {
    database.prepare('DELETE FROM logins WHERE id = ?').run(login.id);
    // Its browser may have kept a link as a way back.
    database.prepare('DELETE FROM login_links WHERE created_by = ?').run(JSON.stringify(loginAuthor(login)));
  }

  function seen(row: Row): Login {
    const time = now();
    if (time - Number(row['last_seen_at']) < SEEN_EVERY_MS) return loginOf(row);
    database.soon(() => database.prepare('UPDATE logins SET last_seen_at = ? WHERE id = ?').run(time, row['id']!));
    return { ...loginOf(row), lastSeenAt: time };
  }

  return {
    link(role, by, lifeMs = LINK_MS) {
      const code = secret();
      const expiresAt = now() + Math.min(lifeMs, LINK_MS);
      database.transaction(() => {
        removeExpired();
        // The page checks its login before this call: in between it may have been revoked, and a link would be a way back.
        if (isLoginAuthor(by) && withAuthor(by) === undefined) throw unknownLogin(by);
        database
          .prepare(
            `DELETE FROM login_links WHERE rowid NOT IN
               (SELECT rowid FROM login_links ORDER BY rowid DESC LIMIT ${MOST_LINKS - 1})`,
          )
          .run();
        database
          .prepare('INSERT INTO login_links (code_hash, role, created_by, expires_at) VALUES (?, ?, ?, ?)')
          .run(hashOf(code).toString('hex'), role, JSON.stringify(by), expiresAt);
        audit(by, { action: 'link created', role });
      });
      return { code, expiresAt };
    },

    use(code, browser) {
      const codeHash = hashOf(code).toString('hex');
      const link = database.prepare('SELECT * FROM login_links WHERE code_hash = ?').get(codeHash);
      if (link === undefined) return { ok: false };
      const [id, cookie, key] = [randomBytes(ID_BYTES).toString('hex'), secret(), secret()];
      const linkBy = JSON.parse(String(link['created_by'])) as string;
      const time = now();
      return database.transaction(() => {
        // A single statement decides: of all uses, from any process, only the first one finds the link.
        const won = database
          .prepare('DELETE FROM login_links WHERE code_hash = ? AND expires_at > ?')
          .run(codeHash, time);
        if (won.changes !== 1) return { ok: false };
        database
          .prepare(
            `INSERT INTO logins (id, role, browser, cookie_hash, key_hash, created_at, last_seen_at, created_by)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            id,
            link['role']!,
            browser === undefined ? null : JSON.stringify(browser.slice(0, LONGEST_BROWSER)),
            hashOf(cookie).toString('hex'),
            hashOf(key).toString('hex'),
            time,
            time,
            JSON.stringify(originsOf(linkBy)),
          );
        const login = loginOf(rowOf(id)!);
        const { name, role } = login;
        audit(loginAuthor(login), { action: 'link used', id, name, role, linkBy, browser: login.browser });
        return { ok: true, login, cookie: `${id}.${cookie}`, key };
      });
    },

    prove(cookie, handshake) {
      const row = withCookie(cookie);
      return row === undefined ? { ok: false } : { ok: true, proof: proofOf(row, 'server', handshake).toString('hex') };
    },

    check(cookie, page) {
      const row = withCookie(cookie);
      if (row === undefined) return { ok: false };
      const isProven = page === undefined || isEqual(page.proof, proofOf(row, 'page', page.handshake));
      return isProven ? { ok: true, login: seen(row) } : { ok: false };
    },

    list: () => all().map((row) => loginOf(row)),

    revoke(id, by, keepCreated) {
      const row = rowOf(id) ?? all().find(named(id));
      if (row === undefined) throw unknownLogin(id);
      const login = loginOf(row);
      database.transaction(() => {
        remove(login);
        audit(by, { action: 'revoked', id: login.id, name: login.name, role: login.role });
        if (keepCreated === true) return;
        for (const other of all().filter((each) => createdBy(each).includes(login.name))) {
          const { id: otherId, name, role } = loginOf(other);
          remove(loginOf(other));
          audit(by, { action: 'revoked', id: otherId, name, role, createdBy: login.name });
        }
      });
      return login;
    },
  };
}

function unknownLogin(name: string): Fault {
  return new Fault('LOGIN_UNKNOWN', `there is no login ${JSON.stringify(name)}`, {
    hint: 'pincer page list shows all logins',
  });
}

function createdBy(row: Row): readonly string[] {
  return JSON.parse(String(row['created_by'])) as readonly string[];
}

function named(name: string): (row: Row) => boolean {
  return (row) => loginOf(row).name === name;
}

/** The number is never used again, so a name means one browser forever. */
function loginOf(row: Row): Login {
  const { browser } = row;
  const role = row['role'] as Role;
  return {
    id: String(row['id']),
    role,
    name: `${role}-${Number(row['number'])}`,
    createdAt: Number(row['created_at']),
    lastSeenAt: Number(row['last_seen_at']),
    ...(typeof browser === 'string' ? { browser: JSON.parse(browser) as string } : {}),
  };
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function proofOf(row: Row, end: 'page' | 'server', handshake: LoginHandshake): Buffer {
  return createHmac('sha256', Buffer.from(String(row['key_hash']), 'hex'))
    .update(proofText(end, handshake))
    .digest();
}

function isEqual(given: string, wanted: Buffer): boolean {
  const bytes = Buffer.from(given, 'hex');
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

/** Compares in constant time, also with no stored hash. */
function isSecret(given: string, stored: unknown): boolean {
  const wanted = typeof stored === 'string' ? Buffer.from(stored, 'hex') : Buffer.alloc(SECRET_BYTES);
  return timingSafeEqual(hashOf(given), wanted) && typeof stored === 'string';
}
