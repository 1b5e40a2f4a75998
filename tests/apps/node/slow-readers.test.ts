/** The built program with readers that do not read: clients of the gateway, and the gateway itself. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { timeoutFor } from '../../support/budget.ts';
import { UNTIL_GO, until, untilIdle } from '../../support/patience.ts';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { invitedNode, json, type Running, startedGateway } from './machines.ts';

const MIB = 1024 * 1024;
const READERS = 5;
/** Without a bound, the gateway would keep 30 MiB for each reader, and the node 60 MiB once. */
const LINES = { gateway: 4_000_000, node: 8_000_000 };
const MOST_GROWTH = { gateway: 120 * MIB, node: 45 * MIB };

/** The most memory that a process has used. */
function peakOf({ child }: Running): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))!;
  return Number(kib) * 1024;
}

/** A session on a node that prints much when it may. */
async function printing(lines: number) {
  const { gateway, running: serving } = await startedGateway();
  const { node, running } = await invitedNode(gateway);
  const command = `${UNTIL_GO}; seq 1 ${lines}`;
  const begun = await runPincer(gateway, ['exec', '--host', 'node', '--background', '--', 'sh', '-c', command]);
  const go = (): void => writeFileSync(join(node.workspace, 'go'), '');
  return { gateway, serving, node, running, id: begun.stdout.trim(), go };
}

async function sessionsOf(machine: Home): Promise<readonly SessionInfo[]> {
  return (await json(machine, ['ps', '--all'])) as readonly SessionInfo[];
}

async function untilEnded(machine: Home, command: string): Promise<void> {
  await until(async () => {
    const session = (await sessionsOf(machine)).find((one) => one.command.includes(command));
    return session?.status === 'completed';
  }, 'the end of the command');
}

/** A client that follows the log, and its hash at the end. */
function follower(gateway: Home, id: string) {
  const args = [PROGRAM, 'logs', id, '--follow'];
  const child = spawn(process.execPath, args, { cwd: gateway.workspace, env: gateway.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const hash = createHash('sha256');
  child.stdout.on('data', (part: Buffer) => void hash.update(part));
  const closed = once(child, 'close').then(([code]) => ({ code: code as number, hash: hash.digest('hex') }));
  return { child, closed };
}

function hashOf(lines: number): string {
  const hash = createHash('sha256');
  for (let first = 1; first <= lines; first += 100_000)
    hash.update(Array.from({ length: 100_000 }, (_, at) => `${first + at}\n`).join(''));
  return hash.digest('hex');
}

describe('readers that do not read', { timeout: timeoutFor(240_000) }, () => {
  it('as clients of the gateway cost little memory, hinder no other session, and get everything later', async () => {
    const { gateway, serving, id, go } = await printing(LINES.gateway);
    const before = peakOf(serving);
    const followers = Array.from({ length: READERS }, () => follower(gateway, id));
    for (const { child } of followers) await untilIdle(child.pid!);
    for (const { child } of followers) child.kill('SIGSTOP');
    go();
    const other = await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'other']);
    expect(other).toMatchObject({ code: 0, stdout: 'other\n' });
    await untilEnded(gateway, 'seq 1');
    expect(peakOf(serving) - before).toBeLessThan(MOST_GROWTH.gateway);
    followers[0]!.child.kill('SIGCONT');
    expect(await followers[0]!.closed).toEqual({ code: 0, hash: hashOf(LINES.gateway) });
  });

  it('as a gateway cost the node little memory, and the gateway gets everything later', async () => {
    const { gateway, serving, node, running, id, go } = await printing(LINES.node);
    const before = peakOf(running);
    serving.child.kill('SIGSTOP');
    try {
      go();
      await untilEnded(node, 'seq 1');
    } finally {
      serving.child.kill('SIGCONT');
    }
    expect(peakOf(running) - before).toBeLessThan(MOST_GROWTH.node);
    await untilEnded(gateway, 'seq 1');
    expect(await follower(gateway, id).closed).toEqual({ code: 0, hash: hashOf(LINES.node) });
  });
});
