import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { closeNats, connectNats } from '../../../../src/hosts/channel/carriers/nats-connect.ts';
import { Fault } from '../../../../src/base/fault.ts';
import { type Identity, newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { gatewayUser, readNatsCredentials } from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { createSharedInbox, type GivenAnswer, type SharedInbox } from '../../../../src/hosts/nodes/fleet/inbox.ts';
import type { ApprovalInfo, ResolveAnswer } from '../../../../src/wire/approval.ts';
import { leaderOf, type NatsCluster, natsCluster } from '../../../support/nats-cluster.ts';
import { until } from '../../../support/patience.ts';

interface TestGateway {
  readonly id: string;
  readonly inbox: SharedInbox;
  ask(asked?: ApprovalInfo): ApprovalInfo;
  /** Ends its connection, as a stop does. */
  stop(): Promise<void>;
  /** How often each request was answered, and by whom. */
  readonly carriedOut: Map<string, string[]>;
  /** The limits of the answers. */
  readonly narrowed: Map<string, GivenAnswer['narrow']>;
  /** Thrown for each answer. */
  fault?: Fault | undefined;
}

function request(): ApprovalInfo {
  const id = randomUUID();
  return {
    id,
    slug: id.slice(0, 8),
    state: 'pending',
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
    binding: {
      agent: 'main',
      host: 'gateway',
      command: 'make',
      cwd: '/w',
      cwdIdentity: '1:1',
      env: {},
      pty: false,
      programs: [],
      files: [],
    },
    judgement: { verdict: 'ask', code: 'not-listed', reason: 'not on the allowlist', stages: [] },
    wouldStore: [],
  };
}

/** A gateway with a store in memory: the first answer counts. It connects again as the real one does. */
function gatewayOn(cluster: NatsCluster, identity: Identity = newIdentity()): TestGateway {
  const open = new Map<string, ApprovalInfo>();
  const done = new Map<string, ApprovalInfo>();
  const carriedOut = new Map<string, string[]>();
  const narrowed = new Map<string, GivenAnswer['narrow']>();
  const inbox = createSharedInbox({
    gateway: identity.id,
    replicas: cluster.servers.includes(',') ? 3 : 1,
    pending: async () => [...open.values()],
    resolve: async (id, answer: GivenAnswer): Promise<ResolveAnswer> => {
      if (made.fault !== undefined) throw made.fault;
      if (answer.decision === 'allow-always') return { ok: false, reason: 'not-storable', message: 'allow it once' };
      const first = done.get(id);
      if (first !== undefined) return { ok: false, reason: 'already-resolved', message: 'late', approval: first };
      const asked = open.get(id)!;
      if (answer.digest !== undefined && answer.digest !== asked.digest)
        return { ok: false, reason: 'changed', message: 'not what was shown', approval: asked };
      if (answer.narrow !== undefined) narrowed.set(id, answer.narrow);
      const approval = {
        ...asked,
        state: 'allowed' as const,
        resolvedBy: answer.by,
        decision: answer.decision,
      };
      open.delete(id);
      done.set(id, approval);
      carriedOut.set(id, [...(carriedOut.get(id) ?? []), answer.by]);
      return { ok: true, approval, stored: [] };
    },
    log: () => undefined,
  });
  const servers = cluster.servers.split(',');
  const credentials = readNatsCredentials(cluster.files.otherCreds);
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      const user = gatewayUser(credentials, identity, Date.now());
      const nats = await connectNats({ servers, user, name: 'gateway' }).catch(() => undefined);
      if (nats === undefined) continue;
      const shared = inbox.connected(nats);
      await until(() => isOver || nats.isClosed(), 'the end of a connection', 600_000);
      await closeNats(nats);
      await shared;
    }
  })();
  const stop = async (): Promise<void> => {
    isOver = true;
    await inbox.close();
    await ended;
  };
  onTestFinished(stop);
  const made: TestGateway = {
    id: identity.id,
    inbox,
    carriedOut,
    narrowed,
    stop,
    ask(asked = request()) {
      open.set(asked.id, asked);
      return asked;
    },
  };
  return made;
}

const seen = (gateway: TestGateway, count: number): Promise<void> =>
  until(() => gateway.inbox.remote().length >= count, `${count} requests of other gateways`);

it('lets a person at another gateway answer a request', async () => {
  const cluster = await natsCluster();
  const [one, two] = [gatewayOn(cluster), gatewayOn(cluster)];
  const asked = one.ask();
  await seen(two, 1);
  expect(two.inbox.remote()).toEqual([asked]);
  expect(one.inbox.remote()).toEqual([]);
  const answer = await two.inbox.answer(asked, { decision: 'allow-once', by: 'ann' });
  expect(answer).toMatchObject({ ok: true, approval: { id: asked.id, resolvedBy: `ann at ${two.id}` } });
  expect(one.carriedOut.get(asked.id)).toEqual([`ann at ${two.id}`]);
  await until(() => two.inbox.remote().length === 0, 'the request to be gone');
  expect(await two.inbox.answer({ id: 'no-such-id' }, { decision: 'deny', by: 'ann' })).toBeUndefined();
});

it('carries out one of several answers, and tells the others who was first', async () => {
  const cluster = await natsCluster();
  const [owner, ...others] = [gatewayOn(cluster), gatewayOn(cluster), gatewayOn(cluster), gatewayOn(cluster)];
  const asked = Array.from({ length: 20 }, () => owner.ask());
  for (const other of others) await seen(other, asked.length);
  const answers = await Promise.all(
    asked.flatMap((one) => others.map((other, i) => other.inbox.answer(one, { decision: 'deny', by: `p${i}` }))),
  );
  expect(answers.filter((answer) => answer?.ok === true)).toHaveLength(asked.length);
  expect([...owner.carriedOut.values()].filter((all) => all.length !== 1)).toEqual([]);
  const late = answers.filter((answer) => answer?.ok === false);
  expect(new Set(late.map((answer) => !answer?.ok && answer.reason))).toEqual(new Set(['already-resolved']));
});

it('refuses an answer that cannot be carried out now, and the request stays open', async () => {
  const cluster = await natsCluster();
  const [one, two] = [gatewayOn(cluster), gatewayOn(cluster)];
  const asked = one.ask();
  await seen(two, 1);
  one.fault = new Fault('NODE_OFFLINE', 'node mac is not connected', { hint: 'answer it there' });
  await expect(two.inbox.answer(asked, { decision: 'allow-once', by: 'ann' })).rejects.toMatchObject({
    code: 'NODE_OFFLINE',
    message: 'node mac is not connected',
    hint: 'answer it there',
  });
  expect(two.inbox.remote()).toEqual([asked]);
  one.fault = undefined;
  expect(await two.inbox.answer(asked, { decision: 'allow-always', by: 'ann' })).toMatchObject({
    reason: 'not-storable',
  });
  expect(two.inbox.remote()).toEqual([asked]);
  expect(await two.inbox.answer(asked, { decision: 'deny', by: 'bob' })).toMatchObject({ ok: true });
  expect(one.carriedOut.get(asked.id)).toEqual([`bob at ${two.id}`]);
});

it('carries the digest and the limits of an answer, and shares what has changed since', async () => {
  const cluster = await natsCluster();
  const [one, two] = [gatewayOn(cluster), gatewayOn(cluster)];
  const asked = one.ask({ ...request(), digest: 'a'.repeat(64) });
  await seen(two, 1);
  const given = { decision: 'deny', by: 'ann', narrow: { reason: 'today' } } as const;
  expect(await two.inbox.answer(asked, { ...given, digest: 'b'.repeat(64) })).toMatchObject({
    ok: false,
    reason: 'changed',
    approval: asked,
  });
  const changed = one.ask({ ...asked, digest: 'c'.repeat(64), expiresAt: asked.expiresAt + 3_600_000 });
  await until(() => two.inbox.remote()[0]?.digest === changed.digest, 'the new digest at the other gateway');
  expect(two.inbox.remote()).toEqual([changed]);
  expect(await two.inbox.answer(asked, { ...given, digest: 'a'.repeat(64) })).toMatchObject({ reason: 'changed' });
  expect(await two.inbox.answer(asked, { ...given, digest: changed.digest! })).toMatchObject({ ok: true });
  expect(one.narrowed.get(asked.id)).toEqual({ reason: 'today' });
});

it('withdraws an answer that the gateway of the request does not carry out', async () => {
  const cluster = await natsCluster();
  const identity = newIdentity();
  const [one, two] = [gatewayOn(cluster, identity), gatewayOn(cluster)];
  const asked = one.ask();
  await seen(two, 1);
  await one.stop();
  await expect(two.inbox.answer(asked, { decision: 'allow-once', by: 'ann' })).rejects.toMatchObject({
    message: 'the gateway that has the request did not confirm the answer, which is withdrawn',
  });
  expect(two.inbox.remote()).toEqual([asked]);
  const back = gatewayOn(cluster, identity);
  back.ask(asked);
  await until(async () => {
    const answer = await two.inbox.answer(asked, { decision: 'deny', by: 'bob' }).catch(() => undefined);
    return answer?.ok === true;
  }, 'an answer that the gateway sees come');
  expect(back.carriedOut.get(asked.id)).toEqual([`bob at ${two.id}`]);
});

it('refuses an answer that was stored while the gateway of the request was off', async () => {
  const cluster = await natsCluster();
  const identity = newIdentity();
  const [one, two] = [gatewayOn(cluster, identity), gatewayOn(cluster)];
  const asked = one.ask();
  await seen(two, 1);
  await one.stop();
  // The person is gone, too.
  const left = new AbortController();
  const given = two.inbox.answer(asked, { decision: 'allow-once', by: 'ann' }, left.signal);
  const isOver = expect(given).rejects.toMatchObject({ name: 'AbortError' });
  await until(() => two.inbox.remote().length === 0, 'the stored answer');
  left.abort();
  await isOver;
  const back = gatewayOn(cluster, identity);
  back.ask(asked);
  await seen(two, 1);
  expect(back.carriedOut.size).toBe(0);
  expect(await two.inbox.answer(asked, { decision: 'deny', by: 'bob' })).toMatchObject({ ok: true });
});

it('sends an answer to the gateway that continues for another one', async () => {
  const cluster = await natsCluster();
  const [dead, one, two] = [gatewayOn(cluster), gatewayOn(cluster), gatewayOn(cluster)];
  const asked = dead.ask();
  await seen(two, 1);
  await dead.stop();
  one.ask({ ...asked, createdAt: asked.createdAt + 1 });
  await seen(two, 2);
  expect(await two.inbox.answer(asked, { decision: 'deny', by: 'ann' })).toMatchObject({ ok: true });
  expect(one.carriedOut.get(asked.id)).toEqual([`ann at ${two.id}`]);
});

it('loses and doubles no answer when the leader of a cluster is killed in a stream of requests', async () => {
  const cluster = await natsCluster(3);
  const [owner, two, three] = [gatewayOn(cluster), gatewayOn(cluster), gatewayOn(cluster)];
  const asked: string[] = [];
  const given: Promise<string | undefined>[] = [];
  for (let round = 0; round < 3; round++) {
    const fresh = Array.from({ length: 10 }, () => owner.ask().id);
    asked.push(...fresh);
    const killed = round === 1 ? cluster.kill(await leaderOf(cluster, 'pin_approvals')) : undefined;
    for (const gateway of [two, three]) for (const id of fresh) given.push(answered(gateway, id));
    await killed;
    await Promise.all(given);
  }
  const won = (await Promise.all(given)).filter((id) => id !== undefined);
  const doubled = [...owner.carriedOut.values()].filter((all) => all.length > 1);
  const lost = asked.filter((id) => !owner.carriedOut.has(id));
  // A winner whose confirmation was lost may not hear that it won, but two gateways never both hear it.
  const wonTwice = won.filter((id, i) => won.indexOf(id) !== i);
  expect({ lost, doubled, wonTwice }).toEqual({ lost: [], doubled: [], wonTwice: [] });
}, 150_000);

/** The request, if this gateway answered it first. A person repeats an answer that was not confirmed, and may then be told so. */
async function answered(gateway: TestGateway, id: string): Promise<string | undefined> {
  for (;;) {
    try {
      let answer: ResolveAnswer | undefined;
      await until(async () => {
        answer = await gateway.inbox.answer({ id }, { decision: 'allow-once', by: gateway.id });
        return answer !== undefined;
      }, 'the request');
      const isFirst = answer?.ok === true || answer?.approval?.resolvedBy === `${gateway.id} at ${gateway.id}`;
      return isFirst ? id : undefined;
    } catch (error) {
      expect(error).toMatchObject({ code: 'NODE_FLEET_UNAVAILABLE' });
    }
  }
}

it('refuses answers without most of the servers', async () => {
  const cluster = await natsCluster(3);
  const [one, two] = [gatewayOn(cluster), gatewayOn(cluster)];
  const asked = one.ask();
  await seen(two, 1);
  await cluster.kill(0);
  await cluster.kill(1);
  await expect(two.inbox.answer(asked, { decision: 'deny', by: 'ann' })).rejects.toMatchObject({
    code: 'NODE_FLEET_UNAVAILABLE',
  });
  expect(one.carriedOut.size).toBe(0);
});
