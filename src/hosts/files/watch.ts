import { lstatSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Stamp } from './shape.ts';
import { sameStamp, stampOf } from './stamp.ts';

export interface WatchOptions {
  /** Changes that come closer together than this are one (default: 20 ms). */
  readonly quietMs?: number;
  /** How often to look even when the system reports nothing (network folders, moved folders) (default: 1 second). */
  readonly lookMs?: number;
}

export interface Watch {
  /** Stops it; `onChange` is not called again. */
  close(): void;
}

/**
 * Calls `onChange` after each change of a file with its new stamp, or undefined when the file is gone. The folder is
 * watched, not the file: an atomic replacement puts another file under the name. Not called for the state it starts in.
 */
export function watchFile(path: string, onChange: (now: Stamp | undefined) => void, options: WatchOptions = {}): Watch {
  const { quietMs = 20, lookMs = 1000 } = options;
  let last = look(path);
  let pending: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  let closed = false;

  const compare = (): void => {
    pending = undefined;
    if (closed) return;
    const now = look(path);
    const same = now === undefined || last === undefined ? now === last : sameStamp(now, last);
    last = now;
    if (!same) onChange(now);
  };
  const soon = (): void => {
    pending ??= setTimeout(compare, quietMs);
  };
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  try {
    watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) soon();
    });
    watcher.on('error', unwatch);
  } catch {
    unwatch(); // the system has no watches left, or none for this folder; looking regularly finds every change too
  }
  const regularly = setInterval(soon, watcher === undefined ? Math.min(lookMs, 250) : lookMs);
  return {
    close: () => {
      closed = true;
      clearInterval(regularly);
      clearTimeout(pending);
      unwatch();
    },
  };
}

function look(path: string): Stamp | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : stampOf(stats);
  } catch {
    return undefined; // a folder on the way is closed to us now: as good as gone, until it is open again
  }
}
