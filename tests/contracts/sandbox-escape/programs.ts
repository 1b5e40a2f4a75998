/** The programs of the attacks, compiled without anything that they would have to find inside. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAMS = ['attempts', 'implements'] as const;

/** Puts them into a workspace. */
export function putPrograms(programs: string, workspace: string): void {
  for (const name of PROGRAMS) copyFileSync(join(programs, name), join(workspace, name));
}
