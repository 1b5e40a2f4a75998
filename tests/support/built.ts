/** The programs that the global setup has built for this run; see `tests/setup/programs.ts`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Where each script stands in the folder of its name. */
export const SCRIPTS = {
  launcher: 'launcher.cjs',
  runner: 'runner.cjs',
  'small-pincer': 'pincer.cjs',
  'dying-gateway': 'gateway.mjs',
  approvals: 'approvals.mjs',
  'change-recorder': 'change-recorder.mjs',
  'file-writer': 'file-writer.mjs',
  'workspace-editor': 'workspace-editor.mjs',
  'task-worker': 'task-worker.mjs',
} as const;

export type ScriptName = keyof typeof SCRIPTS;

/** A script for Node. It is alone in its folder, with the chunks that it loads. */
export function builtScript(name: ScriptName): string {
  return join(inject('builtPrograms'), name, SCRIPTS[name]);
}

/** The folder of the compiled programs. */
export const compiledPrograms = (): string => join(inject('builtPrograms'), 'compiled');

/** A compiled program; undefined where there is no compiler. */
export function compiledProgram(name: 'attacker'): string | undefined {
  const file = join(compiledPrograms(), name);
  return existsSync(file) ? file : undefined;
}
