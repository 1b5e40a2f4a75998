/** Two nodes in network namespaces: their agents, the death of one, and connections that the kernel breaks. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/base/fault.ts';
import type { Client } from '../../../src/apps/client/socket.ts';
import type { SessionInfo } from '../../../src/wire/session.ts';
import { runs, TIER, timeoutFor, withSeed } from '../../support/budget.ts';
import { eventLoopTurns, PATIENCE_MS, until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { json, started } from './machines.ts';
import { whyNoNamespaces } from './namespaces.ts';
import { network, type NetworkNode, ObservedLinks } from './network.ts';

const whyNot = whyNoNamespaces();
/** After a short link a node waits twice as long as before, up to 10 s: many breaks take minutes. */
const OUTPUT_BREAKS = runs(4, 50);
const BURST_LINES = 100_000;
const REQUESTS = runs(12, 600);
const BREAKS = runs(6, 300);
const AT_ONCE = 4;
const operator = { agent: '', operator: true } as const;

async function outputOf(gateway: Home, agent: string, command: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runPincer(gateway, ['exec', '--agent', agent, '--', ...command]);
  return stdout + stderr;
}

async function background(client: Client, node: NetworkNode, command: string): Promise<string> {
  const context = { caller: { agent: node.agent }, folder: '/', environment: {} };
  const outcome = await client.call('exec.start', { request: { command, background: true }, context });
  if (!('session' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.session.id;
}

async function sessionOf(client: Client, sessionId: string): Promise<SessionInfo> {
  return client.call('session.wait', { caller: operator, sessionId, waitMs: 0 });
}

/** Waits for the end of a session, and gives the hash of its log. */
async function hashOf(client: Client, sessionId: string): Promise<string> {
  const hash = createHash('sha256');
  await client.follow({ caller: operator, sessionId }, (event) => {
    if (event.type === 'output') hash.update(event.bytes);
    else if (event.type === 'gap') hash.update(`gap of ${event.bytes} at ${event.start}`);
  });
  return hash.digest('hex');
}

describe.skipIf(whyNot !== undefined)(
  `two nodes in networks of their own${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    it('serve the agents that are bound to them, and one that dies loses its command', async () => {
      const { gateway, client, one, two } = await network();
      for (const { node, name } of [one, two]) writeFileSync(join(node.workspace, `only-${name}`), '');
      expect([
        await outputOf(gateway, 'alpha', ['uname', '-n']),
        await outputOf(gateway, 'beta', ['uname', '-n']),
        await outputOf(gateway, 'alpha', ['ls']),
        await outputOf(gateway, 'beta', ['ls']),
      ]).toEqual(['host-one\n', 'host-two\n', 'a.txt\nonly-one\n', 'a.txt\nonly-two\n']);
      const nodes = (await json(gateway, ['nodes', 'list'])) as readonly { name: string; remote: string }[];
      expect(nodes.map(({ name, remote }) => [name, remote.replace(/:\d+$/u, '')])).toEqual([
        ['one', one.cable.addresses[1]],
        ['two', two.cable.addresses[1]],
      ]);
      const session = await background(client, two, 'sleep 600');
      await two.running.end('SIGKILL');
      const found = (): Promise<SessionInfo> => sessionOf(client, session);
      await until(async () => (await found()).unreachableSince !== undefined, 'the broken connection');
      expect(await found()).toMatchObject({ status: 'running', node: { name: 'two' } });
      const again = started(two.node, ['node', 'run'], two.namespace.prefix);
      await until(() => again.state() === 'connected', 'the connection');
      await until(async () => (await found()).status !== 'running', 'the end of the session');
      expect(await found()).toMatchObject({ status: 'failed', failure: 'lost' });
      expect(await outputOf(gateway, 'alpha', ['uname', '-n'])).toBe('host-one\n');
    });

    it(
      `deliver the whole output over a connection that breaks ${OUTPUT_BREAKS} times meanwhile`,
      withSeed(async (random) => {
        const { client, two } = await network();
        const links = new ObservedLinks(client, two);
        // Each burst waits for its file, so that the output lasts as long as the breaks. Each line differs.
        const burst = `until [ -e burst-$i ]; do sleep 0.02; done; seq $((i*${BURST_LINES})) $((i*${BURST_LINES}+${BURST_LINES - 1}))`;
        const session = await background(client, two, `for i in $(seq 1 ${OUTPUT_BREAKS}); do ${burst}; done`);
        const expected = createHash('sha256');
        for (let i = 1; i <= OUTPUT_BREAKS; i++) {
          const before = (await sessionOf(client, session)).bytes;
          writeFileSync(join(two.node.workspace, `burst-${i}`), '');
          const lines = Array.from({ length: BURST_LINES }, (_, at) => `${i * BURST_LINES + at}\n`);
          expected.update(lines.join(''));
          await until(async () => (await sessionOf(client, session)).bytes > before, `burst ${i}`);
          await eventLoopTurns(Math.floor(random() * 200));
          await links.break();
        }
        expect(await hashOf(client, session)).toBe(expected.digest('hex'));
        expect(await sessionOf(client, session)).toMatchObject({ exitCode: 0, truncated: false });
        expect(links.count).toBe(OUTPUT_BREAKS + 1);
      }),
      timeoutFor(120_000),
    );

    it(
      `run each of ${REQUESTS} requests once while their connections break ${BREAKS} times`,
      withSeed(async (random) => {
        const { client, one, two } = await network();
        const both = await Promise.all(
          [one, two].map(async (node) => {
            const links = new ObservedLinks(client, node);
            const counts = { broken: 0, next: 0, sending: 0, waiting: 0 };
            const [requests, breaks] = [REQUESTS / 2, BREAKS / 2];
            const send = async (): Promise<void> => {
              for (let number = counts.next++; number < requests; number = counts.next++) {
                const context = { caller: { agent: node.agent }, folder: '/', environment: {} };
                const request = { command: `printf x >> mark-${number}; echo ${number}` };
                // The requests last as long as the breaks.
                counts.waiting++;
                await until(() => counts.broken >= (number / requests) * breaks - 2, 'a break', RECONNECT_LIMIT_MS);
                counts.waiting--;
                for (let hasRun = false; !hasRun; ) {
                  await until(() => links.isConnected(), 'the node', RECONNECT_LIMIT_MS);
                  counts.sending++;
                  const outcome = await client
                    .call('exec.start', { request, context })
                    .catch((error: unknown) => error as Fault);
                  counts.sending--;
                  if (!('code' in outcome)) {
                    const { id } = 'session' in outcome ? outcome.session : { id: JSON.stringify(outcome) };
                    expect(await endOf(client, id)).toMatchObject({ exitCode: 0, tail: `${number}\n` });
                    hasRun = true;
                  } else if (outcome.code === 'NODE_OUTCOME_UNKNOWN') {
                    // Five links of the request broke.
                    hasRun = await reportedRun(client, String(outcome.details?.['key']));
                  } else expect(outcome.code).toMatch(/^NODE_(?:OFFLINE|NOT_DISPATCHED)$/u);
                }
              }
            };
            const breakAll = async (): Promise<void> => {
              for (; counts.broken < breaks; counts.broken++) {
                const isUnderWay = (): boolean => counts.sending > 0 || counts.waiting > 0 || counts.next > requests;
                await until(isUnderWay, 'a request', RECONNECT_LIMIT_MS);
                for (let calls = Math.floor(random() * 60); calls > 0; calls--) await links.isConnected();
                await links.break();
              }
            };
            await Promise.all([...Array.from({ length: AT_ONCE }, send), breakAll()]);
            const times = Array.from({ length: requests }, (_, at) => timesRun(node, `mark-${at}`));
            return { others: times.filter((count) => count !== 1), links: links.count };
          }),
        );
        const counted = { others: [], links: BREAKS / 2 + 1 };
        expect(both).toEqual([counted, counted]);
      }),
      timeoutFor(120_000),
    );

    it.runIf(TIER === 'deep')('find a cable that is unplugged, and continue when it is plugged in again', async () => {
      const { client, two } = await network();
      const session = await background(
        client,
        two,
        'i=0; until [ -e stop ]; do i=$((i+1)); echo $i; sleep 0.05; done; echo $i > last',
      );
      await until(async () => (await sessionOf(client, session)).bytes > 100, 'the output');
      two.cable.unplug();
      await until(async () => (await sessionOf(client, session)).unreachableSince !== undefined, 'the silence');
      two.cable.plugIn();
      await until(
        async () => (await sessionOf(client, session)).unreachableSince === undefined,
        'the link',
        RECONNECT_LIMIT_MS,
      );
      writeFileSync(join(two.node.workspace, 'stop'), '');
      const hash = await hashOf(client, session);
      const last = Number(readFileSync(join(two.node.workspace, 'last'), 'utf8'));
      const lines = Array.from({ length: last }, (_, at) => `${at + 1}\n`).join('');
      expect(hash).toBe(createHash('sha256').update(lines).digest('hex'));
    });
  },
);

async function endOf(client: Client, sessionId: string): Promise<SessionInfo> {
  return client.call('session.wait', { caller: operator, sessionId, waitMs: RECONNECT_LIMIT_MS });
}

/** What the gateway reports about a request whose outcome was unknown, once its node is connected: whether it ran. */
async function reportedRun(client: Client, key: string): Promise<boolean> {
  let text: string | undefined;
  await until(
    async () => {
      const notices = await client.call('notice.list', {});
      text = notices.map((notice) => notice.text).find((one) => one.includes(`key=${key}`));
      return text !== undefined;
    },
    `the outcome of ${key}`,
    RECONNECT_LIMIT_MS,
  );
  expect(text).toMatch(/^Exec (?:started|never ran) /u);
  return text!.startsWith('Exec started ');
}

/** Reconnects take up to 10 s each, and several can follow each other. */
const RECONNECT_LIMIT_MS = 3 * PATIENCE_MS;

function timesRun({ node }: NetworkNode, mark: string): number {
  const file = join(node.workspace, mark);
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
}
