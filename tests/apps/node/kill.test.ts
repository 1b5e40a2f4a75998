/** The built program: gateways and nodes that are killed while a command runs on a node. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeDetails } from '../../../src/wire/nodes/administration.ts';
import { until } from '../../support/patience.ts';
import { isThere } from '../../support/processes.ts';
import { runPincer } from '../serve/serving.ts';
import { counting, endedSession, linesOf, numbered, reports, sessionOf } from './counting-session.ts';
import { gatewayIn, invitedNode, json, keepAddress, started, startedGateway } from './machines.ts';

describe('SIGKILL', () => {
  it('of the gateway: the session continues under its id, its output is whole, and its end is reported once', async () => {
    const { gateway, gatewayProcess, node, id } = await counting();
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

  it('of the gateway and of a client that was attached: the next gateway ends the command', async () => {
    const made = await startedGateway();
    keepAddress(made);
    const { node } = await invitedNode(made.gateway);
    const file = join(node.workspace, 'pid');
    const client = started(made.gateway, [
      'exec',
      '--host',
      'node',
      '--',
      'sh',
      '-c',
      'echo $$ > pid; exec sleep 1000',
    ]);
    await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '', 'the command');
    await made.running.end('SIGKILL');
    await client.end('SIGKILL');
    await gatewayIn(made.gateway);
    const pid = Number(readFileSync(file, 'utf8'));
    await until(() => !isThere(pid), 'the end of the command');
  });

  it('of the node: the session is lost at the reconnect, with the output that the node has', async () => {
    const { gateway, node, nodeProcess, id } = await counting();
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
    const { gateway, gatewayProcess, node, nodeProcess, id } = await counting();
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
    const { gateway, gatewayProcess, node, id } = await counting();
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
