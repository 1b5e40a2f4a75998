/** The built program at work: two gateways and a node on three NATS servers. A gateway dies, or the server that leads does. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { runs, timeoutFor } from '../../support/budget.ts';
import { leaderOf, type NatsCluster, natsCluster } from '../../support/nats-cluster.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { gatewayIn, json, RUNS_ALL } from './machines.ts';
import { natsGateway, type NatsGatewayHome, natsNode } from './nats-homes.ts';

/** A dead gateway has 15 seconds to return. */
const TAKEOVER_MS = 90_000;
const STREAM_MS = 300_000;

interface Fleet {
  readonly cluster: NatsCluster;
  readonly a: NatsGatewayHome;
  readonly b: NatsGatewayHome;
  readonly node: Home;
}

async function fleet(config: object): Promise<Fleet> {
  const cluster = await natsCluster(3);
  const a = await natsGateway(cluster);
  const b = await natsGateway(cluster, {}, [], cluster.files.otherCreds);
  const { node } = await natsNode(a.gateway, config);
  const isListed = async (): Promise<boolean> =>
    ((await json(b.gateway, ['nodes', 'list'])) as readonly { connected: boolean }[])[0]?.connected === true;
  await until(isListed, 'the node at the other gateway');
  return { cluster, a, b, node };
}

async function sessions(gateway: Home): Promise<readonly SessionInfo[]> {
  return (await json(gateway, ['ps', '--all'])) as readonly SessionInfo[];
}

async function notices(gateway: Home): Promise<readonly Notice[]> {
  const { stdout } = await runPincer(gateway, ['events', '--json']);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Notice]));
}

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const printing = (count: number, pause: string): string =>
  `i=0; while [ $i -lt ${count} ]; do echo line $i; i=$((i+1)); sleep ${pause}; done`;

it(
  'continues the session of a killed gateway at another one, with all of its output, and reports its end once',
  async () => {
    const { a, b, node } = await fleet(RUNS_ALL);
    const command = `touch begun; ${printing(150, '0.2')}`;
    await runPincer(a.gateway, ['exec', '--host', 'node', '--background', '--', 'sh', '-c', command]);
    await until(() => existsSync(join(node.workspace, 'begun')), 'the command');
    const [started] = await sessions(a.gateway);
    await a.running.end('SIGKILL');
    await until(async () => (await sessions(b.gateway)).length === 1, 'the session at the other gateway', TAKEOVER_MS);
    expect(await sessions(b.gateway)).toMatchObject([{ id: started!.id, status: 'running', node: { name: 'n' } }]);
    const isReported = async (): Promise<boolean> =>
      (await notices(b.gateway)).some(({ kind }) => kind === 'exec-exit');
    await until(isReported, 'the notice', TAKEOVER_MS);
    const { stdout } = await runPincer(b.gateway, ['logs', started!.id]);
    expect(hash(stdout)).toBe(hash(lines(150)));
    // The first gateway is back: it ends its copy of the session, and reports nothing.
    const again = await gatewayIn(a.gateway);
    const ended = async (): Promise<boolean> => (await sessions(a.gateway))[0]?.status === 'failed';
    await until(ended, `the end of the copy: ${again.stderr()}`, TAKEOVER_MS);
    expect((await sessions(a.gateway))[0]).toMatchObject({
      failure: 'lost',
      failureNote: expect.stringContaining('continued by gateway'),
    });
    const ends = [...(await notices(a.gateway)), ...(await notices(b.gateway))].filter(({ kind }) =>
      kind.startsWith('exec-'),
    );
    expect(ends.map(({ kind }) => kind)).toEqual(['exec-exit']);
  },
  timeoutFor(STREAM_MS),
);

const LINES = 60;

/** A command that needs approval, says that it runs, and prints. */
const asking = (name: string): string => `echo run >> ${name}; ${printing(LINES, '0.05')}`;

/** Asks until the node has the question: a request that was not sent may be repeated. */
async function ask(gateway: Home, name: string): Promise<void> {
  await until(async () => {
    const { code, stderr } = await runPincer(gateway, ['exec', '--host', 'node', '--', 'sh', '-c', asking(name)]);
    return code === 4 || stderr.includes('NODE_OUTCOME_UNKNOWN');
  }, `the question ${name}`);
}

/** Answers as a person does who repeats what failed. */
async function allow({ b, node }: Fleet, name: string): Promise<void> {
  await until(
    async () => {
      const { stdout } = await runPincer(b.gateway, ['approvals', 'list', '--json']);
      const { approvals = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as { approvals?: readonly ApprovalInfo[] };
      const found = approvals.find(({ binding }) => binding.command.includes(`>> ${name};`));
      if (found !== undefined) await runPincer(b.gateway, ['approvals', 'allow', found.id]);
      return existsSync(join(node.workspace, name));
    },
    `the run of ${name}`,
    TAKEOVER_MS,
  );
}

/** What became of the questions: how often each ran, how often its end was reported, and whether a log is whole. */
async function counts({ a, b, node }: Fleet, names: readonly string[]) {
  const all = [...(await notices(a.gateway)), ...(await notices(b.gateway))];
  const known = [...(await sessions(a.gateway)), ...(await sessions(b.gateway))];
  const logs = await Promise.all(
    known
      .filter(({ status }) => status === 'completed')
      .map(async (session) => {
        const at = (await sessions(a.gateway)).includes(session) ? a : b;
        const other = at === a ? b : a;
        const own = await runPincer(at.gateway, ['logs', session.id]);
        const { stdout } = own.code === 0 ? own : await runPincer(other.gateway, ['logs', session.id]);
        return { command: session.command, isWhole: hash(stdout) === hash(lines(LINES)) };
      }),
  );
  const of = (name: string): { readonly ran: number; readonly told: number; readonly whole: number } => ({
    ran: existsSync(join(node.workspace, name))
      ? readFileSync(join(node.workspace, name), 'utf8').split('\n').length - 1
      : 0,
    told: all.filter(({ kind, sessionId }) => {
      const session = known.find(({ id, command }) => id === sessionId && command.includes(`>> ${name};`));
      return session !== undefined && (kind === 'exec-finished' || kind === 'exec-exit');
    }).length,
    whole: logs.filter(({ command, isWhole }) => isWhole && command.includes(`>> ${name};`)).length,
  });
  const found = names.map(of);
  const count = (holds: (each: (typeof found)[number]) => boolean): number => found.filter(holds).length;
  return {
    asked: names.length,
    lost: count(({ ran, told, whole }) => ran === 0 || told === 0 || whole === 0),
    doubled: count(({ ran, told, whole }) => ran > 1 || told > 1 || whole > 1),
  };
}

/** Asks at one gateway, answers at the other, and lets something die in the middle. */
async function stream(machines: Fleet, dies: () => Promise<unknown>): Promise<readonly string[]> {
  const names = Array.from({ length: runs(8, 60) }, (_, i) => `ran-${i}`);
  const answers: Promise<void>[] = [];
  for (const [i, name] of names.entries()) {
    await ask(machines.a.gateway, name);
    answers.push(allow(machines, name));
    if (i === Math.floor(names.length / 2)) await dies();
  }
  await Promise.all(answers);
  return names;
}

const isTold = async (machines: Fleet, names: readonly string[]): Promise<boolean> =>
  (await counts(machines, names)).lost === 0;

it(
  'loses and doubles nothing when the leader of the servers is killed in a stream of approvals and output',
  async () => {
    const machines = await fleet({});
    const names = await stream(machines, async () =>
      machines.cluster.kill(await leaderOf(machines.cluster, 'pin_requests')),
    );
    await until(() => isTold(machines, names), 'all reports', TAKEOVER_MS).catch(() => undefined); // the counts say it
    const found = await counts(machines, names);
    console.log(`leader killed: ${JSON.stringify(found)}`);
    expect(found).toEqual({ asked: names.length, lost: 0, doubled: 0 });
  },
  timeoutFor(STREAM_MS),
);
