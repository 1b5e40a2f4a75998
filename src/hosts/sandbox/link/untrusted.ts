/** Reads what comes out of a sandbox: rebuilt from what it may have, never passed on as it came. Anything else is a breach. */
import { fileToolDetails } from '../../../wire/file-tool-details.ts';
import { Mismatch } from '../../../wire/mismatch.ts';
import {
  MOST_TEXT,
  PICTURES,
  type ResultHead,
  resultDetails,
  resultHead,
  runnerMessage,
  textLength,
} from '../../../wire/runner.ts';
import { check, type Schema } from '../../../wire/schema.ts';
import type { Content, ToolResult } from '../../../wire/tool.ts';
import { Breach, expectThat } from '../../channel/breach.ts';
import { type Bodies, unpack } from '../../channel/packed.ts';
import type { News } from '../../process/runner-messages.ts';

/** Messages from inside are short; the longest have warnings or the reason of a failure in them. */
const LONGEST_MESSAGE = 16 * 1024;

/** The message in a payload. */
export function readMessage(payload: Uint8Array): News {
  expectThat(payload.length <= LONGEST_MESSAGE, `a message of ${payload.length} bytes came out of it`);
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8');
  const message = parsed(runnerMessage, text, 'a message out of it');
  if (message.type !== 'exit') return message;
  const { exit } = message;
  return { type: 'exit', exit: exit.kind === 'failed' ? { ...exit, reason: 'spawn-failed' } : exit };
}

/** The result of a tool in these bytes. */
export function readToolResult(packed: Buffer): ToolResult {
  const { head, bodies } = unpack(packed);
  const { content, details, ...rest } = parsed(resultHead, head, 'a result out of it');
  checked(resultDetails, details, 'details out of it');
  const read = content.map((part) => readContent(part, bodies));
  expectThat(bodies.left === 0, 'a result with more than it says came out of it');
  expectThat(textLength(read) <= MOST_TEXT, 'more text than a tool answers came out of it');
  return { content: read, details: fileToolDetails(details as Readonly<Record<string, unknown>>), ...rest };
}

function readContent(part: ResultHead['content'][number], bodies: Bodies): Content {
  if (part.type === 'text') return { type: 'text', text: part.text ?? bodies.take(part.bytes, 'utf8') };
  const { type, mimeType } = part;
  const data = bodies.take(part.bytes, 'base64');
  expectThat(data.startsWith(PICTURES[mimeType]), 'a picture of another kind than it says came out of it');
  return { type, data, mimeType };
}

function parsed<T>(schema: Schema<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Breach(`${what} is no JSON`);
  }
  return checked(schema, value, what);
}

function checked<T>(schema: Schema<T>, value: unknown, what: string): T {
  try {
    return check(schema, value, what);
  } catch (error) {
    if (error instanceof Mismatch) throw new Breach(`${error.place} must be ${error.expected}`);
    throw error;
  }
}
