/** The built program: gateways and nodes that are suspended, for a moment and for longer than a link may be silent. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeDetails } from '../../../src/wire/nodes/administration.ts';
import { TIER } from '../../support/budget.ts';
import { until } from '../../support/patience.ts';
import { type Home, type Run, runPincer } from '../serve/serving.ts';
import { type Counting, counting, endedSession, linesOf, numbered, reports, sessionOf } from './counting-session.ts';
import { json, type Running } from './machines.ts';

/** Runs `meanwhile` while the process does nothing. */
async function suspended({ child }: Running, meanwhile: () => Promise<void>): Promise<void> {
  child.kill('SIGSTOP');
  try {
    await meanwhile();
  } finally {
    child.kill('SIGCONT');
  }
}

/** The output is whole, and each end is reported once. */
async function expectWhole({ gateway, node, id }: Counting): Promise<void> {
  writeFileSync(join(node.workspace, 'stop'), '');
  expect(await endedSession(gateway)).toMatchObject({ id, status: 'completed', exitCode: 5, truncated: false });
  const lines = await linesOf(gateway, id);
  expect(lines).toEqual(numbered(lines.length));
  expect(lines.length).toBe(Number(readFileSync(join(node.workspace, 'count'), 'utf8')));
  expect(await reports(gateway, id)).toEqual(['started', 'ended', 'exec-exit']);
}

/** Sends a request, and waits until it is on its way to the node. */
async function request({ gateway }: Counting): Promise<{ readonly answer: Promise<Run> }> {
  const answer = runPincer(gateway, ['exec', '--host', 'node', '--', 'sh', '-c', 'printf x >> mark; echo once']);
  await until(async () => {
    const { requests } = (await json(gateway, ['nodes', 'show', 'n'])) as NodeDetails;
    return (requests ?? []).some(({ command, state }) => command.includes('mark') && state === 'sent');
  }, 'the request');
  return { answer };
}

function marks({ node }: Counting): string {
  const file = join(node.workspace, 'mark');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function grown(machine: Home): Promise<void> {
  const before = (await sessionOf(machine))?.bytes ?? 0;
  await until(async () => ((await sessionOf(machine))?.bytes ?? 0) > before + 500, 'more output');
}

describe('a suspended node', () => {
  it('runs a request once when it continues, and the output is whole', async () => {
    const machines = await counting();
    let sent: { readonly answer: Promise<Run> } | undefined;
    await suspended(machines.nodeProcess, async () => {
      sent = await request(machines);
    });
    expect(await sent?.answer).toMatchObject({ code: 0, stdout: 'once\n' });
    expect(marks(machines)).toBe('x');
    await expectWhole(machines);
  });

  it.runIf(TIER === 'deep')('for longer than a link may be silent loses and repeats nothing', async () => {
    const machines = await counting();
    const { gateway, nodeProcess } = machines;
    let sent: { readonly answer: Promise<Run> } | undefined;
    await suspended(nodeProcess, async () => {
      sent = await request(machines);
      await until(async () => (await sessionOf(gateway))?.unreachableSince !== undefined, 'the silence');
    });
    expect(await sent?.answer).toMatchObject({ code: 0, stdout: 'once\n' });
    expect(marks(machines)).toBe('x');
    await until(async () => (await sessionOf(gateway))?.unreachableSince === undefined, 'the node');
    await expectWhole(machines);
  });
});

describe('a suspended gateway', () => {
  it('has the whole output when it continues', async () => {
    const machines = await counting();
    await suspended(machines.gatewayProcess, () => grown(machines.node));
    await expectWhole(machines);
  });

  it.runIf(TIER === 'deep')('for longer than a link may be silent loses and repeats nothing', async () => {
    const machines = await counting();
    const { gateway, gatewayProcess, nodeProcess } = machines;
    await suspended(gatewayProcess, () => until(() => nodeProcess.state() === 'disconnected', 'the silence'));
    await until(() => nodeProcess.state() === 'connected', 'the connection');
    await until(async () => (await sessionOf(gateway))?.unreachableSince === undefined, 'the node');
    await expectWhole(machines);
  });
});
