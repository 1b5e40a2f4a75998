import { lstatSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Stamp } from './shape.ts';
import { sameStamp, stampOf } from './stamp.ts';

export interface WatchOptions {
  /** Changes within this time are reported once (default: 20 ms). */
  readonly quietMs?: number;
  /** How often to poll in case the system reports nothing (network folders, moved folders) (default: 1 second). */
  readonly lookMs?: number;
}

export interface Watch {
  /** `onChange` is not called again. */
  close(): void;
}

/**
 * Calls `onChange` after each change of a file with its new stamp, or undefined if the file is gone. It watches the folder,
 * because an atomic replacement gives the name to another file. It does not report the initial state.
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
    unwatch(); // no inotify watches left, or unsupported for this folder; polling finds every change too
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
    return undefined; // a folder on the path is not accessible now: the file counts as gone
  }
}
