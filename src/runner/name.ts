/** The terminal library gives a program its path as its name; some programs are many, by the name that they see. */
import { realpathSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import type { LaunchStage } from '../hosts/process/launch.ts';

/** A path that leads to the stage's program and ends in the name that the program should see; else the program's own. */
export function pathUnderName({ file, argv }: LaunchStage, path = ''): string {
  const [name = file] = argv;
  if (basename(name) === basename(file)) return file;
  const candidates = isAbsolute(name)
    ? [name]
    : name.includes('/')
      ? []
      : path
          .split(':')
          .filter(isAbsolute)
          .map((folder) => join(folder, name));
  return candidates.find((candidate) => leadsTo(candidate, file)) ?? file;
}

function leadsTo(candidate: string, file: string): boolean {
  try {
    return realpathSync(candidate) === file;
  } catch {
    return false; // nothing stands there
  }
}
