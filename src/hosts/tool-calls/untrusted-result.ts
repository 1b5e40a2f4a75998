/** Reads the result of a tool that comes from another host: rebuilt from what it may have. Anything else is a protocol violation. */
import { fileToolDetails } from '../../wire/file-tool-details.ts';
import { Mismatch } from '../../wire/mismatch.ts';
import { MOST_TEXT, PICTURES, type ResultHead, resultDetails, resultHead, textLength } from '../../wire/runner.ts';
import { check, type Schema } from '../../wire/schema.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';
import { ProtocolViolation, expectThat } from '../channel/protocol-violation.ts';
import { type Bodies, unpack } from '../channel/packed.ts';

export function readToolResult(packed: Buffer): ToolResult {
  const { head, bodies } = unpack(packed);
  const { content, details, ...rest } = parsed(resultHead, head, 'a result');
  checked(resultDetails, details, 'details of a result');
  const read = content.map((part) => readContent(part, bodies));
  expectThat(bodies.left === 0, 'a result that is longer than its head declares');
  expectThat(textLength(read) <= MOST_TEXT, 'a result with too much text');
  return { content: read, details: fileToolDetails(details as Readonly<Record<string, unknown>>), ...rest };
}

function readContent(part: ResultHead['content'][number], bodies: Bodies): Content {
  if (part.type === 'text') return { type: 'text', text: part.text ?? bodies.take(part.bytes, 'utf8') };
  const { type, mimeType } = part;
  const data = bodies.take(part.bytes, 'base64');
  expectThat(data.startsWith(PICTURES[mimeType]), 'an image that is not of its declared type');
  return { type, data, mimeType };
}

function parsed<T>(schema: Schema<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation(`${what} that is not JSON`);
  }
  return checked(schema, value, what);
}

function checked<T>(schema: Schema<T>, value: unknown, what: string): T {
  try {
    return check(schema, value, what);
  } catch (error) {
    if (error instanceof Mismatch) throw new ProtocolViolation(`${error.place} must be ${error.expected}`);
    throw error;
  }
}
