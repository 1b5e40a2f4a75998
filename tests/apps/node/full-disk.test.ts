/** The built program on disks that are full: what cannot be recorded is not sent and does not start, and nothing ends. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectGateway } from '../../../src/apps/client/connect.ts';
import type { Client } from '../../../src/apps/client/socket.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { UNTIL_GO, until } from '../../support/patience.ts';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { gatewayIn, home, invitedIn, json, RUNS_ALL, type Running, started } from './machines.ts';
import { smallDisk, type SmallDisk } from './small-disk.ts';

const SIZE = '16m';
const MOST_TRIES = 50;
const operator = { agent: '', operator: true } as const;

interface Machines {
  readonly gateway: Home;
  readonly serving: Running;
  readonly node: Home;
  readonly running: Running;
  readonly disk: SmallDisk;
}

/** The disk of one of them is small. Undefined where nothing may be mounted. */
async function machines(small: 'gateway' | 'node'): Promise<Machines | undefined> {
  const gateway = home({ ...RUNS_ALL, nodes: { listen: '127.0.0.1:0' } });
  const node = home(RUNS_ALL);
  const disk = smallDisk(small === 'gateway' ? gateway : node, SIZE);
  if (disk === undefined) return undefined;
  const serving = await gatewayIn(gateway);
  return { gateway, serving, node, disk, running: await invitedIn(node, gateway) };
}

/** Runs commands that leave a file, until one fails. Returns the text of the failure. */
async function untilRefused({ gateway, node }: Machines): Promise<string> {
  for (let i = 0; i < MOST_TRIES; i++) {
    const { code, stderr } = await runPincer(gateway, ['exec', '--host', 'node', '--', 'touch', `ran-${i}`]);
    expect([i, existsSync(join(node.workspace, `ran-${i}`))]).toEqual([i, code === 0]);
    if (code !== 0) return stderr;
  }
  throw new Error(`${MOST_TRIES} commands ran with a full disk`);
}

async function echoed({ gateway }: Machines): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi']);
  return [code, stdout, stderr];
}

async function background({ gateway }: Machines, command: string): Promise<string> {
  const args = ['exec', '--host', 'node', '--background', '--', 'sh', '-c', command];
  return (await runPincer(gateway, args)).stdout.trim();
}

async function sessionsOf(machine: Home): Promise<readonly SessionInfo[]> {
  return (await json(machine, ['ps', '--all'])) as readonly SessionInfo[];
}

async function clientOf({ stateDir }: Home): Promise<Client> {
  const client = await connectGateway({ stateDir, program: PROGRAM, start: false });
  onTestFinished(() => client.close());
  return client;
}

describe('a full disk of the node', () => {
  it('starts nothing that it cannot record, and works when there is room', async ({ skip }) => {
    const all = await machines('node');
    if (all === undefined) return skip('nothing can be mounted here');
    all.disk.fill();
    expect(await untilRefused(all)).toContain('NODE_CANNOT: node n: the node cannot record the request');
    all.disk.free();
    expect(await echoed(all)).toEqual([0, 'hi\n', '']);
  });

  it('lets a command run, whose log has one gap at both machines', async ({ skip }) => {
    const all = await machines('node');
    if (all === undefined) return skip('nothing can be mounted here');
    const { gateway, serving, node } = all;
    const lines = 6_000_000;
    const session = await background(all, `${UNTIL_GO}; seq 1 ${lines}`);
    expect(session).not.toBe('');
    serving.child.kill('SIGSTOP'); // it reads nothing meanwhile
    writeFileSync(join(node.workspace, 'go'), '');
    try {
      await until(async () => (await sessionsOf(node))[0]?.status === 'completed', 'the end of the command');
    } finally {
      serving.child.kill('SIGCONT');
    }
    await until(async () => (await sessionsOf(gateway))[0]?.status === 'completed', 'the end of the session');
    const [own] = await sessionsOf(node);
    expect(own).toMatchObject({ exitCode: 0, truncated: true });
    expect((await sessionsOf(gateway))[0]).toMatchObject({ exitCode: 0, truncated: true, bytes: own!.bytes });
    let text = '';
    let gaps = 0;
    const follow = { caller: operator, sessionId: session };
    await (await clientOf(gateway)).follow(follow, (event) => {
      if (event.type === 'gap') {
        gaps += 1;
        text += '|';
      } else if (event.type === 'output') text += Buffer.from(event.bytes).toString('latin1');
    });
    const [before = '', after = ''] = text.split('|');
    expect([gaps, before.startsWith('1\n2\n3\n'), after.endsWith(`\n${lines}\n`)]).toEqual([1, true, true]);
  });
});

describe('a full disk of the gateway', () => {
  it('sends nothing that it cannot record, and works when there is room', async ({ skip }) => {
    const all = await machines('gateway');
    if (all === undefined) return skip('nothing can be mounted here');
    all.disk.fill();
    const refused = await untilRefused(all);
    expect(refused).toMatch(/^APPROVAL_STORE_FULL: the approval store .*gateway\.db is on a full disk/u);
    all.disk.free();
    expect(await echoed(all)).toEqual([0, 'hi\n', '']);
  });

  it('ends neither the gateway nor its sessions, whose ends it reports when there is room', async ({ skip }) => {
    const all = await machines('gateway');
    if (all === undefined) return skip('nothing can be mounted here');
    const { gateway, serving, node, disk } = all;
    const session = await background(all, `${UNTIL_GO}; echo done`);
    disk.fill();
    await all.running.end('SIGKILL'); // the gateway records that the node is away
    await until(async () => (await sessionsOf(gateway))[0]?.unreachableSince !== undefined, 'the broken connection');
    disk.free();
    started(node, ['node', 'run']);
    await until(async () => (await sessionsOf(gateway))[0]?.status === 'failed', 'the end of the session');
    expect((await sessionsOf(gateway))[0]).toMatchObject({ id: session, failure: 'lost' });
    expect(serving.child.exitCode).toBe(null);
    expect(await echoed(all)).toEqual([0, 'hi\n', '']);
    expect(serving.stderr()).not.toContain('unhandled');
    console.log(serving.stderr());
  });
});
