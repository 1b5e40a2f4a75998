/** A project and a home of their own, and the built program. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../support/folder.ts';

export const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');

export interface Place {
  readonly project: string;
  readonly home: string;
  readonly init: (...args: readonly string[]) => {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
}

/** Fresh folders for one test. */
export function place(path = '/usr/bin:/bin', more: Readonly<Record<string, string>> = {}): Place {
  const folder = makeFolder({ 'project/.keep': '', 'home/.keep': '' });
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  const env = { PATH: path, HOME: home, PINCER_STATE_DIR: join(folder, 'state'), ...more };
  return {
    project,
    home,
    init: (...args) => {
      const ran = spawnSync(process.execPath, [program, 'init', ...args], {
        cwd: project,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      });
      return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
    },
  };
}
