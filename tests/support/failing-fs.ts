import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const WRITING = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'fchmodSync', 'linkSync', 'ftruncateSync'];

/** Runs `work` and calls `before` ahead of each call of these names, by default the writing ones, with its number from 1. */
export function watchingCalls<T>(
  before: (name: string, n: number) => void,
  work: () => T,
  names: readonly string[] = WRITING,
): T {
  let count = 0;
  let busy = false;
  const calls = fs as unknown as Record<string, (...args: never[]) => unknown>;
  const originals = names.map((name) => [name, calls[name]!] as const);
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      if (!busy) {
        busy = true; // what `before` itself calls is not counted
        try {
          before(name, ++count);
        } finally {
          busy = false;
        }
      }
      return Reflect.apply(original, fs, args);
    };
  }
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    for (const [name, original] of originals) calls[name] = original;
    syncBuiltinESMExports();
  }
}

/**
 * Runs `work` while the n-th writing call to the file system fails with `code`, and says what came of it:
 * `fired` is false when there were fewer calls than that.
 */
export function withFailure(n: number, code: string, work: () => void): { fired: boolean; error: unknown } {
  let fired = false;
  const fail = (name: string, at: number): void => {
    if (at !== n) return;
    fired = true;
    throw Object.assign(new Error(`${code}: made to fail, ${name}`), { code });
  };
  try {
    watchingCalls(fail, work);
    return { fired, error: undefined };
  } catch (error) {
    return { fired, error };
  }
}
