import { Fault } from '../base/fault.ts';
import type { Files, FileWriter, OpenFile, LocatedEntry } from '../hosts/files/shape.ts';
import { boundedDiff, lineSplices } from '../text/edit/diff.ts';
import { decodeFile } from '../text/edit/decoded-file.ts';
import { sameBytes } from '../text/edit/spliced-source.ts';
import { decodeText } from '../text/lines/bytes.ts';
import { type ByteSource, bytesSource } from '../text/scan/source.ts';
import { TOOL_NAMES } from '../wire/tool-names.ts';
import { boolean, object, oneOf, string } from '../wire/schema.ts';
import { refuseAborted } from './abort.ts';
import { checkStaleness, currentFile, REPLACED, type Stale, staleDetails, staleNote } from './edit/staleness.ts';
import { recoveredDetails, writeOrRecover } from './edit/recovery.ts';
import { PATH_ALIASES, readHash, refuseHalfPairs } from './edit/request.ts';
import { refuseMarks, refusePageNotice } from './secrets/marks.ts';
import { hiddenPart } from './secrets/secrets.ts';
import type { HiddenPart } from './secrets/redact.ts';
import { defineTool, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

const ENCODINGS = ['utf8', 'base64'] as const;
/** Longer texts are not compared line by line. */
const MOST_COMPARED = 1 << 20;

/** The tool `write`: creates a file with its folders, or replaces its content. */
export const writeTool = defineTool({
  name: 'write',
  alsoCalled: TOOL_NAMES.write,
  description:
    'Write a whole file: create it with its folders, or replace its content. To change some lines, use edit or apply_patch.',
  input: object(
    {
      path: string({ description: 'The file, relative to the workspace or absolute.' }),
      content: string({ description: 'The whole new content; may be empty.' }),
    },
    {
      encoding: oneOf(ENCODINGS, { description: 'Encoding of content (default: utf8).' }),
      dryRun: boolean({ description: 'Show what would change, write nothing.' }),
      expectHash: string({ description: 'Write only if the current file has this SHA-256.' }),
    },
  ),
  aliases: [PATH_ALIASES, { keys: ['content'], allowEmpty: true }],
  effects: 'writes',
  run: async ({ path, content, encoding, dryRun = false, ...input }, context) => {
    const bytes = bytesOf(content, encoding);
    const expectHash = readHash('write', input.expectHash);
    return write({ path, bytes, expectHash, dryRun }, context);
  },
});

interface WriteRequest {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly expectHash: string | undefined;
  readonly dryRun: boolean;
}

/** What a write did, or would do in a dry run. */
interface Effect {
  readonly created: boolean;
  readonly changed: boolean;
  /** The file contains secrets that this agent may not see. */
  readonly hidden: boolean;
  readonly diff: string | undefined;
  readonly stale: Stale | undefined;
  readonly recovered?: Fault | undefined;
}

async function write(request: WriteRequest, context: ToolContext): Promise<ToolResult> {
  const { files, signal, reads } = context;
  const place = placeFor(files, request.path);
  const name = files.nameOf(place.file);
  const writer = request.dryRun ? undefined : await files.writer('write');
  refuseAborted(signal);
  const work = (): Effect => {
    const effect = put(request, context, writer, { name, place });
    // Remember while the file is locked: later, another process could already have remembered a newer content.
    if (writer !== undefined)
      reads?.remember(place.file.path, files.hashOf(request.bytes), effect.hidden ? undefined : request.bytes);
    return effect;
  };
  const effect = writer === undefined ? work() : writer.exclusively([place.file], work);
  // A dry run refuses what a write would refuse.
  if (request.dryRun && effect.changed) (await files.writer('write')).refuseProtected([place.file]);
  const hash = files.hashOf(request.bytes);
  return answer(request, files, name, effect.hidden ? { ...effect, diff: undefined } : effect, hash);
}

/** Where the path goes through a file, the fault names that file. */
function placeFor(files: Files, path: string): LocatedEntry {
  try {
    return files.placeOf(path);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'FS_NOT_FOUND') throw error;
    const file = fileAbove(files, path);
    if (file === undefined) throw error;
    throw new Fault('FS_NOT_FOLDER', `${file} is not a folder, so it cannot contain ${path}`, {
      hint: 'choose another path, or move that file away first',
      details: { path: file },
      cause: error,
    });
  }
}

/** The ancestor of a path that is a file. */
function fileAbove(files: Files, path: string): string | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    try {
      const { type, file } = files.placeOf(path.slice(0, end));
      return type === 'file' ? files.nameOf(file) : undefined;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code !== 'FS_NOT_FOUND') return undefined;
    }
  }
  return undefined;
}

/** Runs under the lock, and refuses a path that resolves to another file than before the lock. */
function put(
  request: WriteRequest,
  context: ToolContext,
  writer: FileWriter | undefined,
  { name, place }: { readonly name: string; readonly place: LocatedEntry },
): Effect {
  const { files, reads } = context;
  const { path, bytes, expectHash } = request;
  const now = files.placeOf(path);
  if (now.file.path !== place.file.path)
    throw new Fault('FS_CHANGED', `${name} now resolves to another file; nothing was written`, {
      hint: 'call the tool again',
      details: { path: name },
    });
  const expected = { expectHash, reads };
  const intended = bytesSource(bytes);
  const hiddenIn = (content: ByteSource): HiddenPart | undefined => hiddenPart([now.file.path, path], content, context);
  if (now.type === 'nothing') {
    const part = hiddenIn(intended);
    if (part !== undefined) refuseMarks(name, part, undefined, decodeFile(bytes).text);
    const hidden = part !== undefined;
    checkStaleness(expected, { path: now.file.path, name, hidden, hash: () => undefined, bytes: () => undefined });
    const create = (): void => void writer?.commit([{ file: now.file, create: bytes }]);
    const recovered = writer === undefined ? undefined : writeOrRecover(files, now.file, { content: intended }, create);
    const diff = diffOf(name, new Uint8Array(), bytes)?.replace(/^--- .*/u, '--- /dev/null');
    return { created: true, changed: true, hidden, diff, stale: undefined, recovered };
  }
  // `openPath` refuses what is not a regular file, with the reason.
  const file = now.type === 'file' ? files.open(now.file) : files.openPath(path);
  try {
    const part = hiddenIn(file) ?? hiddenIn(intended);
    const hidden = part !== undefined;
    const stale = checkStaleness(expected, currentFile(files, file, name, hidden));
    if (hidden) refuseMarks(name, part, decodeFile(file.readAll()).text, decodeFile(bytes).text);
    else if (bytes.length <= MOST_COMPARED) refusePageNotice(name, () => decodeText(file.readAll()), decodeText(bytes));
    if (sameBytes(file, intended)) return { created: false, changed: false, hidden, diff: undefined, stale: undefined };
    const diff = file.size > MOST_COMPARED ? undefined : diffOf(name, file.readAll(), bytes);
    const replace = (): void => void writer?.replace(file, spliceFor(file, bytes));
    const recovered =
      writer === undefined ? undefined : writeOrRecover(files, now.file, { content: intended }, replace);
    return { created: false, changed: true, hidden, diff, stale, recovered };
  } finally {
    file.close();
  }
}

/** One splice over the differing part, so that the record of changes stays small. */
function spliceFor(file: OpenFile, bytes: Uint8Array): { start: number; end: number; bytes: Uint8Array }[] {
  if (file.size > MOST_COMPARED) return [{ start: 0, end: file.size, bytes }];
  const old = file.readAll();
  const shorter = Math.min(old.length, bytes.length);
  let head = 0;
  while (head < shorter && old[head] === bytes[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === bytes[bytes.length - 1 - tail]) tail++;
  return [{ start: head, end: old.length - tail, bytes: bytes.subarray(head, bytes.length - tail) }];
}

/** Undefined for binary or long content. */
function diffOf(name: string, before: Uint8Array, after: Uint8Array): string | undefined {
  if (before.length > MOST_COMPARED || after.length > MOST_COMPARED) return undefined;
  if (before.includes(0) || after.includes(0)) return undefined;
  const text = decodeText(before);
  return boundedDiff(name, text, lineSplices(text, decodeText(after)));
}

function answer({ bytes, dryRun }: WriteRequest, files: Files, name: string, effect: Effect, hash: string): ToolResult {
  const { created, changed, diff, stale, recovered } = effect;
  const done = `${dryRun ? 'Would write' : 'Successfully wrote'} ${bytes.length} bytes to ${name}`;
  const notes = [
    ...(stale === undefined ? [] : [staleNote(stale, dryRun ? 'this write would replace those changes' : REPLACED)]),
    ...(recovered === undefined ? [] : [`Note: the new content was written, although ${recovered.message}.`]),
  ];
  return {
    content: [changed ? done : `${done} (no changes: the file already has this content)`, ...notes].map((text) => ({
      type: 'text',
      text,
    })),
    details: {
      path: name,
      bytesWritten: bytes.length,
      workspaceOnly: files.workspaceOnly,
      created,
      changed,
      hash,
      ...(diff === undefined || diff === '' ? {} : { diff }),
      ...(dryRun ? { dryRun: true } : {}),
      ...staleDetails(stale),
      ...recoveredDetails(recovered),
    },
  };
}

function bytesOf(content: string, encoding: string | undefined): Uint8Array {
  if (encoding !== 'base64') {
    refuseHalfPairs('write', 'content', content);
    return new TextEncoder().encode(content);
  }
  const packed = content.replaceAll(/[ \t\r\n]/gu, '');
  // `atob` accepts missing padding, but a truncated text looks the same.
  if (packed.length % 4 !== 0) throw notBase64();
  try {
    return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  } catch (error) {
    throw notBase64(error);
  }
}

function notBase64(cause?: unknown): Fault {
  return new Fault('PARAM_INVALID', 'write: content is not valid base64', {
    hint: 'send text without encoding, or bytes as base64 with padding',
    details: { parameter: 'content' },
    cause,
  });
}
