/**
 * The reader before there were schemas, as the reference of untrusted.test.ts. It is not changed.
 *
 * Reads the result of a tool that ran inside: rebuilt from what a result may have, never passed on as it came.
 */
import { fileToolDetails } from '../../../../../src/wire/file-tool-details.ts';
import type { Content, ToolResult } from '../../../../../src/wire/tool.ts';
import { ProtocolViolation, expectThat } from '../../../../../src/hosts/channel/protocol-violation.ts';
import { type Bodies, unpack } from '../../../../../src/hosts/channel/packed.ts';

const MOST_PARTS = 1000;
/** No model takes in more; the agent of ours says so instead of sending it. */
export const MOST_TEXT = 8 * 1024 * 1024;
/** What pictures are turned into inside, by the bytes that each begins with. */
const PICTURES: ReadonlyMap<unknown, RegExp> = new Map([
  ['image/png', /^iVBORw0KGg/u],
  ['image/jpeg', /^\/9j\//u],
  ['image/gif', /^R0lGOD/u],
  ['image/webp', /^UklGR/u],
]);
const LONGEST_ERROR = 64 * 1024;
/** As the codes of faults are written. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/u;

/** The result in these bytes; throws a ProtocolViolation when it has another shape. */
export function readToolAnswer(packed: Buffer): ToolResult {
  const { head, bodies } = unpack(packed);
  let value: unknown;
  try {
    value = JSON.parse(head);
  } catch {
    throw new ProtocolViolation('a result that is no JSON came out of it');
  }
  expectThat(isObject(value), 'a result that is no object came out of it');
  const { content, details, isError, error } = value;
  expectThat(Array.isArray(content) && content.length <= MOST_PARTS, 'a result without content came out of it');
  expectThat(isObject(details), 'a result without details came out of it');
  expectThat(isError === undefined || isError === true, 'a result that is half an error came out of it');
  expectThat(
    error === undefined || (typeof error === 'string' && error.length <= LONGEST_ERROR),
    'an error of another shape came out of it',
  );
  const { code, hint } = details;
  expectThat(code === undefined || (typeof code === 'string' && CODE.test(code)), 'a code that is none came out of it');
  expectThat(hint === undefined || typeof hint === 'string', 'a hint that is no text came out of it');
  expectThat(!hasParents(details), 'details with another parent came out of it');
  expectThat(!asksForApproval(details), 'a question to a person came out of it');
  const read = content.map((part) => readContent(part, bodies));
  expectThat(bodies.left === 0, 'a result with more than it says came out of it');
  expectThat(textOf(read) <= MOST_TEXT, 'more text than a tool answers came out of it');
  return {
    content: read,
    details: fileToolDetails(details),
    ...(isError === true ? { isError } : {}),
    ...(error === undefined ? {} : { error }),
  };
}

/** The length of all texts. */
export function textOf(content: readonly Content[]): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

function readContent(value: unknown, bodies: Bodies): Content {
  expectThat(isObject(value), 'content of another shape came out of it');
  const { type, text, bytes, mimeType } = value;
  if (type === 'text') {
    if (text === undefined) return { type, text: bodies.take(bytes, 'utf8') };
    expectThat(typeof text === 'string', 'a text that is none came out of it');
    return { type, text };
  }
  expectThat(type === 'image', 'content of a kind that does not exist came out of it');
  const beginning = PICTURES.get(mimeType);
  expectThat(beginning !== undefined && typeof mimeType === 'string', 'a picture of no kind came out of it');
  const data = bodies.take(bytes, 'base64');
  expectThat(beginning.test(data), 'a picture of another kind than it says came out of it');
  return { type, data, mimeType };
}

/** Whether something in it would take the place of an object's parent, once somebody copies it. */
function hasParents(value: object): boolean {
  let level: object[] = [value];
  while (level.length > 0) {
    if (level.some((each) => Object.hasOwn(each, '__proto__'))) return true;
    level = level.flatMap((each) => Object.values(each).filter((child) => typeof child === 'object' && child !== null));
  }
  return false;
}

const OF_APPROVALS = ['approvalId', 'approvalSlug', 'approveWith'];

/** File tools ask nobody; a sandbox that does wants another command to be allowed. */
function asksForApproval(details: Readonly<Record<string, unknown>>): boolean {
  return details['status'] === 'approval-pending' || OF_APPROVALS.some((name) => Object.hasOwn(details, name));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
