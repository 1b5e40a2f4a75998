/**
 * The log of a workspace's changes: `<state>/changes/<workspace>/<number>.log`. The first line of a segment is its token.
 * Each record is appended with one write, so that records of several processes do not mix. A full segment is followed by the
 * next one, and the oldest are removed. What Pincer itself removed or replaced has a separate log without displacement.
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
  /** A segment of this size takes no more records. */
  readonly segmentBytes: number;
  /** The limit for all segments; the oldest are removed first, never the newest. */
  readonly totalBytes: number;
  /** Keeps segments for this long: a record that does not fit is refused instead of displacing one. */
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
  /** Every record of this segment starts with it. */
  readonly token: string;
}

const SEGMENT = /^(\d{8})\.log$/u;
const TOKEN = /^[0-9a-z]+$/u;
const LONGEST_TOKEN = 64;

/** The segment that this process last wrote to, for each log; it is the newest until it is full. */
const current = new Map<string, { readonly path: string; readonly token: string }>();

/** The folder of a workspace's log; it need not exist. */
export function logFolder(stateDir: string, workspace: string): string {
  return join(stateDir, 'changes', shortHash(workspace));
}

/** The folder of the log without displacement; it need not exist. */
export function keptFolder(stateDir: string, workspace: string): string {
  return `${logFolder(stateDir, workspace)}-kept`;
}

/** How many bytes fit into the log without displacement. */
export function keptRoom(stateDir: string, workspace: string, limits = KEPT_LIMITS): number {
  return roomIn(trustedSegments(stateDir, keptFolder(stateDir, workspace)), limits);
}

/** Segments older than `keptMs` do not count. */
function roomIn(segments: readonly Segment[], { totalBytes, keptMs = 0 }: LogLimits): number {
  let room = totalBytes;
  for (const { path } of segments) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs > Date.now() - keptMs) room -= stats.size;
  }
  return room;
}

/** The segments, oldest first. */
export function segmentsOf(folder: string): readonly Segment[] {
  const segments: Segment[] = [];
  for (const name of readdirSync(folder).sort()) {
    const [, number] = SEGMENT.exec(name) ?? [];
    if (number !== undefined) segments.push({ path: join(folder, name), number: Number(number) });
  }
  return segments;
}

/** The segments of a log that no other user can have written; none if nothing was recorded. */
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

/** Appends one record; `encode` gets the token of its segment. */
export function appendRecord(
  stateDir: string,
  workspace: string,
  encode: (token: string) => Uint8Array,
  limits: LogLimits = LOG_LIMITS,
): void {
  const isKept = limits.keptMs !== undefined;
  const folder = (isKept ? keptFolder : logFolder)(stateDir, workspace);
  const { fd, token } = openCurrent(folder, limits) ?? openNewest(stateDir, folder, limits);
  try {
    const record = encode(token);
    if (isKept && record.length > roomIn(segmentsOf(folder), limits))
      throw new Error(`the record of what pincer removed is full; entries expire after ${KEPT_DAYS} days`);
    const count = writeSync(fd, record);
    // Readers skip a torn record; a retry after it could interleave with another process.
    if (count < record.length) throw new Error(`only ${count} of ${record.length} bytes were recorded`);
  } finally {
    closeSync(fd);
  }
}

function openCurrent(folder: string, limits: LogLimits): OpenSegment | undefined {
  const known = current.get(folder);
  return known === undefined ? undefined : openSegment(known.path, limits, known.token);
}

/** The newest segment, or a new one if that is full; two processes that need a new one create the same. */
function openNewest(stateDir: string, folder: string, limits: LogLimits): OpenSegment {
  readyFolder(stateDir, folder);
  for (;;) {
    const segments = segmentsOf(folder);
    const newest = segments.at(-1);
    const open = newest === undefined ? undefined : openSegment(newest.path, limits);
    if (open !== undefined) {
      current.set(folder, { path: newest!.path, token: open.token });
      return open;
    }
    makeSegment(folder, (newest?.number ?? 0) + 1);
    dropOldest(segments, limits);
  }
}

/** Opens a segment for a record; undefined if it is full, missing or damaged. */
function openSegment(path: string, limits: LogLimits, known?: string): OpenSegment | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const token = fstatSync(fd).size >= limits.segmentBytes ? undefined : (known ?? tokenOf(fd));
  if (token !== undefined) return { fd, token };
  closeSync(fd);
  return undefined;
}

/** The token of a segment; random, so that no content of a file can look like a record. */
export function tokenOf(fd: number): string | undefined {
  const bytes = Buffer.alloc(LONGEST_TOKEN);
  const line = bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  const token = line.slice(0, Math.max(0, line.indexOf('\n')));
  return TOKEN.test(token) ? token : undefined;
}

/** Creates a segment once, and never without its token. */
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
    if (room < 0) removeIfThere(path); // another process may remove it at the same time
  }
}

/** FNV-1a with 64 bits. Collisions are harmless, because records name their workspace. */
export function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
