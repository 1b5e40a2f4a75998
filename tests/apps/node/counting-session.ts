/** A command that counts on a node, and what the gateway knows of it. The built program. */
import { expect } from 'vitest';
import type { AuditEntry } from '../../../src/wire/approval.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { invitedNode, json, keepAddress, type Running, startedGateway } from './machines.ts';

/** Prints numbered lines until the file `stop` is there, and writes their number to `count`. */
const COUNTS =
  'echo $$ > pid; i=0; until [ -e stop ]; do i=$((i+1)); echo line $i; sleep 0.02; done; echo $i > count; exit 5';

export interface Counting {
  readonly gateway: Home;
  readonly gatewayProcess: Running;
  readonly node: Home;
  readonly nodeProcess: Running;
  /** The session at the gateway. */
  readonly id: string;
}

/** A gateway and a node, on which such a command runs. */
export async function counting(): Promise<Counting> {
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

export async function sessionOf(gateway: Home): Promise<SessionInfo | undefined> {
  const all = (await json(gateway, ['ps', '--all'])) as readonly SessionInfo[];
  return all.find(({ command }) => command.includes('echo line'));
}

export async function endedSession(gateway: Home): Promise<SessionInfo> {
  await until(async () => (await sessionOf(gateway))?.status !== 'running', 'the end of the session');
  return (await sessionOf(gateway))!;
}

export async function linesOf(gateway: Home, id: string): Promise<readonly string[]> {
  const { stdout } = await runPincer(gateway, ['logs', id]);
  return stdout.split('\n').filter((line) => line.startsWith('line '));
}

/** Events of the audit log, and notices, of one session. */
export async function reports(gateway: Home, id: string): Promise<readonly string[]> {
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

export function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}`);
}
