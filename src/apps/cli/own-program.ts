import { realpathSync } from 'node:fs';

/**
 * The file of this program, behind all links: `npm link`, `npm install --global` and `npx` put a link on PATH, and packages and
 * further files stand beside what it leads to.
 */
export function ownProgram(): string | undefined {
  const started = process.argv[1];
  if (started === undefined) return undefined;
  try {
    return realpathSync(started);
  } catch {
    return started; // it was replaced since it started; whoever needs it says so
  }
}
