import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exit, Launch, Launched, LaunchStage, Launcher } from '../../src/hosts/process/launch.ts';
import { createLauncher, type LauncherOptions } from '../../src/hosts/process/launcher.ts';
import { startWithin } from '../../src/runner/spawn.ts';
import { removeFolder } from './folder.ts';
import { builtScript } from './built.ts';

/** A launcher with a spawner of its own, closed when the test has finished. */
export async function makeLauncher(options: Partial<LauncherOptions> = {}): Promise<Launcher> {
  const runtimeDir = realpathSync(mkdtempSync(join(tmpdir(), 'pl-')));
  const launcher = createLauncher({ runtimeDir, runner: builtScript('runner'), startWithin, ...options });
  onTestFinished(async () => {
    await launcher.close();
    removeFolder(runtimeDir);
  });
  return launcher;
}

/** A stage by path and arguments. */
export function stage(file: string, ...args: string[]): LaunchStage {
  return { file: realpathSync(file), argv: [file, ...args] };
}

export const sh = (script: string) => stage('/bin/sh', '-c', script);

let count = 0;

/** A launch of these stages (default: closed input, merged streams). */
export function launchOf(stages: readonly LaunchStage[], more: Partial<Launch> = {}): Launch {
  return {
    session: `test-${process.pid}-${++count}`,
    stages: stages as [LaunchStage, ...LaunchStage[]],
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    streams: 'merged',
    stdin: 'closed',
    ...more,
  };
}

export interface Heard {
  readonly launched: Launched;
  /** Resolves with all output up to the end, as text. */
  readonly end: Promise<{ exit: Exit; out: string; err: string }>;
  readonly text: () => string;
  readonly bytes: () => number;
  /** Resolves when the output so far holds this, or fits it. */
  readonly saying: (wanted: string | RegExp) => Promise<void>;
}

/** Starts and listens to all. */
export async function run(launcher: Launcher, launch: Launch): Promise<Heard> {
  const parts: Record<'out' | 'err', Buffer[]> = { out: [], err: [] };
  const text = (name: 'out' | 'err' = 'out') => Buffer.concat(parts[name]).toString('utf8');
  const waiting = new Set<() => void>();
  let length = 0;
  let resolveEnd: (value: { exit: Exit; out: string; err: string }) => void;
  const end = new Promise<{ exit: Exit; out: string; err: string }>((resolve) => {
    resolveEnd = resolve;
  });
  const launched = await launcher.launch(launch, {
    output(stream, bytes) {
      parts[stream].push(Buffer.from(bytes));
      length += bytes.length;
      for (const check of waiting) check();
      return true;
    },
    exited: (exit) => resolveEnd({ exit, out: text('out'), err: text('err') }),
  });
  return {
    launched,
    end,
    text,
    bytes: () => length,
    saying: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (typeof wanted === 'string' ? !text().includes(wanted) : !wanted.test(text())) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
