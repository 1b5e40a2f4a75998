/** `pincer allow` through the program: what it says, what it stores, and what then runs. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';
import { judgedExec, type JudgedExec } from '../../../support/judged-exec.ts';

const noBubblewrap = await whyNoBubblewrap();

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

  it.skipIf(noBubblewrap !== undefined)('runs in the sandbox what is allowed there only (needs bubblewrap)', () => {
    const { allow, exec, user, pincer, workspace } = place();
    user(`sed -i 's#echo tested#cat /proc/1/comm > place#' proj/package.json`);
    expect(allow('npm test', '--where', 'sandbox', '--human').out).toContain('runs in the sandbox without asking');
    expect(pincer(['policy', 'explain', 'npm test', '--human']).stdout).toContain(
      'sandbox-only: it runs in the sandbox: npm test is allowed in the sandbox only',
    );
    expect(exec('npm test')).toBe('completed');
    expect(readFileSync(join(workspace, 'place'), 'utf8')).toBe('bwrap\n');
    expect(exec('npm test', { env: { NODE_OPTIONS: '--title=x' } })).not.toBe('completed');
  });

  it('asks where no sandbox can be opened for what is allowed there only', () => {
    const { allow, exec, pincer } = place();
    pincer(['config', 'set', 'sandbox.backend', 'podman']);
    allow('npm test', '--where', 'sandbox');
    expect(exec('npm test')).toBe('approval-pending');
  });

  it('lists rules with the most dangerous first, and removes one by the beginning of its id', () => {
    const { allow, stored } = place();
    allow('date', '--where', 'gateway');
    allow('npm test', '--where', 'gateway');
    const { out } = allow('--list', '--human');
    expect(out.split('\n').map((line) => line.split(/\s+/u)[1])).toEqual(['project', 'read', undefined]);
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

function pendingId(pincer: JudgedExec['pincer']): string {
  const { stdout } = pincer(['approvals', 'list', '--json']);
  return (JSON.parse(stdout) as { approvals: { id: string }[] }).approvals[0]!.id;
}

describe('an answer "always"', () => {
  it('is bound to the script that the command runs (evaluation: a rewritten script ran)', () => {
    const { exec, pincer, user, stored } = place();
    expect(exec('node tools/gen.js')).toBe('approval-pending');
    const id = pendingId(pincer);
    pincer(['approvals', 'allow', id, '--always', '--yes']);
    expect(stored()).toMatchObject({ version: 2, entries: [{ argv: ['tools/gen.js'], source: 'allow-always' }] });
    expect(exec('node tools/gen.js')).toBe('completed');
    user(`echo 'console.log("evil")' > proj/tools/gen.js`);
    expect(exec('node tools/gen.js')).toBe('approval-pending');
  });

  it('is not given to a script that changed between the question and the answer', () => {
    const { exec, pincer, user, workspace } = place();
    exec('npm test');
    user(`sed -i 's/echo tested/touch evil/' proj/package.json`);
    const id = pendingId(pincer);
    pincer(['approvals', 'allow', id]);
    const { approvals } = JSON.parse(pincer(['approvals', 'list', '--all', '--json']).stdout) as {
      approvals: { outcome?: string }[];
    };
    expect(approvals[0]?.outcome).toBe('approval-changed');
    expect(existsSync(join(workspace, 'evil'))).toBe(false);
  });
});

describe('pincer approvals allowlist add', () => {
  it.each([
    ['a bare name', ['npm'], /bare name/u],
    ['every program', ['/**'], /matches every program/u],
    ['arguments that still ask', [process.execPath, '--args', '-e 1'], /node -e 1 would still ask with this entry/u],
  ])('refuses %s', (_, args, why) => {
    const { pincer, stored } = place();
    expect(pincer(['approvals', 'allowlist', 'add', ...args, '--agent', 'main']).stderr).toMatch(why);
    expect(stored().entries).toEqual([]);
  });

  it('refuses a program that the agent can rewrite, and stores it with --yes', () => {
    const { pincer, stored, user, workspace } = place();
    user(`printf '#!/bin/sh\necho hi\n' > proj/run.sh && chmod +x proj/run.sh`);
    const add = ['approvals', 'allowlist', 'add', join(workspace, 'run.sh'), '--agent', 'main'];
    expect(pincer(add).stderr).toContain('the agent can change the file');
    expect(stored().entries).toEqual([]);
    pincer([...add, '--yes']);
    expect(stored().entries).toHaveLength(1);
  });

  it('says what an interpreter without arguments allows', () => {
    const { pincer } = place();
    expect(pincer(['approvals', 'allowlist', 'add', process.execPath, '--human']).stderr).toContain(
      'node runs any script file, also one that the agent has written',
    );
  });
});

describe('git push', () => {
  it('names the remote, and asks again for another one', () => {
    const { allow, pincer, user } = place();
    const verdict = () =>
      (JSON.parse(pincer(['policy', 'explain', 'git push', '--json']).stdout) as { verdict: string; code: string })
        .code;
    expect(allow('git push', '--where', 'gateway', '--human').out).toContain(
      'sends commits to origin (git@example.org:u/app.git); options: none; force is not included',
    );
    expect(verdict()).toBe('allowlisted');
    user('cd proj && git remote set-url origin git@evil.example:u/app.git');
    expect(verdict()).toBe('rule-changed');
    user(
      'cd proj && git remote set-url origin git@example.org:u/app.git && git remote add other git@evil.example:x.git',
    );
    expect(verdict()).toBe('rule-changed');
  });

  it('allowed without any remote does not cover one that is added later', () => {
    const { allow, pincer, user } = place();
    user('cd proj && git remote remove origin');
    expect(allow('git push', '--where', 'gateway').status).toBe(0);
    user('cd proj && git remote add origin git@evil.example:x.git');
    expect(pincer(['policy', 'explain', 'git push', '--json']).stdout).toContain('"rule-changed"');
  });
});
