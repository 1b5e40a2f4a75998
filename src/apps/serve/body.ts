/** Reads the body of a request as JSON, within its bounds. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasTooManyMembers, isNestedTooDeep, MOST_MEMBERS, MOST_NESTING } from '../../text/json/bounds.ts';
import { LONGEST_BODY, MOST_BODY_BYTES } from './limits.ts';

/** What was sent, or why it cannot be read. */
export type Body = { readonly value: unknown } | Refusal;

interface Refusal {
  readonly status: 400 | 413 | 415 | 503;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Bytes of all bodies that are in memory and not read to their end. */
let reading = 0;

/** The body as a value. A client that stops in the middle is answered by nobody: its connection is gone. */
export async function readJson(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Body> {
  const type = incoming.headers['content-type'];
  if (!/^application\/json\s*(?:;|$)/iu.test(type ?? ''))
    return no(415, 'SERVE_MEDIA_TYPE', 'the body is not said to be JSON', 'send Content-Type: application/json');
  const coding = incoming.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity')
    return no(415, 'SERVE_MEDIA_TYPE', 'the body is compressed', 'send it as it is, without Content-Encoding');
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > LONGEST_BODY) return tooLong();
  if (reading + length > MOST_BODY_BYTES) return busy();
  // Only now is the client told to send: nobody who is refused makes us read.
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  const bytes = await collect(incoming);
  return Buffer.isBuffer(bytes) ? parse(bytes) : bytes;
}

/** A body without a length tells its size only as it comes: one that is too long is its own fault, a full server is not. */
async function collect(incoming: IncomingMessage): Promise<Buffer | Refusal> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
      const bytes = piece as Buffer;
      size += bytes.length;
      reading += bytes.length;
      if (size > LONGEST_BODY) return tooLong();
      if (reading > MOST_BODY_BYTES) return busy();
      pieces.push(bytes);
    }
    return Buffer.concat(pieces);
  } finally {
    reading -= size;
  }
}

function parse(bytes: Buffer): Body {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (isNestedTooDeep(text)) return tooDeep();
    if (hasTooManyMembers(text)) return tooManyMembers();
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message : 'it is no UTF-8';
    return no(400, 'SERVE_MALFORMED', `the body is not JSON: ${what}`, 'send one JSON value in UTF-8');
  }
}

function tooDeep(): Refusal {
  const message = `the body is nested deeper than ${MOST_NESTING} levels`;
  return no(400, 'SERVE_MALFORMED', message, 'send it with fewer arrays and objects inside of each other');
}

function tooManyMembers(): Refusal {
  return no(413, 'SERVE_TOO_LARGE', `the body has more than ${MOST_MEMBERS} members`, 'make several calls');
}

function busy(): Refusal {
  return no(503, 'SERVE_BUSY', 'too much is being sent at this moment', 'try again in a moment');
}

function tooLong(): Refusal {
  return no(413, 'SERVE_TOO_LARGE', `the body has more than ${LONGEST_BODY} bytes`, 'send less at once, or use a file');
}

function no(status: Refusal['status'], code: string, message: string, hint: string): Refusal {
  return { status, code, message, hint };
}
