/**
 * The reader before there were schemas, as the reference of untrusted.test.ts. It is not changed, except that what a
 * person may be shown is one list of the whole product (`plainText`).
 *
 * Reads the messages that come out of a sandbox: whatever is not exactly one of ours is a breach.
 */
import { plainText } from '../../../../../src/wire/schema.ts';
import type { Exit } from '../../../../../src/hosts/process/launch.ts';
import { ProtocolViolation, expectThat } from '../../../../../src/hosts/channel/protocol-violation.ts';

/** The messages before there were calls. */
export type News =
  | { readonly type: 'hello'; readonly protocol: number }
  | { readonly type: 'started'; readonly pid: number; readonly pty: boolean; readonly warnings: readonly string[] }
  | { readonly type: 'exit'; readonly exit: Exit }
  | { readonly type: 'killed'; readonly n: number; readonly ok: boolean }
  | { readonly type: 'pong'; readonly n: number }
  | { readonly type: 'connect'; readonly host: string; readonly port: number }
  | { readonly type: 'inputClosed' | 'limited' | 'cut' };

/** Messages from inside are short; the longest have warnings or the reason of a failure in them. */
const LONGEST_NEWS = 16 * 1024;
const MOST_WARNINGS = 8;
const LONGEST_SENTENCE = 4096;
const LONGEST_HOST = 255;
/** Of any system that we know. */
const HIGHEST_PID = 2 ** 22;

type Fields = Readonly<Record<string, unknown>>;

/** The message in a payload; throws a ProtocolViolation when it is none. */
export function readNews(payload: Uint8Array): News {
  expectThat(payload.length <= LONGEST_NEWS, `a message of ${payload.length} bytes came out of it`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8'));
  } catch {
    throw new ProtocolViolation('a message that is no JSON came out of it');
  }
  expectThat(isFields(value), 'a message that is no object came out of it');
  const reader = typeof value['type'] === 'string' && Object.hasOwn(READERS, value['type']) ? value['type'] : undefined;
  expectThat(reader !== undefined, 'a message of a kind that does not exist came out of it');
  return READERS[reader as News['type']](value);
}

const READERS: Readonly<Record<News['type'], (fields: Fields) => News>> = {
  hello: ({ protocol }) => ({ type: 'hello', protocol: integer(protocol, 0, 0xffff) }),
  started: ({ pid, pty, warnings }) => ({
    type: 'started',
    pid: integer(pid, 1, HIGHEST_PID),
    pty: boolean(pty),
    warnings: sentences(warnings),
  }),
  exit: ({ exit }) => ({ type: 'exit', exit: readExit(exit) }),
  inputClosed: () => ({ type: 'inputClosed' }),
  limited: () => ({ type: 'limited' }),
  killed: ({ n, ok }) => ({ type: 'killed', n: integer(n, 0, Number.MAX_SAFE_INTEGER), ok: boolean(ok) }),
  pong: ({ n }) => ({ type: 'pong', n: integer(n, 0, Number.MAX_SAFE_INTEGER) }),
  connect: ({ host, port }) => ({
    type: 'connect',
    host: text(host, LONGEST_HOST),
    port: integer(port, 1, 0xffff),
  }),
  cut: () => ({ type: 'cut' }),
};

function readExit(value: unknown): Exit {
  expectThat(isFields(value), 'an end that is no object came out of it');
  switch (value['kind']) {
    case 'code':
      return { kind: 'code', code: integer(value['code'], 0, 255) };
    case 'signal': {
      const signal = text(value['signal'], 16);
      expectThat(/^SIG[A-Z0-9+]{1,12}$/u.test(signal), 'a signal that does not exist came out of it');
      return { kind: 'signal', signal };
    }
    case 'failed':
      return { kind: 'failed', reason: 'spawn-failed', message: plainText(text(value['message'], LONGEST_SENTENCE)) };
    case 'lost':
      return { kind: 'lost' };
    default:
      throw new ProtocolViolation('an end of a kind that does not exist came out of it');
  }
}

function sentences(value: unknown): readonly string[] {
  expectThat(Array.isArray(value) && value.length <= MOST_WARNINGS, 'warnings of another shape came out of it');
  return value.map((each) => plainText(text(each, LONGEST_SENTENCE)));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function integer(value: unknown, least: number, most: number): number {
  expectThat(
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most,
    'a number out of its bounds came out of it',
  );
  return value;
}

function boolean(value: unknown): boolean {
  expectThat(typeof value === 'boolean', 'neither yes nor no came out of it');
  return value;
}

function text(value: unknown, longest: number): string {
  expectThat(typeof value === 'string' && value.length <= longest, 'a text out of its bounds came out of it');
  return value;
}
