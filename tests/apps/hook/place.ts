/** A home with a configuration and a file of rules, a project in it, and the built program as a hook. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../support/folder.ts';

export const program = resolve(import.meta.dirname, '../../../dist/pincer.cjs');

export interface HookSetting {
  readonly allow?: readonly string[];
  readonly approvals?: unknown;
  readonly config?: unknown;
  readonly project?: unknown;
  readonly mode?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function hookPlace({ allow = ['/usr/bin/ls', '/usr/bin/echo'], approvals, config, project }: HookSetting) {
  const folder = makeFolder({ 'project/sub/.keep': '', 'bin/.keep': '' });
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  const rules = approvals ?? {
    version: 1,
    defaults: {},
    agents: { main: { allowlist: allow.map((pattern) => ({ pattern })) } },
  };
  writeFileSync(join(state, 'exec-approvals.json'), typeof rules === 'string' ? rules : JSON.stringify(rules), {
    mode: 0o600,
  });
  mkdirSync(join(folder, '.config/pincer'), { recursive: true });
  if (config !== undefined) writeFileSync(join(folder, '.config/pincer/pincer.jsonc'), JSON.stringify(config));
  if (project !== undefined) writeFileSync(join(folder, 'project/pincer.jsonc'), JSON.stringify(project));
  return { folder, env: { PATH: '/usr/bin:/bin', HOME: folder, PINCER_STATE_DIR: state } };
}

/** Runs `pincer hook <client>` on the bytes of an event. */
export function hook(
  client: string,
  input: string | Buffer,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  cwd = '/',
) {
  const words = client === '' ? args : [client, ...args];
  const ran = spawnSync(process.execPath, [program, 'hook', ...words], {
    cwd,
    input,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}
