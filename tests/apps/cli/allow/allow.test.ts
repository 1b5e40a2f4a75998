/** `pincer allow` through the program: what it says, what it stores, and what then runs. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgedExec, type JudgedExec } from '../../../support/judged-exec.ts';

const PROJECT = `cd proj
printf '{"name": "app", "scripts": {"test": "echo tested"}}' > package.json
mkdir -p tools sub && echo 'console.log(1)' > tools/gen.js
printf 'all:\\n\\t@echo built\\n' > Makefile
git init -q . && git remote add origin git@example.org:u/app.git`;

function place(): JudgedExec & {
  readonly allow: (...args: readonly string[]) => { readonly out: string; readonly status: number | null };
  readonly stored: () => { readonly version: number; readonly entries: readonly Record<string, unknown>[] };
} {
  const machine = judgedExec({});
  machine.user(PROJECT);
  const allow = (...args: readonly string[]) => {
    const ran = machine.pincer(['allow', ...args]) as { stdout: string; stderr: string; status: number | null };
    return { out: ran.stdout + ran.stderr, status: ran.status };
  };
  const stored = () => {
    const { path } = JSON.parse(machine.pincer(['approvals', 'get', '--json']).stdout) as { path: string };
    const { version, agents } = JSON.parse(readFileSync(path, 'utf8')) as {
      version: number;
      agents: { main?: { allowlist: Record<string, unknown>[] } };
    };
    return { version, entries: agents.main?.allowlist ?? [] };
  };
  return { ...machine, allow, stored };
}

describe('pincer allow', () => {
  it('says what npm test runs, binds the script, and asks again with the difference after a change', () => {
    const { allow, exec, user, pincer, stored, workspace } = place();
    expect(exec('npm test')).toBe('approval-pending');
    const { out, status } = allow('npm test', '--where', 'gateway', '--human');
    expect(status).toBe(0);
    expect(out).toContain(`npm test      agent main, below ~/proj
  runs project code: package.json, scripts.test = "echo tested" (no pretest, no posttest)
  that file is inside the agent's workspace: the agent can change what runs
  bound to: npm, scripts.test, scripts.pretest, scripts.posttest, .npmrc (none); not to the files that the script uses, such as tests
  on this machine it can read your files and use the network
`);
    expect(out).toContain('tested: npm test runs on this machine without asking, below ~/proj');
    expect(stored()).toMatchObject({
      version: 2,
      entries: [{ words: ['test'], below: workspace, where: 'gateway', class: 'project', said: 'npm test' }],
    });
    expect(exec('npm test')).toBe('completed');
    expect(exec('npm test -- more')).toBe('approval-pending');
    user(`sed -i 's/echo tested/echo other/' proj/package.json`);
    expect(exec('npm test')).toBe('approval-pending');
    expect(pincer(['policy', 'explain', 'npm test', '--human']).stdout).toMatch(
      /scripts\.test of \S+package\.json is now "echo other", not "echo tested"/u,
    );
    allow('npm test', '--where', 'gateway');
    expect(stored().entries).toHaveLength(1);
    expect(exec('npm test')).toBe('completed');
  });

  it.each([
    ['a script before it', `sed -i 's/"scripts": {/"scripts": {"pretest": "true", /' proj/package.json`],
    ['settings that can name another shell', `echo 'script-shell=./x' > proj/.npmrc`],
  ])('asks again after %s was added', (_, change) => {
    const { allow, exec, user } = place();
    allow('npm test', '--where', 'gateway');
    user(change);
    expect(exec('npm test')).toBe('approval-pending');
  });

  it.each([
    ['node tools/gen.js', `echo 'evil()' >> proj/tools/gen.js`],
    ['make', `printf 'all:\\n\\t@echo other\\n' > proj/Makefile`],
    ['make', `printf 'all:\\n\\t@echo other\\n' > proj/GNUmakefile`],
  ])('binds %s to the file that decides', (command, change) => {
    const { allow, exec, user } = place();
    expect(allow(command, '--where', 'gateway').status).toBe(0);
    expect(exec(command)).toBe('completed');
    user(change);
    expect(exec(command)).toBe('approval-pending');
  });

  it('does not ask again about a build output with --unbound', () => {
    const { allow, exec, user } = place();
    expect(allow('node tools/gen.js', '--where', 'gateway', '--unbound').status).toBe(0);
    user(`echo 'console.log(2)' >> proj/tools/gen.js`);
    expect(exec('node tools/gen.js')).toBe('completed');
  });

  it('applies below its folder only', () => {
    const { allow, exec, workspace } = place();
    expect(allow('echo hi', '--below', join(workspace, 'sub'), '--where', 'gateway').status).toBe(1);
    expect(allow('date', '--where', 'gateway').status).toBe(0);
    expect(exec('date', { workdir: 'sub' })).toBe('completed');
    expect(exec('date', { workdir: dirname(workspace) })).toBe('approval-pending');
  });

  it.each([
    ['code in the command', 'node -e 1', /can run or load code/u],
    ['a shell', 'bash x.sh', /bash is a shell/u],
    ['a builtin', 'cd sub', /cd is a shell builtin/u],
    ['a program that does not exist', 'nosuchprogram x', /there is no program "nosuchprogram"/u],
    ['two commands', 'date && date', /chains commands/u],
    ['a pipeline', 'date | sort', /not for a pipeline/u],
    ['a script that does not exist', 'npm run nope', /has no script nope/u],
    ['a folder that does not exist', 'read ~/nope', /is not a folder/u],
    ['an option that leads elsewhere', 'make -C sub', /may choose other files/u],
  ])('never stores %s', (_, command, why) => {
    const { allow, stored } = place();
    const { out, status } = allow(command, '--where', 'gateway', '--human');
    expect(out).toMatch(why);
    expect({ status, ...stored() }).toMatchObject({ status: 1, entries: [] });
  });

  it('needs --where without a terminal, and stores nothing', () => {
    const { allow, stored } = place();
    expect(allow('npm test')).toMatchObject({ status: 2, out: expect.stringContaining('--where is required') });
    expect(stored().entries).toEqual([]);
  });

  it('does not run here what is allowed in the sandbox only', () => {
    const { allow, exec, pincer } = place();
    expect(allow('npm test', '--where', 'sandbox', '--human').out).toContain('runs in the sandbox without asking');
    expect(pincer(['policy', 'explain', 'npm test', '--human']).stdout).toContain('in the sandbox only');
    expect(exec('npm test')).toBe('approval-pending');
  });

  it('lists rules with the most dangerous first, and removes one by the beginning of its id', () => {
    const { allow, stored } = place();
    allow('date', '--where', 'gateway');
    allow('npm test', '--where', 'gateway');
    const { out } = allow('--list', '--human');
    expect(out.split('\n').map((line) => line.split(/\s+/u)[1])).toEqual(['project', '-', undefined]);
    const [{ id = '' } = {}] = stored().entries as readonly { id?: string }[];
    expect(allow('--remove', id.slice(0, 8)).status).toBe(0);
    expect(stored().entries).toHaveLength(1);
    expect(allow('--remove', 'ffffffff').status).toBe(1);
  });

  it('expires at the time of --until', () => {
    const { allow, stored } = place();
    const before = Date.now();
    allow('date', '--where', 'gateway', '--until', '2h');
    const [{ expiresAt = 0 } = {}] = stored().entries as readonly { expiresAt?: number }[];
    expect(expiresAt - before).toBeGreaterThanOrEqual(2 * 3_600_000);
    expect(allow('date', '--where', 'gateway', '--until', 'yesterday').status).toBe(2);
  });
});
