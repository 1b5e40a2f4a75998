/** The built program that this code belongs to. Daemon and workers are started from it. */
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../../../package.json';
import type { Build } from '../../wire/message.ts';

/** Relative to a chunk of the program, to a chunk of the library, and to the sources. */
const CANDIDATES = ['../pincer.cjs', '../../pincer.cjs', '../../../dist/pincer.cjs'];

/** The path of `pincer.cjs`; undefined if the sources were never built. */
export function programFile(): string | undefined {
  return CANDIDATES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((file) => existsSync(file));
}

export function buildOf(program: string | undefined): Build {
  const stats = program === undefined ? undefined : statSync(program, { throwIfNoEntry: false });
  return { version, time: Math.trunc(stats?.mtimeMs ?? 0) };
}
