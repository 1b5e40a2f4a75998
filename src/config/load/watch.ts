/** Tells that the configuration of a folder may have changed: a file was written, replaced, removed, or appeared. */
import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { possiblePlaces } from '../places.ts';

export interface WatchConfigOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Changes that come closer together than this are one (default: 50 ms). */
  readonly quietMs?: number;
  /** How often to look even when the system reports nothing (default: 1 second). */
  readonly lookMs?: number;
}

/**
 * Calls `listener` after each change of any file that the configuration of this folder is or would be read from; not for the state
 * that it starts in. Folders are watched, not files, since an atomic replacement puts another file under the name, and where that
 * cannot be done (no watches left, a folder that is not there yet) the files are looked at regularly. Gives the way to stop it;
 * it keeps no process up.
 */
export function watchConfig(folder: string, listener: () => void, options: WatchConfigOptions = {}): () => void {
  const { env = process.env, quietMs = 50, lookMs = 1_000 } = options;
  const files = possiblePlaces(folder, env).flatMap(({ paths }) => paths);
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
  /** Folders may come and go, and a file may be a link into another one: what is watched is settled anew each time. */
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
        // No watches left, or none for this folder: looking regularly finds every change too.
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

/** The folders to watch, each with the names that matter in it; what a link leads to counts too. */
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
    return undefined; // not there, or not to be reached: looked at again the next time
  }
}

/** What tells one state of the files from another, links followed. */
function fingerprint(files: readonly string[]): string {
  return files
    .map((path) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        return [dev, ino, size, mtimeNs, ctimeNs].join(':');
      } catch {
        return ''; // not there, or closed to this user
      }
    })
    .join('|');
}
