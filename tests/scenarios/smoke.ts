import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One scenario of each area: what the quick tier plays, and what each version of Node must print. */
export const SMOKE: readonly string[] = [
  'exec/01-foreground.txt',
  'path/02-examples.txt',
  'sandbox/01-exec.txt',
  'tools/01-write-and-edit.txt',
];

/** Every scenario, as `area/name.txt`. */
export function allScenarios(): string[] {
  const areas = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return areas
    .flatMap(({ name }) => readdirSync(join(import.meta.dirname, name)).map((file) => `${name}/${file}`))
    .filter((name) => name.endsWith('.txt'))
    .sort();
}

/** A scenario that shows a real sandbox. */
export const needsSandbox = (scenario: string): boolean =>
  scenario.startsWith('sandbox/') && !scenario.endsWith('-off.txt');
