/** The programs of the attacks. */
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostFolder } from './box.ts';

const PROGRAMS = ['attempts', 'implements'] as const;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Compiles them, without anything that they would have to find inside. */
export function compilePrograms(): string {
  const folder = hostFolder('programs');
  for (const name of PROGRAMS)
    execFileSync('cc', ['-O1', '-static', '-o', join(folder, name), here(`${name}.c`)], { stdio: 'pipe' });
  return folder;
}

/** Puts them into a workspace. */
export function putPrograms(programs: string, workspace: string): void {
  for (const name of PROGRAMS) copyFileSync(join(programs, name), join(workspace, name));
}
