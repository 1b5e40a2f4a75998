import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clients, startedBy } from '../../../../src/apps/cli/doctor/checks/clients.ts';
import { containers } from '../../../../src/apps/cli/doctor/checks/containers.ts';
import { daemon, locks, socket } from '../../../../src/apps/cli/doctor/checks/daemon.ts';
import { approvals, config } from '../../../../src/apps/cli/doctor/checks/rules.ts';
import { sandbox } from '../../../../src/apps/cli/doctor/checks/sandbox.ts';
import { readPointer, writePointer } from '../../../../src/apps/daemon/pointer.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';
import { patient, told } from './patient.ts';

const noBubblewrap = await whyNoBubblewrap();

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

describe('configuration and approvals', () => {
  it('are well where there are none', async () => {
    const one = patient();
    expect([await told(config, one), await told(approvals, one)]).toEqual([
      [{ id: 'config', status: 'ok', message: 'no file; the defaults hold' }],
      [{ id: 'approvals', status: 'ok', message: 'nothing was allowed for good yet' }],
    ]);
  });

  it('that are wrong are told with their place', async () => {
    const one = patient();
    writeFileSync(join(one.folder, 'pincer.jsonc'), '{ "tools": { "exec": { "security": "loose" } } }');
    expect(await told(config, one)).toMatchObject([
      {
        id: 'config',
        status: 'fail',
        message: expect.stringMatching(/security.*\(oc:\/\/.*pincer\.jsonc.*tools\/exec\/security\)$/u),
      },
    ]);
    writeFileSync(join(one.stateDir, 'exec-approvals.json'), '{ broken', { mode: 0o600 });
    expect(await told(approvals, one)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('is not used, so every judged command is denied: ') },
    ]);
  });
});

describe('the daemon', () => {
  it('that died is told of, and its pointer is taken away when asked', async () => {
    const one = patient();
    expect(await told(daemon, one)).toMatchObject([{ status: 'ok' }]);
    const pid = deadPid();
    mkdirSync(join(one.stateDir, 'daemon'));
    writePointer(one.stateDir, { pid, start: 'gone', socket: join(one.stateDir, 'daemon', 'socket') });
    expect(await told(daemon, one)).toMatchObject([
      { status: 'warn', message: `the daemon (process ${pid}) died without taking its leave` },
    ]);
    expect(await told(daemon, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
    expect(readPointer(one.stateDir)).toBeUndefined();
  });

  it('whose socket stands where others may enter is not spoken to', async () => {
    const one = patient();
    expect(await told(socket, one)).toMatchObject([{ status: 'skip' }]);
    expect(await told(socket, { ...one, env: { XDG_RUNTIME_DIR: '/no/such' } })).toMatchObject([
      { status: 'warn', message: 'XDG_RUNTIME_DIR names /no/such, which is not there' },
    ]);
    mkdirSync(join(one.stateDir, 'daemon'), { mode: 0o700 });
    writePointer(one.stateDir, { pid: process.pid, start: '', socket: join(one.stateDir, 'daemon', 'socket') });
    expect(await told(socket, one)).toMatchObject([{ status: 'ok' }]);
    chmodSync(join(one.stateDir, 'daemon'), 0o755);
    expect(await told(socket, one)).toMatchObject([
      { status: 'fail', message: 'others may enter HOME/state/daemon: nothing is said to a socket there' },
    ]);
    expect(await told(socket, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
  });

  it('locks of dead processes are told of, and swept when asked; those of living ones stay', async () => {
    const one = patient();
    expect(await told(locks, one)).toMatchObject([{ status: 'skip' }]);
    const folder = join(one.stateDir, 'locks');
    mkdirSync(folder, { mode: 0o700 });
    mkdirSync(join(one.stateDir, 'tickets'), { mode: 0o700 });
    writeFileSync(join(folder, 'alive.lock'), JSON.stringify({ pid: process.pid, start: '', nonce: 'a' }));
    expect(await told(locks, one)).toMatchObject([{ status: 'ok' }]);
    writeFileSync(join(folder, 'dead.lock'), JSON.stringify({ pid: deadPid(), start: 'gone', nonce: 'b' }));
    expect(await told(locks, one)).toMatchObject([
      { status: 'warn', message: 'a lock was left by processes that are dead' },
    ]);
    expect(await told(locks, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
    expect(readdirSync(folder)).toEqual(['alive.lock']);
  });
});

describe('sandboxes', () => {
  it.skipIf(noBubblewrap !== undefined)('bubblewrap is asked itself, and leaves nothing behind', async () => {
    const one = patient();
    const works = expect.stringMatching(
      /^sandbox\.mode is off; bubblewrap [\d.]+ works, \d+ of \d+ isolation checks passed$/u,
    );
    expect(await told(sandbox, one)).toEqual([{ id: 'sandbox', status: 'ok', message: works }]);
    expect(readdirSync(one.stateDir)).toEqual([]);
  });

  it.each([
    ['docker', 'fail', /^sandbox\.mode is all, and docker cannot be used: docker is not available \(HOME\/no\.sock: /u],
    ['podman', 'fail', /^sandbox\.mode is all, and podman cannot be used: podman is not available \(HOME\/no\.sock: /u],
  ])('%s that was asked for and is missing is a failure with its fix', async (backend, status, message) => {
    const one = patient();
    const docker = { socket: join(one.home, 'no.sock') };
    mkdirSync(join(one.home, '.config', 'pincer'), { recursive: true });
    const file = join(one.home, '.config', 'pincer', 'pincer.jsonc');
    writeFileSync(file, JSON.stringify({ sandbox: { mode: 'all', backend, docker } }));
    const env = { ...one.env, XDG_CONFIG_HOME: join(one.home, '.config') };
    expect(await told(sandbox, { ...one, env })).toEqual([
      {
        id: 'sandbox',
        status,
        message: expect.stringMatching(message),
        fix: expect.stringMatching(/apt install .* nothing was run on this machine instead$/u),
      },
    ]);
  });

  it('sockets of container engines are asked whether they answer', async () => {
    const one = patient();
    const answering = join(one.home, 'docker.sock');
    mkdirSync(join(one.home, 'podman'));
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/_ping' ? 200 : 404).end('OK'),
    );
    await new Promise<void>((resolve) => server.listen(answering, resolve));
    onTestFinished(() => void server.close());
    writeFileSync(join(one.home, 'podman', 'podman.sock'), '');
    const found = await told(containers, { ...one, env: { XDG_RUNTIME_DIR: one.home } });
    expect(found.slice(0, 2)).toEqual([
      { id: 'containers', status: 'ok', message: 'HOME/docker.sock answers' },
      {
        id: 'containers',
        status: 'warn',
        message: expect.stringContaining('HOME/podman/podman.sock cannot be used: '),
        fix: 'start its service, or remove the socket',
      },
    ]);
  });
});

describe('clients', () => {
  it('with an entry of Pincer start what is there, or are named', async () => {
    const one = patient();
    expect(await told(clients, one)).toMatchObject([{ status: 'skip' }]);
    const ownTools = {
      id: 'clients',
      status: 'skip',
      message:
        "Claude Code's own tools do not run in Pincer and are not checked; to check them: pincer init claude-code --hook",
    };
    const entry = (command: string, args: readonly string[]) =>
      writeFileSync(join(one.folder, '.mcp.json'), JSON.stringify({ mcpServers: { pincer: { command, args } } }));
    const program = join(one.home, 'pincer.cjs');
    writeFileSync(program, '');
    entry(process.execPath, [program, 'mcp']);
    expect(await told(clients, one)).toEqual([
      { id: 'clients', status: 'ok', message: 'Claude Code reaches pincer by HOME/work/.mcp.json' },
      ownTools,
    ]);
    entry(process.execPath, ['/gone/pincer.cjs', 'mcp']);
    expect(await told(clients, one)).toEqual([
      {
        id: 'clients',
        status: 'fail',
        message: 'Claude Code starts /gone/pincer.cjs, which is not there (HOME/work/.mcp.json)',
        fix: 'pincer init claude-code writes the entry anew',
      },
      ownTools,
    ]);
    entry('/gone/pincer', ['mcp']);
    expect(await told(clients, one)).toMatchObject([{ status: 'fail' }, ownTools]);
    mkdirSync(join(one.folder, '.claude'));
    const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'pincer hook claude-code' }] };
    writeFileSync(join(one.folder, '.claude/settings.json'), JSON.stringify({ hooks: { PreToolUse: [hook] } }));
    expect(await told(clients, one)).toContainEqual({
      id: 'clients',
      status: 'ok',
      message:
        'Claude Code\'s own tools do not run in Pincer; its hook judges only "Bash": commands without a rule ask a person',
    });
    rmSync(join(one.folder, '.claude'), { recursive: true });
    // An entry of our name that starts something else is none of ours.
    entry('made-up-pincer', ['mcp']);
    expect(await told(clients, one)).toMatchObject([{ status: 'skip' }]);
    writeFileSync(join(one.folder, '.mcp.json'), '{ broken');
    expect(await told(clients, one)).toMatchObject([
      { status: 'warn', message: expect.stringContaining('HOME/work/.mcp.json cannot be understood') },
    ]);
  });

  it.each([
    [{ command: 'pincer', args: ['mcp'] }, ['pincer', 'mcp']],
    [{ command: ['node', '/a/pincer.cjs', 'mcp'] }, ['node', '/a/pincer.cjs', 'mcp']],
    [
      { command: "/usr/bin/node '/a b/pincer.cjs' hook claude-code" },
      ['/usr/bin/node', '/a b/pincer.cjs', 'hook', 'claude-code'],
    ],
    [{ url: 'http://127.0.0.1:7462/mcp' }, undefined],
    [null, undefined],
    [{ command: 7 }, undefined],
  ])('%j starts %j', (entry, words) => {
    expect(startedBy(entry)).toEqual(words);
  });
});
