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
import { doctorContext, resultsOf } from './context.ts';

const noBubblewrap = await whyNoBubblewrap();

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

describe('configuration and approvals', () => {
  it('are well where there are none', async () => {
    const one = doctorContext();
    expect([await resultsOf(config, one), await resultsOf(approvals, one)]).toEqual([
      [{ id: 'config', status: 'ok', message: 'no configuration file; defaults apply' }],
      [{ id: 'approvals', status: 'ok', message: 'the allowlist is empty' }],
    ]);
  });

  it('that are invalid are reported with their address', async () => {
    const one = doctorContext();
    writeFileSync(join(one.folder, 'pincer.jsonc'), '{ "tools": { "exec": { "security": "loose" } } }');
    expect(await resultsOf(config, one)).toMatchObject([
      {
        id: 'config',
        status: 'fail',
        message: expect.stringMatching(/security.*\(oc:\/\/.*pincer\.jsonc.*tools\/exec\/security\)$/u),
      },
    ]);
    writeFileSync(join(one.stateDir, 'exec-approvals.json'), '{ broken', { mode: 0o600 });
    expect(await resultsOf(approvals, one)).toMatchObject([
      { status: 'fail', message: expect.stringContaining('is invalid, so every judged command is denied: ') },
    ]);
  });
});

describe('the daemon', () => {
  it('that died is reported, and its pointer removed by --fix', async () => {
    const one = doctorContext();
    expect(await resultsOf(daemon, one)).toMatchObject([{ status: 'ok' }]);
    const pid = deadPid();
    mkdirSync(join(one.stateDir, 'daemon'));
    writePointer(one.stateDir, { pid, start: 'gone', socket: join(one.stateDir, 'daemon', 'socket') });
    expect(await resultsOf(daemon, one)).toMatchObject([
      { status: 'warn', message: `the daemon (pid ${pid}) died without cleaning up` },
    ]);
    expect(await resultsOf(daemon, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
    expect(readPointer(one.stateDir)).toBeUndefined();
  });

  it('whose socket stands where other users can enter is not spoken to', async () => {
    const one = doctorContext();
    expect(await resultsOf(socket, one)).toMatchObject([{ status: 'skip' }]);
    expect(await resultsOf(socket, { ...one, env: { XDG_RUNTIME_DIR: '/no/such' } })).toMatchObject([
      { status: 'warn', message: 'XDG_RUNTIME_DIR is /no/such, which does not exist' },
    ]);
    mkdirSync(join(one.stateDir, 'daemon'), { mode: 0o700 });
    writePointer(one.stateDir, { pid: process.pid, start: '', socket: join(one.stateDir, 'daemon', 'socket') });
    expect(await resultsOf(socket, one)).toMatchObject([{ status: 'ok' }]);
    chmodSync(join(one.stateDir, 'daemon'), 0o755);
    expect(await resultsOf(socket, one)).toMatchObject([
      { status: 'fail', message: 'other users can enter HOME/state/daemon: pincer does not connect to a socket there' },
    ]);
    expect(await resultsOf(socket, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
  });

  it('reports locks of dead processes, and removes only those by --fix', async () => {
    const one = doctorContext();
    expect(await resultsOf(locks, one)).toMatchObject([{ status: 'skip' }]);
    const folder = join(one.stateDir, 'locks');
    mkdirSync(folder, { mode: 0o700 });
    mkdirSync(join(one.stateDir, 'tickets'), { mode: 0o700 });
    writeFileSync(join(folder, 'alive.lock'), JSON.stringify({ pid: process.pid, start: '', nonce: 'a' }));
    expect(await resultsOf(locks, one)).toMatchObject([{ status: 'ok' }]);
    writeFileSync(join(folder, 'dead.lock'), JSON.stringify({ pid: deadPid(), start: 'gone', nonce: 'b' }));
    expect(await resultsOf(locks, one)).toMatchObject([
      { status: 'warn', message: '1 lock belongs to a dead process' },
    ]);
    expect(await resultsOf(locks, one, true)).toMatchObject([{ status: 'ok', fixed: true }]);
    expect(readdirSync(folder)).toEqual(['alive.lock']);
  });
});

describe('sandboxes', () => {
  it.skipIf(noBubblewrap !== undefined)('bubblewrap is asked itself, and leaves nothing behind', async () => {
    const one = doctorContext();
    const works = expect.stringMatching(
      /^sandbox\.mode is off; bubblewrap [\d.]+ works, \d+ of \d+ isolation checks passed$/u,
    );
    expect(await resultsOf(sandbox, one)).toEqual([{ id: 'sandbox', status: 'ok', message: works }]);
    expect(readdirSync(one.stateDir)).toEqual([]);
  });

  it.each([
    ['docker', 'fail', /^sandbox\.mode is all, and docker cannot be used: docker is not available \(HOME\/no\.sock: /u],
    ['podman', 'fail', /^sandbox\.mode is all, and podman cannot be used: podman is not available \(HOME\/no\.sock: /u],
  ])('%s that was asked for and is missing is a failure with its fix', async (backend, status, message) => {
    const one = doctorContext();
    const docker = { socket: join(one.home, 'no.sock') };
    mkdirSync(join(one.home, '.config', 'pincer'), { recursive: true });
    const file = join(one.home, '.config', 'pincer', 'pincer.jsonc');
    writeFileSync(file, JSON.stringify({ sandbox: { mode: 'all', backend, docker } }));
    const env = { ...one.env, XDG_CONFIG_HOME: join(one.home, '.config') };
    expect(await resultsOf(sandbox, { ...one, env })).toEqual([
      {
        id: 'sandbox',
        status,
        message: expect.stringMatching(message),
        fix: expect.stringMatching(/apt install .* nothing was run on this machine instead$/u),
      },
    ]);
  });

  it('sockets of container engines are asked whether they answer', async () => {
    const one = doctorContext();
    const answering = join(one.home, 'docker.sock');
    mkdirSync(join(one.home, 'podman'));
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/_ping' ? 200 : 404).end('OK'),
    );
    await new Promise<void>((resolve) => server.listen(answering, resolve));
    onTestFinished(() => void server.close());
    writeFileSync(join(one.home, 'podman', 'podman.sock'), '');
    const found = await resultsOf(containers, { ...one, env: { XDG_RUNTIME_DIR: one.home } });
    expect(found.slice(0, 2)).toEqual([
      { id: 'containers', status: 'ok', message: 'HOME/docker.sock answers' },
      {
        id: 'containers',
        status: 'warn',
        message: expect.stringContaining('HOME/podman/podman.sock cannot be used: '),
        fix: 'start the service, or remove the socket',
      },
    ]);
  });
});

describe('clients', () => {
  it('with an entry of Pincer start what is there, or are named', async () => {
    const one = doctorContext();
    expect(await resultsOf(clients, one)).toMatchObject([{ status: 'skip' }]);
    const ownTools = {
      id: 'clients',
      status: 'skip',
      message:
        "Claude Code's own tools do not run in pincer and are not checked; to check them: pincer init claude-code --hook",
    };
    const entry = (command: string, args: readonly string[]) =>
      writeFileSync(join(one.folder, '.mcp.json'), JSON.stringify({ mcpServers: { pincer: { command, args } } }));
    const program = join(one.home, 'pincer.cjs');
    writeFileSync(program, '');
    entry(process.execPath, [program, 'mcp']);
    expect(await resultsOf(clients, one)).toEqual([
      { id: 'clients', status: 'ok', message: 'Claude Code starts pincer (HOME/work/.mcp.json)' },
      ownTools,
    ]);
    entry(process.execPath, ['/gone/pincer.cjs', 'mcp']);
    expect(await resultsOf(clients, one)).toEqual([
      {
        id: 'clients',
        status: 'fail',
        message: 'Claude Code starts /gone/pincer.cjs, which does not exist (HOME/work/.mcp.json)',
        fix: 'pincer init claude-code rewrites the entry',
      },
      ownTools,
    ]);
    entry('/gone/pincer', ['mcp']);
    expect(await resultsOf(clients, one)).toMatchObject([{ status: 'fail' }, ownTools]);
    mkdirSync(join(one.folder, '.claude'));
    const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'pincer hook claude-code' }] };
    writeFileSync(join(one.folder, '.claude/settings.json'), JSON.stringify({ hooks: { PreToolUse: [hook] } }));
    expect(await resultsOf(clients, one)).toContainEqual({
      id: 'clients',
      status: 'ok',
      message:
        'Claude Code\'s own tools do not run in pincer; its hook judges only "Bash": commands without a rule ask a person',
    });
    rmSync(join(one.folder, '.claude'), { recursive: true });
    // An entry of our name that starts something else is none of ours.
    entry('made-up-pincer', ['mcp']);
    expect(await resultsOf(clients, one)).toMatchObject([{ status: 'skip' }]);
    writeFileSync(join(one.folder, '.mcp.json'), '{ broken');
    expect(await resultsOf(clients, one)).toMatchObject([
      { status: 'warn', message: expect.stringContaining('HOME/work/.mcp.json cannot be parsed') },
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
