/** The built program: gateways and nodes that are killed while a command runs on a node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/wire/approval.ts';
import type { NodeDetails } from '../../../src/wire/nodes/administration.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { gatewayIn, invitedNode, json, keepAddress, started, startedGateway } from './machines.ts';

/** Prints numbered lines until the file `stop` is there. */
const COUNTS = 'echo $$ > pid; i=0; until [ -e stop ]; do i=$((i+1)); echo line $i; sleep 0.02; done; exit 5';

async function setUp() {
  const first = await startedGateway();
  keepAddress(first);
  const { gateway, running: gatewayProcess } = first;
  const { node, running: nodeProcess } = await invitedNode(gateway);
  const exec = ['exec', '--host', 'node', '--background', '--', 'sh', '-c', COUNTS];
  expect((await runPincer(gateway, exec)).code).toBe(0);
  await until(async () => ((await sessionOf(gateway))?.bytes ?? 0) > 100, 'the output');
  const { id } = (await sessionOf(gateway))!;
  return { gateway, gatewayProcess, node, nodeProcess, id };
}

async function sessionOf(gateway: Home): Promise<SessionInfo | undefined> {
  return ((await json(gateway, ['ps', '--all'])) as readonly SessionInfo[])[0];
}

async function endedSession(gateway: Home): Promise<SessionInfo> {
  await until(async () => (await sessionOf(gateway))?.status !== 'running', 'the end of the session');
  return (await sessionOf(gateway))!;
}

async function linesOf(gateway: Home, id: string): Promise<readonly string[]> {
  const { stdout } = await runPincer(gateway, ['logs', id]);
  return stdout.split('\n').filter((line) => line.startsWith('line '));
}

/** Events of the audit log, and notices, of one session. */
async function reports(gateway: Home, id: string): Promise<readonly string[]> {
  const of = async <T extends { readonly sessionId?: string }>(...args: readonly string[]): Promise<readonly T[]> => {
    const { stdout } = await runPincer(gateway, ['events', '--json', ...args]);
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as T)
      .filter(({ sessionId }) => sessionId === id);
  };
  const audit = await of<AuditEntry>('--audit');
  const notices = await of<Notice>();
  return [...audit.map(({ event }) => event), ...notices.map(({ kind }) => kind)];
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}`);
}

describe('SIGKILL', () => {
  it('of the gateway: the session continues under its id, its output is whole, and its end is reported once', async () => {
    const { gateway, gatewayProcess, node, id } = await setUp();
    await gatewayProcess.end('SIGKILL');
    expect(await sessionOf(gateway)).toMatchObject({
      id,
      status: 'running',
      unreachableSince: expect.any(Number) as number,
    });
    await gatewayIn(gateway);
    await until(async () => (await sessionOf(gateway))?.unreachableSince === undefined, 'the node');
    writeFileSync(join(node.workspace, 'stop'), '');
    expect(await endedSession(gateway)).toMatchObject({ id, status: 'completed', exitCode: 5 });
    const lines = await linesOf(gateway, id);
    expect(lines).toEqual(numbered(lines.length));
    expect(await reports(gateway, id)).toEqual(['started', 'ended', 'exec-exit']);
    expect(((await json(gateway, ['nodes', 'show', 'n'])) as NodeDetails).requests).toEqual([]);
  });

  it('of the node: the session is lost at the reconnect, with the output that the node has', async () => {
    const { gateway, node, nodeProcess, id } = await setUp();
    await nodeProcess.end('SIGKILL');
    await until(async () => (await sessionOf(gateway))?.unreachableSince !== undefined, 'the broken link');
    started(node, ['node', 'run']);
    expect(await endedSession(gateway)).toMatchObject({ id, status: 'failed', failure: 'lost' });
    const lines = await linesOf(gateway, id);
    expect(lines).toEqual(numbered(lines.length));
    expect(await reports(gateway, id)).toEqual(['started', 'ended', 'exec-exit']);
    expect(isThere(Number(readFileSync(join(node.workspace, 'pid'), 'utf8')))).toBe(false);
  });

  it('of both: the session is lost once', async () => {
    const { gateway, gatewayProcess, node, nodeProcess, id } = await setUp();
    await Promise.all([gatewayProcess.end('SIGKILL'), nodeProcess.end('SIGKILL')]);
    await gatewayIn(gateway);
    expect(await sessionOf(gateway)).toMatchObject({ id, status: 'running' });
    started(node, ['node', 'run']);
    expect(await endedSession(gateway)).toMatchObject({ id, status: 'failed', failure: 'lost' });
    expect(await reports(gateway, id)).toEqual(['started', 'ended', 'exec-exit']);
  });
});

describe('a stop of the gateway', () => {
  it('leaves sessions on nodes running, and says so', async () => {
    const { gateway, gatewayProcess, node, id } = await setUp();
    const stopped = await runPincer(gateway, ['daemon', 'stop', '--force', '--human']);
    expect(stopped.stdout).toBe(
      'the daemon has stopped; 1 session continues on its node, and the next daemon continues with it\n',
    );
    expect(await gatewayProcess.end()).toBe(0);
    expect(await sessionOf(gateway)).toMatchObject({ id, status: 'running' });
    const killed = await runPincer(gateway, ['kill', id, '--human']);
    expect(killed.stderr).toContain('the kill is recorded, and ends the command when the node connects');
    await gatewayIn(gateway); // the daemon that listed the session makes room
    expect(await endedSession(gateway)).toMatchObject({ id, status: 'failed', failure: 'killed' });
    expect(await reports(gateway, id)).toEqual(['started', 'ended']);
    const pid = Number(readFileSync(join(node.workspace, 'pid'), 'utf8'));
    await until(() => !isThere(pid), 'the end of the command');
  });
});
