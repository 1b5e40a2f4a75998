/**
 * The log of a workspace's changes: `<state>/changes/<workspace>/<number>.log`. The first line of a segment is its word.
 * Records are appended with one write each, so that processes never mix theirs; a full segment is followed by the next,
 * and the oldest are dropped. What Pincer itself took away or replaced has a log of its own, which nothing displaces.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../write-private.ts';
import { errnoOf, reason, stateUnusable } from '../faults.ts';
import { removeIfThere } from '../locks/lock-file.ts';
import { uniqueName } from '../locks/owner.ts';
import { statePart, whyUntrusted } from '../state-folder.ts';

export interface LogLimits {
  /** From here on a segment takes no more records. */
  readonly segmentBytes: number;
  /** What all segments may hold; the oldest go first, the newest stays. */
  readonly totalBytes: number;
  /** How long segments are kept: none is dropped for a later record, which is refused instead. */
  readonly keptMs?: number;
}

export const LOG_LIMITS: LogLimits = { segmentBytes: 4 << 20, totalBytes: 256 << 20 };
const KEPT_DAYS = 30;
export const KEPT_LIMITS: LogLimits = { ...LOG_LIMITS, keptMs: KEPT_DAYS * 24 * 60 * 60 * 1000 };

export interface Segment {
  readonly path: string;
  readonly number: number;
}

interface OpenSegment {
  readonly fd: number;
  /** What every record of this segment starts with. */
  readonly word: string;
}

const SEGMENT = /^(\d{8})\.log$/u;
const WORD = /^[0-9a-z]+$/u;
const LONGEST_WORD = 64;

/** The segment that this process last wrote to, for each log; while it has room, it is the newest. */
const current = new Map<string, { readonly path: string; readonly word: string }>();

/** The folder of a workspace's log; it need not exist. */
export function logFolder(stateDir: string, workspace: string): string {
  return join(stateDir, 'changes', shortHash(workspace));
}

/** The folder of the log that nothing displaces; it need not exist. */
export function keptFolder(stateDir: string, workspace: string): string {
  return `${logFolder(stateDir, workspace)}-kept`;
}

/** How many bytes the log that nothing displaces still takes. */
export function keptRoom(stateDir: string, workspace: string, limits = KEPT_LIMITS): number {
  return roomIn(trustedSegments(stateDir, keptFolder(stateDir, workspace)), limits);
}

/** Of segments that are not displaced; those that are old enough count for nothing. */
function roomIn(segments: readonly Segment[], { totalBytes, keptMs = 0 }: LogLimits): number {
  let room = totalBytes;
  for (const { path } of segments) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs > Date.now() - keptMs) room -= stats.size;
  }
  return room;
}

/** The segments in the order in which they were begun. */
export function segmentsOf(folder: string): readonly Segment[] {
  const segments: Segment[] = [];
  for (const name of readdirSync(folder).sort()) {
    const [, number] = SEGMENT.exec(name) ?? [];
    if (number !== undefined) segments.push({ path: join(folder, name), number: Number(number) });
  }
  return segments;
}

/** The segments of a log that is trusted to be this user's own; none when nothing was ever recorded. */
export function trustedSegments(stateDir: string, folder: string): readonly Segment[] {
  let problem: string | undefined;
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    problem = whyUntrusted(stateDir) ?? whyUntrusted(join(stateDir, 'changes')) ?? whyUntrusted(folder);
    if (problem === undefined) return segmentsOf(folder);
  } catch (error) {
    throw stateUnusable(stateDir, reason(error), error);
  }
  throw stateUnusable(stateDir, problem);
}

/** Appends one record; `encode` gets the word of the segment that it goes to. */
export function appendRecord(
  stateDir: string,
  workspace: string,
  encode: (word: string) => Uint8Array,
  limits: LogLimits = LOG_LIMITS,
): void {
  const isKept = limits.keptMs !== undefined;
  const folder = (isKept ? keptFolder : logFolder)(stateDir, workspace);
  const { fd, word } = openCurrent(folder, limits) ?? openNewest(stateDir, folder, limits);
  try {
    const record = encode(word);
    if (isKept && record.length > roomIn(segmentsOf(folder), limits))
      throw new Error(`it has no room for more that was taken away in ${KEPT_DAYS} days`);
    const count = writeSync(fd, record);
    // What is torn is skipped by whoever reads; trying again behind it could mix with another process.
    if (count < record.length) throw new Error(`only ${count} of ${record.length} bytes were recorded`);
  } finally {
    closeSync(fd);
  }
}

function openCurrent(folder: string, limits: LogLimits): OpenSegment | undefined {
  const known = current.get(folder);
  return known === undefined ? undefined : openSegment(known.path, limits, known.word);
}

/** The newest segment, or a fresh one when that is full; two processes that need a fresh one make the same. */
function openNewest(stateDir: string, folder: string, limits: LogLimits): OpenSegment {
  readyFolder(stateDir, folder);
  for (;;) {
    const segments = segmentsOf(folder);
    const newest = segments.at(-1);
    const open = newest === undefined ? undefined : openSegment(newest.path, limits);
    if (open !== undefined) {
      current.set(folder, { path: newest!.path, word: open.word });
      return open;
    }
    makeSegment(folder, (newest?.number ?? 0) + 1);
    dropOldest(segments, limits);
  }
}

/** Opens a segment for a record; undefined when it is full, gone, or not to be recognised any more. */
function openSegment(path: string, limits: LogLimits, known?: string): OpenSegment | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const word = fstatSync(fd).size >= limits.segmentBytes ? undefined : (known ?? wordOf(fd));
  if (word !== undefined) return { fd, word };
  closeSync(fd);
  return undefined;
}

/** What every record of a segment starts with; random, so that no content of a file can be mistaken for a record. */
export function wordOf(fd: number): string | undefined {
  const bytes = Buffer.alloc(LONGEST_WORD);
  const line = bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  const word = line.slice(0, Math.max(0, line.indexOf('\n')));
  return WORD.test(word) ? word : undefined;
}

/** Never there without its word, and made once. */
function makeSegment(folder: string, number: number): void {
  const temp = join(folder, `.${uniqueName()}`);
  writePrivate(join(folder, `${String(number).padStart(8, '0')}.log`), `${uniqueName()}\n`, { once: true, temp });
}

function readyFolder(stateDir: string, folder: string): void {
  statePart(stateDir, 'changes');
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function dropOldest(segments: readonly Segment[], limits: LogLimits): void {
  if (limits.keptMs !== undefined) {
    for (const each of segments) if (roomIn([each], limits) === limits.totalBytes) removeIfThere(each.path);
    return;
  }
  let room = limits.totalBytes - limits.segmentBytes;
  for (const { path } of segments.toReversed()) {
    room -= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (room < 0) removeIfThere(path); // another process may drop it in the same moment
  }
}

/** FNV-1a with 64 bits: records name their workspace, so that two with one name are still told apart. */
export function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
