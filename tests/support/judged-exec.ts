/** The built program with rules for `exec` on this machine: a home, a workspace in it, and a daemon that ends with the test. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApprovalInfo } from '../../src/wire/approval.ts';
import type { AllowlistEntry } from '../../src/wire/policy.ts';
import { daemonPlace } from './daemon.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/pincer.cjs');

export interface JudgedExec {
  readonly home: string;
  /** The folder that `pincer` is started in. */
  readonly workspace: string;
  /** Runs lines of `sh` in the home, as the user would. */
  readonly user: (script: string) => void;
  readonly pincer: (args: readonly string[], input?: string) => { readonly stdout: string; readonly stderr: string };
  /** Calls the tool, and gives `details.status`. */
  readonly exec: (command: string, more?: Readonly<Record<string, unknown>>) => string;
  /** The commands that a person is asked about, with the code of the reason, the oldest first. */
  readonly asked: () => readonly (readonly [command: string, code: string])[];
}

export interface ExecRules {
  readonly allow?: readonly (string | AllowlistEntry)[];
  readonly deny?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** From the home. */
  readonly workspace?: string;
  /** How many requests may be open. */
  readonly maxOpen?: number;
}

/** A place where the programs of `allow` run without a question, or all but those of `deny`. */
export function judgedExec(options: ExecRules): JudgedExec {
  const { allow = [], deny = [], env: more = {}, workspace: name = 'proj', maxOpen } = options;
  const { stateDir, env: own } = daemonPlace();
  const home = own['HOME']!;
  const workspace = join(home, name);
  const env = { ...own, PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1', ...more };
  const exec =
    deny.length > 0
      ? { host: 'gateway', security: 'full', ask: 'off' }
      : { host: 'gateway', security: 'allowlist', ask: 'on-miss' };
  mkdirSync(join(home, '.config/pincer'), { recursive: true });
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(home, '.config/pincer/pincer.jsonc'), JSON.stringify({ tools: { exec }, approvals: { maxOpen } }));
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b.example\n');
  const rules = { version: 1, deny, agents: { main: { allowlist: allow } } };
  writeFileSync(join(stateDir, 'exec-approvals.json'), JSON.stringify(rules), { mode: 0o600 });
  const pincer = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: workspace, env, input, encoding: 'utf8', timeout: 60_000 });
  return {
    home,
    workspace,
    user: (script) => void execFileSync('sh', ['-ec', script], { cwd: home, env, stdio: 'pipe' }),
    pincer,
    exec: (command, more = {}) => {
      const { stdout, stderr } = pincer(['call', 'exec', '-'], JSON.stringify({ command, ...more }));
      const { status } = (JSON.parse(stdout || '{}') as { details?: { status?: string } }).details ?? {};
      return status ?? stderr;
    },
    asked: () => {
      const { approvals } = JSON.parse(pincer(['approvals', 'list', '--json']).stdout) as {
        readonly approvals: readonly ApprovalInfo[];
      };
      return approvals.map(({ binding, judgement }) => [binding.command, judgement.code]);
    },
  };
}
