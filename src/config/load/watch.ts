/** Reports changes of the configuration files of a folder. */
import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { possibleConfigFiles } from '../config-files.ts';

export interface WatchConfigOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Changes within this time are reported together (default: 50 ms). */
  readonly quietMs?: number;
  /** The polling interval, for changes that the system does not report (default: 1 second). */
  readonly lookMs?: number;
}

/**
 * Calls `listener` after each change of a file that the configuration of this folder is or would be read from. It watches folders,
 * because an atomic replacement puts another file under the name. Where it cannot watch (no watches left, a missing folder) it
 * polls. Returns a function that stops it; it does not keep the process alive.
 */
export function watchConfig(folder: string, listener: () => void, options: WatchConfigOptions = {}): () => void {
  const { env = process.env, quietMs = 50, lookMs = 1_000 } = options;
  const files = possibleConfigFiles(folder, env).flatMap(({ paths }) => paths);
  const watchers = new Map<string, FSWatcher>();
  let last = fingerprint(files);
  let pending: NodeJS.Timeout | undefined;
  let stopped = false;

  const compare = (): void => {
    pending = undefined;
    if (stopped) return;
    watchFolders();
    const now = fingerprint(files);
    if (now === last) return;
    last = now;
    listener();
  };
  const soon = (): void => {
    pending ??= setTimeout(compare, quietMs).unref();
  };
  const unwatch = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  /** Runs after each change: folders appear and disappear, and a file may become a symlink into another folder. */
  function watchFolders(): void {
    const wanted = foldersOf(files);
    for (const path of watchers.keys()) if (!wanted.has(path)) unwatch(path);
    for (const [path, names] of wanted) {
      if (watchers.has(path)) continue;
      try {
        const watcher = watch(path, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) soon();
        });
        watcher.on('error', () => unwatch(path));
        watchers.set(path, watcher);
      } catch {
        // No watches left, or none for this folder: polling finds the changes.
      }
    }
  }
  watchFolders();
  const regularly = setInterval(compare, lookMs).unref();
  return () => {
    stopped = true;
    clearInterval(regularly);
    clearTimeout(pending);
    for (const path of watchers.keys()) unwatch(path);
  };
}

/** The folders to watch with the file names in them, also those of symlink targets. */
function foldersOf(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  const add = (path: string): void => {
    const names = folders.get(dirname(path)) ?? new Set<string>();
    folders.set(dirname(path), names.add(basename(path)));
  };
  for (const path of files) {
    if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) add(path);
    const real = realPathOf(path);
    if (real !== undefined && real !== path) add(real);
  }
  return folders;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // missing or inaccessible; the next check tries again
  }
}

/** Follows symlinks. */
function fingerprint(files: readonly string[]): string {
  return files
    .map((path) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        return [dev, ino, size, mtimeNs, ctimeNs].join(':');
      } catch {
        return ''; // missing or inaccessible
      }
    })
    .join('|');
}
