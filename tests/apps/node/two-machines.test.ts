/** The built program at work: a gateway and a node with folders of their own, on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { type Home, makeHome, PROGRAM, runPincer } from '../serve/serving.ts';

const RUNS_ALL = { tools: { exec: { security: 'full', ask: 'off' } } };

interface Running {
  readonly child: ChildProcess;
  readonly lines: readonly Record<string, unknown>[];
  readonly stderr: () => string;
  readonly state: () => string | undefined;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command that runs until it is stopped, and prints a line of JSON for each event. */
function started(home: Home, args: readonly string[]): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], { cwd: home.workspace, env: home.env });
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  };
  onTestFinished(async () => void (await end()));
  return { child, lines, stderr: () => stderr, state: () => lines.at(-1)?.['state'] as string | undefined, end };
}

function home(config: object = {}): Home {
  const made = makeHome(config);
  onTestFinished(() => made.remove());
  return made;
}

async function startedGateway(): Promise<{ readonly gateway: Home; readonly url: string }> {
  const gateway = home({ ...RUNS_ALL, nodes: { listen: '127.0.0.1:0' } });
  const running = started(gateway, ['gateway', '--port', '0']);
  await until(() => running.lines.length > 0, `the gateway: ${running.stderr()}`);
  const [{ nodes }] = running.lines as unknown as readonly [{ readonly nodes: { readonly url: string } }];
  return { gateway, url: nodes.url };
}

async function json(machine: Home, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await runPincer(machine, [...args, '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

async function invitedNode(gateway: Home, config: object = RUNS_ALL) {
  const node = home(config);
  const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { invitation: string };
  const running = started(node, [
    'node',
    'run',
    '--invitation',
    invitation,
    '--name',
    'n',
    '--workspace',
    node.workspace,
  ]);
  await until(() => running.state() === 'connected', 'the connection');
  return { node, running };
}

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
    await json(gateway, ['nodes', 'approve', 'n']);
    await until(() => running.state() === 'connected', 'the connection');
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
    const [code] = (await once(again.child, 'exit')) as [number];
    expect([code, again.stderr()]).toEqual([3, expect.stringContaining('NODE_REVOKED')]);
    expect(isThere(pid)).toBe(false);
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
