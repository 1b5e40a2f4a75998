/** The built program at work: a gateway and a node with folders of their own, on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeKeyFiles } from '../../../src/hosts/identity/node-keys.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { PROGRAM, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';

describe('pincer node run', () => {
  it('pairs with an invitation and runs commands of the gateway', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const ran = await runPincer(gateway, ['exec', '--host', 'node', '--', 'sh', '-c', 'pwd; exit 3']);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 3, stdout: `${node.workspace}\n` });
    expect(await json(node, ['node', 'status'])).toMatchObject({
      running: true,
      name: 'n',
      pid: running.child.pid,
      connection: { state: 'connected' },
    });
    const { stdout: audit } = await runPincer(node, ['events', '--audit']);
    expect(audit).toContain(
      `${((await json(node, ['node', 'status'])) as { gateway: { id: string } }).gateway.id}/main`,
    );
    expect(await running.end()).toBe(0);
    const after = await runPincer(gateway, ['exec', '--host', 'node', '--', 'true']);
    expect(after.stderr).toContain('NODE_OFFLINE');
  });

  it('shows eight digits, and is paired when the gateway approves them', async () => {
    const { gateway, url } = await startedGateway();
    const node = home(RUNS_ALL);
    const running = started(node, ['node', 'run', '--gateway', url, '--name', 'n']);
    await until(() => running.state() === 'pending', 'the request');
    const [pending] = (await json(gateway, ['nodes', 'pending'])) as readonly { code: string; id: string }[];
    expect(pending).toMatchObject({ code: running.lines.at(-1)?.['code'], id: running.lines.at(-1)?.['id'] });
    await json(gateway, ['nodes', 'approve', pending!.code]);
    await until(() => running.state() === 'connected', 'the connection');
    await json(node, ['node', 'confirm', pending!.code]);
    await until(() => running.state() === 'connected' && running.lines.at(-1)?.['confirmed'] === true, 'the offer');
    expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi'])).stdout).toBe('hi\n');
  });

  it('judges by its own rules, and its own operator answers', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway, {});
    const asked = await runPincer(gateway, ['exec', '--host', 'node', '--', 'touch', 'ran']);
    expect(asked.code).toBe(4);
    expect(existsSync(join(node.workspace, 'ran'))).toBe(false);
    const { approvals } = (await json(node, ['approvals', 'list'])) as { approvals: readonly { slug: string }[] };
    await json(node, ['approvals', 'allow', approvals[0]!.slug]);
    await until(() => existsSync(join(node.workspace, 'ran')), 'the command');
  });

  it('is the only daemon of its state folder, and keeps its pairing while it runs', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const second = await runPincer(node, ['node', 'run']);
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('GATEWAY_IN_USE')]);
    const forgotten = await runPincer(node, ['node', 'forget']);
    expect([forgotten.code, forgotten.stderr]).toEqual([1, expect.stringContaining('NODE_RUNNING')]);
    await running.end();
    expect(await json(node, ['node', 'forget'])).toMatchObject({
      forgotten: { url: expect.stringContaining('wss://') },
    });
    const lonely = await runPincer(node, ['node', 'run']);
    expect([lonely.code, lonely.stderr]).toEqual([3, expect.stringContaining('NODE_NO_GATEWAY')]);
  });

  it('does not start beside a daemon with sessions, and says so; an idle daemon makes room', async () => {
    const { gateway } = await startedGateway();
    const node = home(RUNS_ALL);
    await runPincer(node, ['call', 'exec', '{"command":"sleep 600","background":true}']);
    const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { readonly invitation: string };
    const args = ['node', 'run', '--invitation', invitation, '--name', 'n'];
    const busy = await runPincer(node, args);
    expect([busy.code, busy.stderr]).toEqual([3, expect.stringMatching(/GATEWAY_IN_USE.* runs 1 session/u)]);
    const [session] = (await json(node, ['ps'])) as readonly { readonly id: string }[];
    await runPincer(node, ['kill', session!.id]);
    const running = started(node, args);
    await until(() => running.state() === 'connected', 'the connection');
  });

  it('connects again with its key alone, and stops when the gateway removes it', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    await running.end('SIGKILL');
    const again = started(node, ['node', 'run']);
    await until(() => again.state() === 'connected', 'the connection');
    const sleeper = ['sh', '-c', 'echo $$ > pid; sleep 600'];
    expect((await runPincer(gateway, ['exec', '--host', 'node', '--background', '--', ...sleeper])).code).toBe(0);
    const pidFile = join(node.folder, 'pid');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'), 'the command');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isThere(pid)).toBe(true);
    await json(gateway, ['nodes', 'remove', 'n']);
    const code = await again.ended;
    expect([code, again.stderr()]).toEqual([
      3,
      expect.stringMatching(/NODE_REVOKED.*has removed this node\W.*pincer node run --invitation -/su),
    ]);
    expect(isThere(pid)).toBe(false);
  });

  it.each(['', ', also where a new key waits'])(
    'does not ask to pair again by itself when the gateway has removed it from the list%s',
    async (how) => {
      const { gateway } = await startedGateway();
      const { node, running } = await invitedNode(gateway);
      await running.end();
      await json(gateway, ['nodes', 'remove', 'n']); // refused from now on
      if (how !== '') expect((await runPincer(node, ['node', 'rotate'])).stderr).toContain('NODE_REVOKED');
      expect(existsSync(nodeKeyFiles(node.stateDir).next)).toBe(how !== '');
      await json(gateway, ['nodes', 'remove', 'n']); // forgotten
      const again = started(node, ['node', 'run']);
      await until(() => again.child.exitCode !== null || again.state() === 'pending', 'the end of the node');
      expect([again.child.exitCode, again.stderr()]).toEqual([
        3,
        expect.stringMatching(/NODE_REVOKED.*pincer node pair --gateway wss:/su),
      ]);
      expect(again.lines.map(({ state }) => state)).not.toContain('pending');
      expect(await json(gateway, ['nodes', 'list'])).toEqual([]);
    },
  );

  it('refuses a name that nodes rename refuses, and says how to rename', async () => {
    const { gateway, url } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const bad = await runPincer(node, ['node', 'pair', '--name', 'bad name!']);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('NODE_NAME_REFUSED')]);
    await running.end();
    const { stdout } = await runPincer(node, ['node', 'pair', '--gateway', url, '--name', 'other', '--human']);
    expect(stdout).toContain('it is paired as n; to rename it, run on the gateway: pincer nodes rename n other\n');
  });

  it('keeps the sessions of its own machine when the gateway removes it', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const go = join(node.folder, 'go');
    const waits = ['sh', '-c', `until [ -e '${go}' ]; do sleep 0.1; done; : > '${go}.seen'`];
    expect((await runPincer(node, ['exec', '--background', '--', ...waits])).code).toBe(0);
    await json(gateway, ['nodes', 'remove', 'n']);
    await until(() => running.state() === 'refused', 'the refusal');
    expect(await json(node, ['node', 'status'])).toMatchObject({
      connection: { state: 'refused', code: 'NODE_REVOKED' },
    });
    expect((await runPincer(node, ['ps'])).stdout).toContain('running');
    writeFileSync(go, '');
    expect(await running.ended).toBe(3);
    expect(existsSync(`${go}.seen`)).toBe(true);
  });

  it('shows its name at the gateway, which the operator can change', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway, RUNS_ALL, 'build');
    const { node, running } = await invitedNode(gateway, RUNS_ALL, 'build');
    expect(running.lines.at(-1)).toMatchObject({ state: 'connected', name: 'build-2' });
    const shownName = async () => ((await json(node, ['node', 'status'])) as { name: string }).name;
    await json(gateway, ['nodes', 'rename', 'build-2', 'other']);
    await until(async () => (await shownName()) === 'other', 'the new name');
    await running.end();
    expect(await shownName()).toBe('other');
    const again = started(node, ['node', 'run', '--name', 'mine']);
    await until(() => again.state() === 'connected', 'the connection');
    expect(again.lines.map(({ name }) => name)).toEqual(['other', 'other']);
  });

  it('says for which run a workspace counts, and what is in effect without one', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    const status = async () => (await runPincer(node, ['node', 'status', '--human'])).stdout;
    const keep = `--workspace counts for this run; to keep it: pincer config set node.workspace ${node.workspace}`;
    expect(await status()).toContain(keep);
    await running.end();
    const without = await status();
    expect(without).toContain(`commands    in ${node.folder}, judged`);
    expect(without).toContain(
      'files       none: no workspace is named; to offer a folder: pincer config set node.workspace',
    );
    await json(node, ['config', 'set', 'node.workspace', JSON.stringify(node.workspace)]);
    const kept = await status();
    expect(kept).toContain(`files       rw, in ${node.workspace}`);
    expect(kept).not.toContain('for this run');
    const child = spawn(process.execPath, [PROGRAM, 'node', 'run', '--human'], { cwd: node.workspace, env: node.env });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await until(() => printed.includes('connected to the gateway'), 'the connection');
    child.kill();
    await once(child, 'close');
    expect(printed).toContain(`node        n (`);
    expect(printed).toContain(`files       rw, in ${node.workspace}\n`);
  });

  it.each([
    [['--gateway', 'wss://x', '--invitation', 'y'], 2, 'exclude each other'],
    [['--invitation', 'y'], 3, 'NODE_INVITATION'],
    [['--gateway', 'wss://127.0.0.1:1', '--workspace', '/does/not/exist'], 3, 'FS_NOT_FOUND'],
    [['--gateway', 'ws://example.com'], 3, 'NODE_INSECURE'],
    [['extra'], 2, 'unexpected argument'],
  ])('refuses %j', async (args, code, text) => {
    const run = await runPincer(home(), ['node', 'run', ...args]);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});
