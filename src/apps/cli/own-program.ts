import { realpathSync } from 'node:fs';

/**
 * The real path of this program. `npm link`, `npm install --global` and `npx` put a symlink on PATH; packages and other files
 * are next to its target.
 */
export function ownProgram(): string | undefined {
  const started = process.argv[1];
  if (started === undefined) return undefined;
  try {
    return realpathSync(started);
  } catch {
    return started; // replaced since the start; its users report that
  }
}
