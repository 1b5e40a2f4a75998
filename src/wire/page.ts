/**
 * The messages between the control page and the server that serves it, over one WebSocket. Both ends send JSON in text frames;
 * the output of sessions comes in binary frames (`OUTPUT_HEADER_BYTES`).
 */
import { approvalInfo, auditEntry } from './approval.ts';
import { login } from './page/login.ts';
import { notice } from './notice.ts';
import { type Infer, integer, json, literal, number, object, oneOf, string, union } from './schema.ts';
import { sessionInfo } from './session.ts';

export type { Login, Role } from './page/login.ts';

/** The screens. `:id` is one segment of a path, `*` is one or more. Every other path is not part of the page. */
export const SCREEN_PATHS = [
  '/',
  '/approvals',
  '/approvals/history',
  '/approvals/:id',
  '/sessions',
  '/sessions/:id',
  '/nodes',
  '/nodes/:id',
  '/files',
  '/files/*',
  '/policy',
  '/policy/explain',
  '/audit',
  '/try',
  '/settings',
] as const;

/** The numbers of the last notice and of the last audit entry that a page has. */
export const positions = object({
  /** The id of the database that they count in; a new database counts from 1 again. */
  store: string({ max: 100 }),
  notice: integer({ min: 0 }),
  audit: integer({ min: 0 }),
});
export type Positions = Infer<typeof positions>;

/** Chosen by the page; not used again while the call or subscription is open. */
const id = integer({ min: 1, max: 2 ** 32 - 1 });
/** The tools and methods check their own parameters. */
const anyJson = json({ depth: 100, values: 100_000 });

/** The first message is `hello`, and after `challenge` comes `proof`. */
export const fromPage = union(
  'type',
  object({ type: literal('hello'), nonce: string({ max: 100 }) }, { after: positions }),
  /** The page has the key of the login (`proofText`). It sends this only after the proof of the server. */
  object({ type: literal('proof'), proof: string({ max: 200 }) }),
  object({ type: literal('call'), id, method: string({ max: 100 }), params: anyJson }),
  /** Subscribes to the output of a session from a byte position. */
  object({ type: literal('follow'), id, sessionId: string({ max: 200 }), after: integer({ min: 0 }) }),
  /** The page has shown this many bytes of a subscription. */
  object({ type: literal('credit'), id, bytes: integer({ min: 0 }) }),
  /** Ends a call or a subscription. */
  object({ type: literal('cancel'), id }),
  object({ type: literal('ping'), id }),
);
export type FromPage = Infer<typeof fromPage>;

export const faultMessage = object({ code: string(), message: string() }, { hint: string(), details: anyJson });

export const toPage = union(
  'type',
  /** The answer to `hello`. The page trusts no other message before it has checked the proof. */
  object({ type: literal('challenge'), nonce: string({ max: 100 }), proof: string({ max: 200 }) }),
  object({
    type: literal('welcome'),
    login,
    /** The time of the server. */
    now: number(),
    version: string(),
    /** The name of the machine. */
    machine: string(),
    workspace: string(),
    agent: string(),
    /** Events after these numbers follow. */
    positions,
    /** `reset`: events since `hello.after` are missing, so the page loads its lists again. */
    resume: oneOf(['resumed', 'reset']),
  }),
  object({ type: literal('result'), id, value: anyJson }),
  object({ type: literal('fault'), id, fault: faultMessage }),
  /** A notice; with the approval or the session that it is about, as it is now. */
  object({ type: literal('notice'), notice }, { approval: approvalInfo, session: sessionInfo }),
  object({ type: literal('audit'), entry: auditEntry }, { session: sessionInfo }),
  /** The page reads too slowly, and events up to these numbers are missing: it loads its lists again. */
  object({ type: literal('reset'), positions }),
  /** Bytes that the log dropped. */
  object({ type: literal('gap'), id, start: number(), bytes: number() }),
  object({ type: literal('end'), id, session: sessionInfo }),
  object({ type: literal('pong'), id, now: number() }),
  /** The login was revoked or has expired; the server closes the socket. */
  object({ type: literal('logged-out'), reason: string() }),
);
export type ToPage = Infer<typeof toPage>;

/**
 * A key that was pressed for another item must not answer this one: the page waits this long after the shown item changed by itself,
 * and the server refuses an answer to an approval that is newer.
 */
export const ARM_MS = 500;

/** A binary frame: u32 id of the subscription, f64 position, u8 stream (0 out, 1 err), all little-endian, then the bytes. */
export const OUTPUT_HEADER_BYTES = 13;
/** The server sends at most this many bytes of a subscription that the page has not credited. */
export const OUTPUT_WINDOW_BYTES = 1024 * 1024;
