/**
 * A table of all processes, shared by all who search it at about the same time. Each process is read once, because its parent at
 * the start and its environment do not change. A later scan reads only new processes.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from './attempt.ts';
import { isMarkLine } from './mark.ts';
import { environmentOf, listProcesses, processAt, procText, type ProcessEntry } from './processes.ts';

/** A process as it was first seen. */
export interface SeenProcess {
  readonly first: ProcessEntry;
  /** The parent at that time; a later process with the same number is another one. */
  readonly parent: SeenProcess | undefined;
  /** Lines of its environment that name a session. */
  readonly marks: readonly string[];
}

interface Row extends SeenProcess {
  first: ProcessEntry;
  parent: SeenProcess | undefined;
  marks: readonly string[];
  readonly seenAt: number;
  /** Is not read again. */
  settled: boolean;
  scan: number;
}

/** Between fork and exec a process has its parent's environment or none, so it is read again until it is this old. */
const SETTLE_MS = 500;
/** Linux counts start times in hundredths of a second. */
const TICK_MS = 10;
/** A table that is older than this is read again completely. */
const TRUST_MS = 1_000;
/** Requests within this time share a scan. */
const SHARE_MS = 5;

let rows = new Map<number, Row>();
let scans = 0;
let scannedAt = Number.NEGATIVE_INFINITY;
let lastPid = 0;
/** Read at most once per scan. */
let uptime: number | undefined;
let scheduled: Promise<ReadonlyMap<number, SeenProcess>> | undefined;

/** A scan that begins after this call, shared with other requests of about the same time. */
export function nextScan(): Promise<ReadonlyMap<number, SeenProcess>> {
  scheduled ??= sleep(Math.max(0, scannedAt + SHARE_MS - performance.now())).then(() => {
    scheduled = undefined;
    return scanNow();
  });
  return scheduled;
}

/** Scans immediately, for searches that race with forking processes. */
export function scanNow(): ReadonlyMap<number, SeenProcess> {
  const now = performance.now();
  if (now - scannedAt > TRUST_MS || pidsWrapped()) rows = new Map();
  scannedAt = now;
  uptime = undefined;
  scans++;
  const fresh: Row[] = [];
  if (process.platform === 'linux') {
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      const known = rows.get(pid);
      if (known?.settled === true) known.scan = scans;
      else {
        const entry = processAt(pid);
        if (entry !== undefined) fresh.push(read(entry, known, now));
      }
    }
  } else {
    for (const entry of listProcesses().values()) {
      const known = rows.get(entry.pid);
      if (known?.settled === true && known.first.startTime === entry.startTime) known.scan = scans;
      else fresh.push(read(entry, known, now));
    }
  }
  for (const [pid, row] of rows) if (row.scan !== scans) rows.delete(pid);
  for (const row of fresh) row.parent ??= rows.get(row.first.parent);
  return rows;
}

function read(entry: ProcessEntry, known: Row | undefined, now: number): Row {
  const same = known?.first.startTime === entry.startTime ? known : undefined;
  const marks = environmentOf(entry.pid).filter(isMarkLine);
  const row: Row = same ?? { first: entry, parent: undefined, marks, seenAt: now, settled: false, scan: scans };
  row.marks = marks;
  row.scan = scans;
  row.settled = marks.length > 0 || now - row.seenAt >= SETTLE_MS || isOld(entry);
  rows.set(entry.pid, row);
  return row;
}

function isOld({ startTime }: ProcessEntry): boolean {
  uptime ??= 1_000 * Number.parseFloat(attempt(() => procText('/proc/uptime')) ?? '0');
  return process.platform === 'linux' && Number(startTime) * TICK_MS < uptime - SETTLE_MS;
}

/** Linux assigns pids in ascending order: no pid is reused before they wrap around. */
function pidsWrapped(): boolean {
  const before = lastPid;
  lastPid = Number(
    attempt(() => procText('/proc/loadavg'))
      ?.trim()
      .split(' ')
      .at(-1) ?? 0,
  );
  return process.platform === 'linux' && !(lastPid >= before && lastPid > 0);
}
