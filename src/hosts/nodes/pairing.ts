/** The two ways to pair: a request that the operator approves, and an invitation that a machine proves to know. */
import type { Invitation } from '../../wire/nodes/handshake.ts';
import type { Database } from '../database/shape.ts';

export const INVITATION_MS = 10 * 60_000;
export const REQUEST_MS = 5 * 60_000;
export const MOST_REQUESTS = 8;
/** In five minutes. Each request has new digits, so a machine that repeats it guesses those of another one. */
export const MOST_NEW_REQUESTS = 64;

/** An invitation as the gateway keeps it. */
export interface StoredInvitation {
  readonly secret: Uint8Array;
  /** The user who issued it. */
  readonly by: string;
}

export interface Invitations {
  /** Returns when it expires. */
  add(invitation: Pick<Invitation, 'id' | 'secret'>, by: string): number;
  /** Undefined where it is unknown, used or expired. */
  get(id: string): StoredInvitation | undefined;
  /** Uses it. Of all callers, in any process, one gets true. */
  consume(id: string): boolean;
}

export function invitationsIn(database: Database, now: () => number): Invitations {
  return {
    add({ id, secret }, by) {
      const expiresAt = now() + INVITATION_MS;
      database.transaction(() => {
        database.prepare('DELETE FROM node_pairing WHERE expires_at <= ?').run(now());
        database
          .prepare('INSERT INTO node_pairing (id, secret, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?)')
          .run(id, secret, now(), by, expiresAt);
      });
      return expiresAt;
    },
    get(id) {
      const row = database.prepare('SELECT * FROM node_pairing WHERE id = ? AND expires_at > ?').get(id, now());
      if (row === undefined) return undefined;
      return { secret: Buffer.from(String(row['secret']), 'base64url'), by: String(row['created_by']) };
    },
    // A single statement decides, and it removes the secret from the disk.
    consume: (id) =>
      database.transaction(
        () => database.prepare('DELETE FROM node_pairing WHERE id = ? AND expires_at > ?').run(id, now()).changes === 1,
      ),
  };
}

/** A machine that waits for the operator. It lives as long as its connection, at most five minutes. */
export interface PairingRequest {
  readonly id: string;
  /** Ends its connection. */
  end(reason: RequestEnd): void;
}

export type RequestEnd = 'rejected' | 'expired' | 'replaced' | 'closing';

export interface Requests<R extends PairingRequest> {
  all(): readonly (R & { readonly since: number; readonly expiresAt: number })[];
  /** Whether a request of this node may wait: one per key, eight in all, 64 new ones in five minutes. */
  hasRoom(id: string): boolean;
  /** Replaces an earlier request of the same key. */
  add(request: R): void;
  /** Removes the request, because it is answered; with `only`, if it is still this one. */
  take(id: string, only?: R): R | undefined;
  close(): void;
}

export function pairingRequests<R extends PairingRequest>(now: () => number): Requests<R> {
  const waiting = new Map<string, { readonly request: R; readonly since: number; readonly timer: NodeJS.Timeout }>();
  let added: readonly number[] = [];
  const recent = (): readonly number[] => added.filter((time) => Math.abs(now() - time) < REQUEST_MS);
  const take: Requests<R>['take'] = (id, only) => {
    const found = waiting.get(id);
    if (found === undefined || (only !== undefined && found.request !== only)) return undefined;
    clearTimeout(found.timer);
    waiting.delete(id);
    return found.request;
  };
  return {
    take,
    all: () =>
      [...waiting.values()].map(({ request, since }) => ({ ...request, since, expiresAt: since + REQUEST_MS })),
    hasRoom: (id) => (waiting.has(id) || waiting.size < MOST_REQUESTS) && recent().length < MOST_NEW_REQUESTS,
    add(request) {
      const { id } = request;
      take(id)?.end('replaced');
      const timer = setTimeout(() => take(id, request)?.end('expired'), REQUEST_MS).unref();
      waiting.set(id, { request, since: now(), timer });
      added = [...recent(), now()];
    },
    close() {
      for (const id of waiting.keys()) take(id)?.end('closing');
    },
  };
}
