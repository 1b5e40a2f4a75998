/**
 * Messages from the runner inside a sandbox. The runner may be hostile, so every string and list has a maximum size, and
 * strings for display have no control characters.
 */
import {
  array,
  boolean,
  bytes,
  type Infer,
  integer,
  isObject,
  json,
  literal,
  object,
  oneOf,
  partial,
  PROTOTYPE_NAME,
  refine,
  string,
  union,
} from './schema.ts';
import type { Content } from './tool.ts';

const sentence = string({ max: 4096, plain: true });

/** How a command ended in the sandbox. Of a failed start only the message leaves the sandbox. */
const ending = union(
  'kind',
  object({ kind: literal('code'), code: integer({ min: 0, max: 255 }) }),
  object({ kind: literal('signal'), signal: string({ max: 16, pattern: /^SIG[A-Z0-9+]{1,12}$/u }) }),
  object({ kind: literal('failed'), message: sentence }),
  object({ kind: literal('lost') }),
);

/** What a runner reports about a command before its result. */
const runEvent = union(
  'type',
  object({
    type: literal('started'),
    /** The pid of its last stage, in the pid namespace of the sandbox. */
    pid: integer({ min: 1, max: 2 ** 22 }),
    pty: boolean(),
    warnings: array(sentence, { max: 8 }),
  }),
  /** Its programs have ended and one of its output streams is still open. */
  object({ type: literal('exited'), exit: ending }),
  object({ type: literal('inputClosed') }),
  /** The command is being ended because there are too many processes. */
  object({ type: literal('limited') }),
);
export type RunEvent = Infer<typeof runEvent>;

const nothing = object({});

/** The methods of a runner, with all that it may send for each: results and events of the gateway's calls, and its own calls. */
export const RUNNER_METHODS = {
  'runner.welcome': { result: object({ protocol: integer({ min: 0, max: 0xffff }) }) },
  /** Answered when all programs have ended and all of their output was sent. Streams: `in`, `out`, `err`. */
  'run.start': { event: runEvent, result: ending },
  'run.kill': { result: object({ ok: boolean() }) },
  'run.resize': { result: nothing },
  'run.interrupt': { result: nothing },
  /** Packed: a head in JSON, and what is long behind it (`resultHead`). */
  'tool.call': { result: bytes },
  /** A call of the runner. Stream in both directions: `net`. */
  'net.connect': { params: object({ host: string({ max: 255 }), port: integer({ min: 1, max: 0xffff }) }) },
} as const;
export type RunnerMethod = keyof typeof RUNNER_METHODS;
export type ConnectParams = Infer<(typeof RUNNER_METHODS)['net.connect']['params']>;

/** No model reads more text in one result; a runner sends an error instead. */
export const MOST_TEXT = 8 * 1024 * 1024;
const MAX_HEAD = 4 * 1024 * 1024;
const HEAD_BOUNDS = { depth: 28, values: 50_000 };

/** The image types that a runner may return, with the base64 form of their magic numbers. */
export const PICTURES = {
  'image/png': 'iVBORw0KGg',
  'image/jpeg': '/9j/',
  'image/gif': 'R0lGOD',
  'image/webp': 'UklGR',
} as const;
const PICTURE_TYPES = Object.keys(PICTURES) as (keyof typeof PICTURES)[];

/** Optional members in the details of every result. */
export const resultDetails = partial({
  code: string({ max: 64, pattern: /^[A-Z][A-Z0-9_]{1,63}$/u }),
  hint: string({ max: MAX_HEAD }),
});

/** The head of a result. Long parts have only their length here; their bytes follow the head. */
export const resultHead = object(
  {
    content: array(
      union(
        'type',
        object({ type: literal('text') }, { text: string({ max: MOST_TEXT }), bytes: json(HEAD_BOUNDS) }),
        object({ type: literal('image'), mimeType: oneOf(PICTURE_TYPES), bytes: json(HEAD_BOUNDS) }),
      ),
      { max: 1000 },
    ),
    details: refine(json(HEAD_BOUNDS), 'an object without an approval request', isHarmless),
  },
  { isError: literal(true), error: string({ max: 64 * 1024 }) },
);
export type ResultHead = Infer<typeof resultHead>;

export function textLength(content: readonly Content[]): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

const APPROVAL_MEMBERS = ['approvalId', 'approvalSlug', 'approveWith'];

/** File tools never request approval; a hostile runner could do so to get another command allowed. */
function isHarmless(details: unknown): boolean {
  if (!isObject(details) || hasPrototype(details)) return false;
  return details['status'] !== 'approval-pending' && !APPROVAL_MEMBERS.some((name) => Object.hasOwn(details, name));
}

/** Whether a copy of the value would set the prototype of an object. */
function hasPrototype(value: object): boolean {
  let level: object[] = [value];
  while (level.length > 0) {
    if (level.some((each) => Object.hasOwn(each, PROTOTYPE_NAME))) return true;
    level = level.flatMap((each) => Object.values(each).filter((child) => typeof child === 'object' && child !== null));
  }
  return false;
}
