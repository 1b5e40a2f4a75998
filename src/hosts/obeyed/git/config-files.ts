/**
 * Reads files of git's settings. Those of the user and the machine are needed for each judgement of a git command, so their
 * contents are cached while their stamps stay the same. Files that they include, files of a repository and files in the workspace
 * are read every time: an agent may write them, and a process that maps a file into memory can change it without changing its
 * times.
 */
import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { isInside } from '../../../base/inside.ts';
import { identity, isRacy, stampOf } from '../file-stamp.ts';
import { type BoundedReader, realOf } from '../reading.ts';
import { type GitConfig, readGitConfig } from './git-config.ts';

/** Reads one file, or returns why it has no settings. */
export type ConfigReader = (
  file: string,
  reader: BoundedReader,
  onOpened?: (stats: BigIntStats) => void,
) => GitConfig | 'missing' | 'unreadable' | 'too-long' | 'no-text';

interface CachedConfig {
  readonly stamp: string;
  readonly bytes: number;
  readonly config: GitConfig;
}

const MOST_CACHED = 50;
const MOST_CACHED_BYTES = 64 * 1024;
/** By path; the entry that was added first is dropped first. */
const cache = new Map<string, CachedConfig>();

export const readConfigFile: ConfigReader = (file, reader, onOpened) => {
  const bytes = reader.read(file, undefined, onOpened);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const text = bytes.toString('utf8');
  // Git compares bytes: text with NUL or with bytes that are not UTF-8 would be compared differently here.
  return text.includes('\0') || !Buffer.from(text, 'utf8').equals(bytes) ? 'no-text' : readGitConfig(text);
};

/**
 * The same, from the cache where the stamp of the file is unchanged. Files in the workspace are read every time, and an absent
 * file is looked for every time.
 */
export function cachedOutsideOf(workspace: string): ConfigReader {
  const top = realOf(workspace);
  return (file, reader) => {
    const found = lookAt(file);
    if (found === 'missing') return 'missing';
    const real = realOf(file);
    if (found === 'unreadable' || top === undefined || real === undefined || isInside(real, top, sep))
      return readConfigFile(file, reader);
    return readThroughCache(file, found, reader);
  };
}

function readThroughCache(file: string, found: BigIntStats, reader: BoundedReader): ReturnType<ConfigReader> {
  const cached = cache.get(file);
  if (cached !== undefined && cached.stamp === cacheStamp(found, file))
    return reader.takeBytes(cached.bytes) ? cached.config : 'too-long';
  cache.delete(file);
  // The stamp of the file that was opened: the path may name another file by now. Judged before its content is read: a change
  // during the read may leave the same stamp.
  let cacheable: BigIntStats | undefined;
  const config = readConfigFile(file, reader, (stats) => {
    if (isCacheable(stats)) cacheable = stats;
  });
  if (typeof config !== 'string' && cacheable !== undefined) {
    if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value!);
    cache.set(file, { stamp: cacheStamp(cacheable, file), bytes: Number(cacheable.size), config });
  }
  return config;
}

/** A file of the kernel has size 0, and other contents under the same stamp. */
function isCacheable(stats: BigIntStats): boolean {
  return stats.size > 0n && stats.size <= MOST_CACHED_BYTES && !isRacy(stats);
}

function cacheStamp(stats: BigIntStats, file: string): string {
  return `${identity(stats)} ${stampOf(stats, file)}`;
}

/** Without an exception for a missing file, which would cost more than the rest. */
function lookAt(file: string): BigIntStats | 'missing' | 'unreadable' {
  try {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isSymbolicLink() ? statSync(file, { bigint: true }) : stats;
  } catch {
    return 'unreadable'; // reading it finds out why
  }
}
