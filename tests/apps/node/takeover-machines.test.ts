/** The built program at work: two gateways and a node on three NATS servers. A gateway dies, or the server that leads does. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

interface Found {
  readonly command: string;
  readonly isTold: boolean;
  readonly isWhole: boolean;
}

/** The sessions of a gateway: whether it reported the end, and whether the log is whole. */
async function found({ gateway }: NatsGatewayHome): Promise<readonly Found[]> {
  const told = (await notices(gateway)).filter(({ kind }) => kind === 'exec-finished' || kind === 'exec-exit');
  const all = await sessions(gateway);
  return Promise.all(
    all.map(async ({ id, command }) => {
      const ends = told.filter(({ sessionId }) => sessionId === id);
      const { stdout } = await runPincer(gateway, ['logs', id]);
      if (ends.length > 1) throw new Error(`${id} was reported ${ends.length} times`);
      return { command, isTold: ends.length === 1, isWhole: hash(stdout) === hash(lines(LINES)) };
    }),
  );
}

/** Each question ran once, its end was reported once, and the gateway that reported it has its whole output. */
async function counts({ a, b, node }: Fleet, names: readonly string[]) {
  const all = [...(await found(a)), ...(await found(b))].filter(({ isTold }) => isTold);
  const each = names.map((name) => {
    const file = join(node.workspace, name);
    const told = all.filter(({ command }) => command.includes(`>> ${name};`));
    const ran = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    return { ran, told: told.length, whole: told.filter(({ isWhole }) => isWhole).length };
  });
  return {
    asked: names.length,
    lost: each.filter(({ ran, told, whole }) => ran === 0 || told === 0 || whole < told).length,
    doubled: each.filter(({ ran, told }) => ran > 1 || told > 1).length,
  };
}

async function expectAll(machines: Fleet, names: readonly string[]): Promise<void> {
  const isComplete = async (): Promise<boolean> => (await counts(machines, names)).lost === 0;
  await until(isComplete, 'all reports', TAKEOVER_MS).catch(() => undefined); // the counts say what is missing
  expect(await counts(machines, names)).toEqual({ asked: names.length, lost: 0, doubled: 0 });
}

/** Asks at one gateway, answers at the other, and lets something die in the middle. Returns the names of the questions. */
async function stream(machines: Fleet, dies: () => Promise<Home>): Promise<readonly string[]> {
  const names = Array.from({ length: runs(8, 60) }, (_, i) => `ran-${i}`);
  const answers: Promise<void>[] = [];
  let at = machines.a.gateway;
  for (const [i, name] of names.entries()) {
    await ask(at, name);
    answers.push(allow(machines, name));
    if (i === Math.floor(names.length / 2)) at = await dies();
  }
  await Promise.all(answers);
  return names;
}

it(
  'loses and doubles nothing when the leader of the servers is killed in a stream of approvals and output',
  async () => {
    const machines = await fleet({});
    const { cluster, a } = machines;
    const names = await stream(machines, async () => {
      await cluster.kill(await leaderOf(cluster, 'pin_requests'));
      return a.gateway;
    });
    await expectAll(machines, names);
  },
  timeoutFor(STREAM_MS),
);

it(
  'loses and doubles nothing when a gateway is killed in a stream of approvals and output',
  async () => {
    const machines = await fleet({});
    const { a, b } = machines;
    const names = await stream(machines, async () => {
      await a.running.end('SIGKILL');
      return b.gateway;
    });
    const untold = async (): Promise<number> => (await found(b)).filter(({ isTold }) => !isTold).length;
    await until(async () => (await untold()) === 0, 'the reports of the other gateway', TAKEOVER_MS);
    await gatewayIn(a.gateway);
    await expectAll(machines, names);
  },
  timeoutFor(STREAM_MS),
);

it(
  'reports nothing at a gateway that was stopped for longer than its lease',
  async () => {
    const { a, b, node } = await fleet(RUNS_ALL);
    const command = `touch begun; while [ ! -e go ]; do sleep 0.1; done; echo over`;
    await runPincer(a.gateway, ['exec', '--host', 'node', '--background', '--', 'sh', '-c', command]);
    await until(() => existsSync(join(node.workspace, 'begun')), 'the command');
    a.running.child.kill('SIGSTOP');
    await until(async () => (await sessions(b.gateway)).length === 1, 'the session at the other gateway', TAKEOVER_MS);
    writeFileSync(join(node.workspace, 'go'), '');
    a.running.child.kill('SIGCONT');
    const ends = async ({ gateway }: NatsGatewayHome): Promise<readonly string[]> =>
      (await notices(gateway)).map(({ kind }) => kind).filter((kind) => kind.startsWith('exec-'));
    await until(async () => (await ends(b)).length > 0, 'the notice', TAKEOVER_MS);
    const status = async (): Promise<string | undefined> => (await sessions(a.gateway))[0]?.status;
    await until(async () => (await status()) !== 'running', 'the end of the copy', TAKEOVER_MS);
    expect([await ends(a), await ends(b)]).toEqual([[], ['exec-exit']]);
  },
  timeoutFor(STREAM_MS),
);
