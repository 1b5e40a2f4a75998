import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const WRITING = ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'fchmodSync', 'linkSync', 'ftruncateSync'] as const;

/**
 * Runs `work` while the n-th writing call to the file system fails with `code`, and says what came of it:
 * `fired` is false when there were fewer calls than that.
 */
export function withFailure(n: number, code: string, work: () => void): { fired: boolean; error: unknown } {
  let count = 0;
  const calls = fs as unknown as Record<string, (...args: never[]) => unknown>;
  const originals = WRITING.map((name) => [name, calls[name]!] as const);
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      if (++count === n) throw Object.assign(new Error(`${code}: made to fail, ${name}`), { code });
      return Reflect.apply(original, fs, args);
    };
  }
  syncBuiltinESMExports();
  try {
    work();
    return { fired: count >= n, error: undefined };
  } catch (error) {
    return { fired: count >= n, error };
  } finally {
    for (const [name, original] of originals) calls[name] = original;
    syncBuiltinESMExports();
  }
}
