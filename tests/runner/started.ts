import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listProcesses, type ProcessEntry } from '../../src/hosts/process/processes.ts';
import { connectInside, type InsideLink, type LinkOptions } from '../../src/hosts/sandbox/link/link.ts';
import { builtScript } from '../support/built.ts';

export interface StartedInside {
  readonly link: InsideLink;
  /** Where files are read and written. */
  readonly workspace: string;
  readonly pid: number;
  /** Why the sandbox would have been ended. */
  readonly broken: string[];
  /** Resolves when the agent is gone. */
  readonly exited: Promise<void>;
}

/** The agent as a plain process of this machine, without any sandbox around it; ended when the test has finished. */
export async function startInside(
  options: Partial<LinkOptions> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<StartedInside> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pi-')));
  const workspace = join(folder, 'ws');
  mkdirSync(workspace);
  const child = spawn(process.execPath, [builtScript('runner'), '--inside'], {
    cwd: '/',
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const broken: string[] = [];
  const places = { workspace, stateDir: join(folder, 'state'), scratch: join(folder, 'run'), home: workspace };
  const link = connectInside(child.stdio[3] as Socket, {
    breakDown: (reason) => broken.push(reason),
    ...options,
    places: { ...places, ...options.places },
  });
  onTestFinished(async () => {
    await link.launcher.close();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  return { link, workspace, pid: child.pid ?? 0, broken, exited };
}

/** The processes that an agent has started for itself, by the beginning of the word that says what for. */
export function ownProcesses(agent: number, role: '--tools' | '--t'): readonly ProcessEntry[] {
  return [...listProcesses().values()].filter(
    ({ parent, pid }) => parent === agent && wordsOf(pid).includes(`\0${role}`),
  );
}

/** What a process was called with; nothing when it has ended meanwhile. */
function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
