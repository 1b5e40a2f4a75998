/** Which program the daemon is started from: the built one that this code belongs to. */
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../../../package.json';
import type { Build } from '../../wire/message.ts';

/** Seen from a chunk of the program, from one of the library, and from the sources. */
const PLACES = ['../pincer.cjs', '../../pincer.cjs', '../../../dist/pincer.cjs'];

/** The path of `pincer.cjs`; undefined where there is none, as in sources that were never built. */
export function programFile(): string | undefined {
  return PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
}

/** The build that a program's file stands for. */
export function buildOf(program: string | undefined): Build {
  const stats = program === undefined ? undefined : statSync(program, { throwIfNoEntry: false });
  return { version, time: Math.trunc(stats?.mtimeMs ?? 0) };
}
