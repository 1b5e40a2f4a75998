/** What a server takes of the machine, and how much more of it at the end of a soak than at its beginning. */
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secondsOfProcess } from '../../scripts/processor-time.mjs';
import { WORKER_ARGUMENT } from '../../src/apps/worker/task.ts';
import type { Server } from '../apps/serve/serving.ts';
import { until } from '../support/patience.ts';

export interface Reading {
  /** Heap and buffers after all garbage was collected. */
  readonly liveBytes: number;
  readonly descriptors: number;
  /** Of the worker that has the most; 0 while there is none. */
  readonly workerDescriptors: number;
  /** All files of the state folder. */
  readonly diskBytes: number;
  /** Processor time so far, before the garbage was collected, and after it. */
  readonly seconds: number;
  readonly secondsAfter: number;
}

export interface Growth {
  readonly liveBytes: number;
  readonly descriptors: number;
  readonly diskBytes: number;
  /** How many readings lie between the two that `diskBytes` is the difference of. */
  readonly readings: number;
  /** The processor time between two readings at the end, by that at the beginning. */
  readonly timesTheCost: number;
}

const PROBE = join(import.meta.dirname, 'heap-probe.cjs');
const LIVE = /live memory: (\d+) bytes/gu;
/** SQLite fills it up to a bound of its own and begins again. */
const WRITE_AHEAD_LOG = /-wal$/u;

/** Starts a server with as few descriptors as a shell gives a program on many systems, and with the probe of its memory. */
export const SOAKED = ['/bin/sh', '-c', 'ulimit -n 1024; node=$1; shift; exec "$node" --expose-gc -r "$0" "$@"', PROBE];

export async function readingOf(server: Server, stateDir: string): Promise<Reading> {
  const { pid } = server;
  const seconds = secondsOfProcess(pid);
  const reported = () => Array.from(server.stderr().matchAll(LIVE), ([, bytes]) => Number(bytes));
  const before = reported().length;
  process.kill(pid, 'SIGUSR2');
  await until(() => reported().length > before, 'the memory of the server');
  return {
    liveBytes: reported().at(-1) ?? Number.NaN,
    descriptors: descriptorsOf(pid),
    workerDescriptors: Math.max(0, ...workersOf(pid).map(descriptorsOf)),
    diskBytes: bytesBelow(stateDir),
    seconds,
    secondsAfter: secondsOfProcess(pid),
  };
}

function descriptorsOf(pid: number): number {
  return entriesOf(`/proc/${pid}/fd`).length;
}

function workersOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  return children.map(Number).filter((child) => commandOf(child).includes(WORKER_ARGUMENT));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}

/** A reading as a line of a report. */
export function lineOf({ liveBytes, descriptors, workerDescriptors, diskBytes, seconds }: Reading): string {
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${mib(liveBytes)} of memory, ${descriptors} descriptors (${workerDescriptors} of a worker), ${mib(diskBytes)} on disk, ${seconds.toFixed(1)} s`;
}

/**
 * The growth from the second quarter of the readings to the last: in the first one caches are filled. Each is compared by
 * the smallest reading of a quarter: what is just being opened or written does not raise it.
 */
export function growthOf(readings: readonly Reading[]): Growth {
  const quarter = Math.floor(readings.length / 4);
  const early = readings.slice(quarter, 2 * quarter);
  const late = readings.slice(-quarter);
  const least = (of: readonly Reading[], value: (reading: Reading) => number) => Math.min(...of.map(value));
  const grown = (value: (reading: Reading) => number) => least(late, value) - least(early, value);
  return {
    liveBytes: grown(({ liveBytes }) => liveBytes),
    descriptors: grown(({ descriptors }) => descriptors),
    diskBytes: grown(({ diskBytes }) => diskBytes),
    readings: readings.length - 2 * quarter,
    timesTheCost: costOf(late) / costOf(early),
  };
}

/** Processor time for the calls between the first and the last of these readings. */
function costOf(readings: readonly Reading[]): number {
  return readings.slice(1).reduce((sum, { seconds }, i) => sum + seconds - readings[i]!.secondsAfter, 0);
}

function bytesBelow(folder: string): number {
  const sizes = entriesOf(folder).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return bytesBelow(path);
    return WRITE_AHEAD_LOG.test(path) ? 0 : (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0);
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Files and folders come and go while they are counted. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
