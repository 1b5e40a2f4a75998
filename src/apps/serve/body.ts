/** Reads the body of a request as JSON, within limits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasTooManyMembers, isNestedTooDeep, MOST_MEMBERS, MOST_NESTING } from '../../text/json/bounds.ts';
import { LONGEST_BODY, MOST_BODY_BYTES } from './limits.ts';

export type Body = { readonly value: unknown } | Refusal;

interface Refusal {
  readonly status: 400 | 413 | 415 | 503;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Bytes of all incomplete bodies in memory. */
let reading = 0;

/** Rejects if the client disconnects in the middle of the body. */
export async function readJson(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Body> {
  const type = incoming.headers['content-type'];
  if (!/^application\/json\s*(?:;|$)/iu.test(type ?? ''))
    return no(415, 'SERVE_MEDIA_TYPE', 'the content type is not JSON', 'send Content-Type: application/json');
  const coding = incoming.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity')
    return no(415, 'SERVE_MEDIA_TYPE', 'the body is compressed', 'send it uncompressed, without Content-Encoding');
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > LONGEST_BODY) return tooLong();
  if (reading + length > MOST_BODY_BYTES) return busy();
  // Send 100 Continue only after the checks, so that a refused client does not send its body.
  if (incoming.headers.expect !== undefined) outgoing.writeContinue();
  const bytes = await collect(incoming);
  return Buffer.isBuffer(bytes) ? parse(bytes) : bytes;
}

/** A body without Content-Length is checked while it arrives: too long is the client's fault, a full server is not. */
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
    const what = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return no(400, 'SERVE_MALFORMED', `the body is not JSON: ${what}`, 'send one JSON value in UTF-8');
  }
}

function tooDeep(): Refusal {
  const message = `the body is nested deeper than ${MOST_NESTING} levels`;
  return no(400, 'SERVE_MALFORMED', message, 'send less nested arrays and objects');
}

function tooManyMembers(): Refusal {
  return no(413, 'SERVE_TOO_LARGE', `the body has more than ${MOST_MEMBERS} members`, 'make several calls');
}

function busy(): Refusal {
  return no(503, 'SERVE_BUSY', 'too many request bodies are being received', 'try again in a moment');
}

function tooLong(): Refusal {
  return no(
    413,
    'SERVE_TOO_LARGE',
    `the body has more than ${LONGEST_BODY} bytes`,
    'send several smaller requests, or use a file',
  );
}

function no(status: Refusal['status'], code: string, message: string, hint: string): Refusal {
  return { status, code, message, hint };
}
