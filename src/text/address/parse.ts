import { byteLength } from '../lines/bytes.ts';
import {
  MAX_PATH_LENGTH,
  MAX_SUB_SEGMENTS_PER_SLOT,
  MAX_TRAVERSAL_DEPTH,
  type OcPath,
  OcPathError,
} from './address.ts';
import { checkPlain, readSub, splitSlot, unquote } from './sub.ts';
import { splitTop } from './split.ts';

const SCHEME = 'oc://';
const SLOTS = 4;
const DEEP_FILE = /\.(?:jsonc?|jsonl|ndjson|ya?ml|lobster)$/i;

export interface ParseOptions {
  /** Allow more than four segments, whatever the extension of the file slot is. */
  readonly deep?: boolean;
}

/** Throws OcPathError. `formatOcPath` of the result is the canonical form. */
export function parseOcPath(input: string, options: ParseOptions = {}): OcPath {
  if (typeof input !== 'string') throw new OcPathError('OC_PATH_NOT_STRING', 'an address is a string', String(input));
  checkLength(input);
  const path = normalise(input.startsWith('\uFEFF') ? input.slice(1) : input);
  checkLength(path);
  if (!path.startsWith(SCHEME))
    throw new OcPathError(
      'OC_PATH_MISSING_SCHEME',
      'an address begins with oc://',
      input,
      'for example oc://AGENTS.md/tools/gh',
    );
  if (hasControl(path))
    throw new OcPathError(
      'OC_PATH_CONTROL_CHAR',
      'an address contains a control character',
      input,
      'write such a key as $"…" with JSON escapes',
    );

  const [slots = '', query] = splitTop(path.slice(SCHEME.length), '?', input, 1);
  if (slots === '') throw new OcPathError('OC_PATH_EMPTY', 'the address has no file', input);
  const segments = splitTop(slots, '/', input);
  if (segments.includes(''))
    throw new OcPathError(
      'OC_PATH_EMPTY_SEGMENT',
      'a segment is empty',
      input,
      'a file in a folder is quoted: oc://"folder/file.md"/section',
    );

  const file = readFile(segments[0]!, input);
  const deep = options.deep ?? DEEP_FILE.test(file);
  const named = slotsOf(segments, deep, input);
  for (const slot of named) checkSlot(slot, deep, input);
  const [section, item, field] = named;
  const session = query === undefined ? undefined : readSession(query, input);
  return {
    file,
    ...(section === undefined ? {} : { section }),
    ...(item === undefined ? {} : { item }),
    ...(field === undefined ? {} : { field }),
    ...(session === undefined ? {} : { session }),
  };
}

export function isValidOcPath(input: unknown): input is string {
  try {
    parseOcPath(input as string);
    return true;
  } catch {
    return false;
  }
}

/** NFC outside quotes: a quoted key is literal, so a decomposed key stays addressable. */
function normalise(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is meant
  if (/^[\x00-\x7f]*$/.test(path)) return path;
  return path.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) => (part[0] === '"' ? part : part.normalize('NFC')));
}

/** U+0000–U+001F and U+007F. */
export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

function checkLength(path: string): void {
  if (path.length > MAX_PATH_LENGTH || byteLength(path) > MAX_PATH_LENGTH)
    throw new OcPathError('OC_PATH_TOO_LONG', `an address has at most ${MAX_PATH_LENGTH} bytes`, path);
}

function readFile(segment: string, input: string): string {
  const quoted = segment[0] === '"' || segment.startsWith('$"');
  const file = quoted ? unquote(segment, input) : segment;
  checkFile(file, input);
  // A file called .mcp.json needs no quotes: one leading dot is part of its name.
  if (!quoted)
    for (const sub of splitSlot(file.startsWith('.') ? file.slice(1) : file, input)) {
      if (sub === '')
        throw new OcPathError('OC_PATH_EMPTY_SUB_SEGMENT', 'the file slot has an empty part between dots', input);
      if (!/^[[{]/.test(sub)) checkPlain(sub, input);
    }
  return file;
}

/** The file slot is relative: no absolute path, no `..`, no control character. */
export function checkFile(file: string, input: string): void {
  if (file === '') throw new OcPathError('OC_PATH_EMPTY', 'the address has no file', input);
  if (hasControl(file))
    throw new OcPathError('OC_PATH_CONTROL_CHAR', 'the file slot contains a control character', input);
  if (/^[/\\]|^[A-Za-z]:/.test(file))
    throw new OcPathError(
      'OC_PATH_ABSOLUTE_FILE',
      'the file slot must be relative',
      input,
      'pass an absolute path with --file',
    );
  if (file.split(/[/\\]/).includes('..'))
    throw new OcPathError(
      'OC_PATH_PARENT_TRAVERSAL',
      "the file slot must not contain '..'",
      input,
      'choose the folder with --cwd, or the file with --file',
    );
}

function slotsOf(segments: readonly string[], deep: boolean, input: string): string[] {
  const named = segments.slice(1);
  if (named.length < SLOTS) return named;
  if (!deep)
    throw new OcPathError(
      'OC_PATH_TOO_DEEP',
      `an address has at most ${SLOTS} segments here`,
      input,
      'nest with dots: section.subsection; quote a file in a folder: oc://"folder/file.md"/section',
    );
  if (named.length > MAX_TRAVERSAL_DEPTH)
    throw new OcPathError('OC_PATH_TOO_DEEP', `an address has at most ${MAX_TRAVERSAL_DEPTH} segments`, input);
  return [named.slice(0, -2).join('.'), ...named.slice(-2)];
}

function checkSlot(slot: string, deep: boolean, input: string): void {
  const subs = splitSlot(slot, input);
  const most = deep ? MAX_TRAVERSAL_DEPTH : MAX_SUB_SEGMENTS_PER_SLOT;
  if (subs.length > most) throw new OcPathError('OC_PATH_TOO_DEEP', `a slot has at most ${most} sub-segments`, input);
  for (const sub of subs) readSub(sub, input);
}

/** Ignores parameters other than `session`, but refuses a stray `?` inside a name. */
function readSession(query: string, input: string): string | undefined {
  let session: string | undefined;
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (!/^[\w.~-]*$/.test(name) || (at < 0 && name.includes('.')))
      throw new OcPathError(
        'OC_PATH_RESERVED_CHAR',
        "'?' begins the query, and the rest is not a query",
        input,
        'quote a name that contains ?',
      );
    if (name !== 'session' || session !== undefined || at === pair.length - 1 || at < 0) continue;
    session = pair.slice(at + 1);
    checkSession(session, input);
  }
  return session;
}

export function checkSession(session: string, input: string): void {
  if (hasControl(session))
    throw new OcPathError('OC_PATH_CONTROL_CHAR', 'the session contains a control character', input);
  if (/[?&%]/.test(session))
    throw new OcPathError('OC_PATH_RESERVED_CHAR', 'the session contains a reserved character (? & %)', input);
}
