/**
 * The shared inbox: approval requests of all gateways, and answers from any of them. Compare-and-swap lets one answer through;
 * the gateway that has the request carries it out, and its own store makes that happen once.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { ApprovalInfo, Decision, ResolveAnswer } from '../../../wire/approval.ts';
import {
  LONGEST_BY,
  LONGEST_REASON,
  type SharedAnswer,
  type SharedQuestion,
  sharedQuestion,
} from '../../../wire/nodes/fleet.ts';
import { check } from '../../../wire/schema.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { type Bucket, type Entry, unavailable } from './bucket.ts';
import { SharedBucket } from './shared-bucket.ts';

export interface InboxParts {
  /** The id of this gateway. */
  readonly gateway: string;
  readonly replicas: 1 | 3;
  /** The open requests of this gateway and its nodes. */
  readonly pending: () => Promise<readonly ApprovalInfo[]>;
  readonly resolve: (id: string, answer: GivenAnswer) => Promise<ResolveAnswer>;
  readonly log: (text: string) => void;
}

interface Shared extends Entry {
  readonly key: string;
  readonly question: SharedQuestion;
}

export interface GivenAnswer {
  readonly decision: Decision;
  readonly by: string;
  readonly reason?: string;
}

export interface SharedInbox {
  /** Shares requests until the connection ends. */
  connected(nats: NatsConnection): Promise<void>;
  /** The open requests of other gateways. */
  remote(): readonly ApprovalInfo[];
  /** Answers a request of another gateway, named by its id or the first eight characters. Undefined: there is none. */
  answer(id: string, answer: GivenAnswer, signal?: AbortSignal): Promise<ResolveAnswer | undefined>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** Approval requests wait for 30 days at most. */
const KEEP_MS = 31 * DAY_MS;
const TICK_MS = 1_000;
const ANSWER_MS = 15_000;
const RESULT_MS = 15_000;
const KEEP_RESULT_MS = 60_000;
/** A server accepts 1 MiB by default. */
const LONGEST = 512 * 1024;

export function createSharedInbox(parts: InboxParts): SharedInbox {
  const { gateway, replicas, log } = parts;
  const shared = new SharedBucket({
    name: 'pin_approvals',
    ttlMs: KEEP_MS,
    replicas,
    pass,
    everyMs: TICK_MS,
    title: 'shared inbox',
    log,
  });
  const settledAt = new Map<string, number>();
  const checked = new WeakMap<Entry, SharedQuestion | undefined>();

  function questions(): readonly Shared[] {
    return [...(shared.last?.entries() ?? [])].flatMap(([key, entry]) => {
      const question = questionOf(key, entry);
      return question === undefined ? [] : [{ ...entry, key, question }];
    });
  }

  /** Each value is checked once; a malformed one is of no use to anybody. */
  function questionOf(key: string, entry: Entry): SharedQuestion | undefined {
    if (!checked.has(entry)) checked.set(entry, checkedQuestion(entry.value, key, log));
    return checked.get(entry);
  }

  /** What has happened here is written there, and the answers from there are carried out here. */
  async function pass(current: Bucket): Promise<void> {
    const pending = new Map((await parts.pending()).map((approval) => [keyOf(gateway, approval.id), approval]));
    const own = questions().filter(({ key }) => key.startsWith(`${gateway}.`));
    const known = new Set(own.map(({ key }) => key));
    const malformed = [...current.entries()].filter(([key]) => key.startsWith(`${gateway}.`) && !known.has(key));
    // At once: each of them may wait for the election of a leader.
    await Promise.all([
      ...[...pending].flatMap(([key, approval]) =>
        current.entries().has(key) ? [] : [publish(current, key, approval)],
      ),
      ...own.map((each) => settle(current, each, pending.has(each.key))),
      ...malformed.map(([key, { revision }]) => current.remove(key, revision)), // the next pass writes it anew
    ]);
  }

  async function settle(current: Bucket, { key, revision, question }: Shared, isPending: boolean): Promise<void> {
    const { answer, result } = question;
    if (answer === undefined) {
      if (!isPending) await current.remove(key, revision); // answered here, or expired
    } else if (result === undefined) await carryOut(current, key, revision, question, answer);
    else if (isOld(key)) await current.remove(key, revision);
  }

  async function publish(current: Bucket, key: string, approval: ApprovalInfo): Promise<void> {
    const text = JSON.stringify({ gateway, approval } satisfies SharedQuestion);
    if (Buffer.byteLength(text) > LONGEST) return; // it is answered at this gateway
    const created = await current.create(key, text);
    // An earlier life of this gateway may have written it: the next pass sees it.
    if (created === 'conflict') await current.get(key);
  }

  async function carryOut(
    current: Bucket,
    key: string,
    revision: number,
    question: SharedQuestion,
    answer: SharedAnswer,
  ): Promise<void> {
    const { decision, by, reason } = answer;
    const given = { decision, by: `${by} at ${answer.gateway}`, ...(reason === undefined ? {} : { reason }) };
    const first = await parts.resolve(question.approval.id, given);
    const result = isRepeated(first, given) ? { ok: true as const, approval: first.approval!, stored: [] } : first;
    await current.update(key, JSON.stringify({ ...question, result } satisfies SharedQuestion), revision);
  }

  /** The answering gateway needs time to read the result. */
  function isOld(key: string): boolean {
    const since = settledAt.get(key) ?? performance.now();
    settledAt.set(key, since);
    if (performance.now() - since < KEEP_RESULT_MS) return false;
    settledAt.delete(key);
    return true;
  }

  return {
    connected: (nats) => shared.connected(nats),

    remote: () =>
      questions()
        .map(({ question }) => question)
        .filter((each) => each.gateway !== gateway && each.answer === undefined && each.approval.expiresAt > Date.now())
        .map(({ approval }) => approval),

    async answer(id, given, signal) {
      const { current } = shared;
      const others = questions().filter(({ question }) => question.gateway !== gateway);
      const found = others.filter(({ question: { approval } }) => approval.id === id || approval.slug === id);
      if (found.length === 0) return undefined;
      if (current === undefined) throw unavailable(new Error('this gateway is not connected to NATS'));
      const { key } = found[0]!;
      const answer = answerOf(gateway, given);
      const lost = await swapIn(current, key, answer, signal);
      return lost ?? resultOf(current, key, answer, signal);
    },

    close: () => shared.close(),
  };

  /** Stores the answer, or returns who was first. Repeats an unsure write: the id of the answer tells whose it is. */
  async function swapIn(
    current: Bucket,
    key: string,
    answer: SharedAnswer,
    signal: AbortSignal | undefined,
  ): Promise<ResolveAnswer | undefined> {
    let trouble: unknown = new Error('no answer of the server');
    for (const end = performance.now() + ANSWER_MS; performance.now() < end; ) {
      signal?.throwIfAborted();
      try {
        const entry = await current.get(key);
        const question = entry === undefined ? undefined : questionOf(key, entry);
        if (entry === undefined || question === undefined) return goneAnswer();
        if (question.answer !== undefined) return question.answer.id === answer.id ? undefined : lostAnswer(question);
        const text = JSON.stringify({ ...question, answer } satisfies SharedQuestion);
        if (typeof (await current.update(key, text, entry.revision)) === 'object') return undefined;
      } catch (error) {
        trouble = error;
        await pause(200);
      }
    }
    throw unavailable(trouble);
  }

  async function resultOf(
    current: Bucket,
    key: string,
    answer: SharedAnswer,
    signal: AbortSignal | undefined,
  ): Promise<ResolveAnswer> {
    for (const end = performance.now() + RESULT_MS; performance.now() < end; await pause(50)) {
      signal?.throwIfAborted();
      const entry = current.entries().get(key) ?? (await current.get(key).catch(() => undefined));
      const question = entry === undefined ? undefined : questionOf(key, entry);
      if (question?.answer?.id === answer.id && question.result !== undefined) return question.result;
    }
    throw new Fault(
      'NODE_FLEET_UNAVAILABLE',
      'the answer is stored, and the gateway that has the request did not confirm it',
      {
        hint: 'it carries the answer out when it is connected; pincer approvals list shows whether the request is still open',
      },
    );
  }
}

function keyOf(gateway: string, id: string): string {
  return `${gateway}.${id}`;
}

function checkedQuestion(text: string, key: string, log: (text: string) => void): SharedQuestion | undefined {
  try {
    const question = check(sharedQuestion, JSON.parse(text), 'question');
    return key === keyOf(question.gateway, question.approval.id) ? question : undefined;
  } catch (error) {
    log(`shared inbox: ${key} is malformed: ${messageOf(error)}`);
    return undefined;
  }
}

/** As long as every gateway reads it. */
function answerOf(gateway: string, { decision, by, reason }: GivenAnswer): SharedAnswer {
  return {
    id: randomUUID(),
    gateway,
    decision,
    by: by.slice(0, LONGEST_BY),
    ...(reason === undefined ? {} : { reason: reason.slice(0, LONGEST_REASON) }),
  };
}

/** This gateway carried the answer out, and died before it wrote the result. */
function isRepeated(result: ResolveAnswer, { decision, by }: GivenAnswer): boolean {
  const { approval } = result;
  return !result.ok && approval?.resolvedBy === by && approval.decision === decision;
}

function lostAnswer({ answer, approval }: SharedQuestion): ResolveAnswer {
  const message = `${approval.slug} was answered first by ${answer?.by ?? 'another person'}: ${answer?.decision ?? ''}`;
  return { ok: false, reason: 'already-resolved', message, approval };
}

function goneAnswer(): ResolveAnswer {
  return { ok: false, reason: 'already-resolved', message: 'the approval request is no longer open' };
}
