/**
 * The shared inbox: approval requests of all gateways, and answers from any of them. Compare-and-swap lets one answer through;
 * the gateway that has the request carries it out, and its own store makes that happen once. Answers are not queued: one that cannot
 * be carried out now is refused, and the request is open again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type FaultCode, faultData } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import type { ApprovalInfo, Decision, ResolveAnswer } from '../../../wire/approval.ts';
import { faultFrom } from '../../../wire/message.ts';
import {
  LONGEST_BY,
  LONGEST_REASON,
  type RefusedAnswer,
  type SharedAnswer,
  type SharedQuestion,
  sharedQuestion,
} from '../../../wire/nodes/fleet.ts';
import { check } from '../../../wire/schema.ts';
import type { NatsConnection } from '../../channel/carriers/nats-connect.ts';
import { requestName } from '../../../wire/nodes/request-name.ts';
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

/** What this process knows of a request of this gateway. */
interface OwnState {
  /** When it was last seen without an answer, on the monotonic clock. */
  openAt?: number;
  /** What became of an answer, until the bucket has it. */
  carriedOut?: { readonly answer: string; readonly question: SharedQuestion };
  settledAt?: number;
}

export interface GivenAnswer extends Pick<SharedAnswer, 'digest' | 'narrow'> {
  readonly decision: Decision;
  readonly by: string;
  readonly reason?: string;
}

export interface SharedInbox {
  /** Shares requests until the connection ends. */
  connected(nats: NatsConnection): Promise<void>;
  /** The open requests of other gateways. */
  remote(): readonly ApprovalInfo[];
  /** Answers a request of another gateway. Undefined: there is none. */
  answer(
    asked: Pick<ApprovalInfo, 'id' | 'node'>,
    answer: GivenAnswer,
    signal?: AbortSignal,
  ): Promise<ResolveAnswer | undefined>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** Approval requests wait for 30 days at most. */
const KEEP_MS = 31 * DAY_MS;
const TICK_MS = 1_000;
const ANSWER_MS = 15_000;
const RESULT_MS = 15_000;
const EXPIRY_NOISE_MS = 5_000;
const KEEP_RESULT_MS = 60_000;
/** An answer to a request that was open this long ago is not late. */
const FRESH_MS = 60_000;
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
  const states = new Map<string, OwnState>();
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

  function stateOf(key: string): OwnState {
    const state = states.get(key) ?? {};
    states.set(key, state);
    return state;
  }

  /** What has happened here is written there, and the answers from there are carried out here. */
  async function pass(current: Bucket): Promise<void> {
    const pending = new Map((await parts.pending()).map((approval) => [keyOf(gateway, approval.id), approval]));
    const own = questions().filter(({ key }) => key.startsWith(`${gateway}.`));
    const known = new Set(own.map(({ key }) => key));
    for (const key of states.keys()) if (!known.has(key) && !pending.has(key)) states.delete(key);
    const malformed = [...current.entries()].filter(([key]) => key.startsWith(`${gateway}.`) && !known.has(key));
    // At once: each of them may wait for the election of a leader.
    await Promise.all([
      ...[...pending].flatMap(([key, approval]) =>
        current.entries().has(key) ? [] : [publish(current, key, approval)],
      ),
      ...own.map((each) => settle(current, each, pending.get(each.key))),
      ...malformed.map(([key, { revision }]) => current.remove(key, revision)), // the next pass writes it anew
    ]);
  }

  async function settle(
    current: Bucket,
    { key, revision, question }: Shared,
    pending: ApprovalInfo | undefined,
  ): Promise<void> {
    const isPending = pending !== undefined;
    const { answer, result } = question;
    const state = stateOf(key);
    if (answer === undefined) {
      state.openAt = performance.now();
      if (pending === undefined)
        await current.remove(key, revision); // answered here, or expired
      else if (!isSame(question.approval, pending))
        await current.update(
          key,
          JSON.stringify({ ...question, approval: pending } satisfies SharedQuestion),
          revision,
        );
    } else if (result === undefined) {
      // Once: a write that is not confirmed is repeated, and not the answer.
      if (state.carriedOut?.answer !== answer.id)
        state.carriedOut = { answer: answer.id, question: await carryOut(question, answer, isPending, state) };
      await current.update(key, JSON.stringify(state.carriedOut.question), revision);
    } else if (isOld(state)) await current.remove(key, revision);
  }

  async function publish(current: Bucket, key: string, approval: ApprovalInfo): Promise<void> {
    const text = JSON.stringify({ gateway, approval } satisfies SharedQuestion);
    if (Buffer.byteLength(text) > LONGEST) return; // it is answered at this gateway
    const created = await current.create(key, text);
    if (typeof created === 'object') stateOf(key).openAt = performance.now();
    // An earlier life of this gateway may have written it: the next pass sees it.
    if (created === 'conflict') await current.get(key);
  }

  /** Returns the question with the result, or open again. */
  async function carryOut(
    question: SharedQuestion,
    answer: SharedAnswer,
    isPending: boolean,
    { openAt = Number.NEGATIVE_INFINITY }: OwnState,
  ): Promise<SharedQuestion> {
    const { approval } = question;
    const { id, gateway: from, ...rest } = answer;
    const given = { ...rest, by: `${answer.by} at ${from}` };
    try {
      // What is closed here cannot run any more, so that the result may be read at any time.
      if (isPending && performance.now() - openAt > FRESH_MS) throw late();
      const first = await parts.resolve(approval.id, given);
      const result = isRepeated(first, given) ? { ok: true as const, approval: first.approval!, stored: [] } : first;
      if (isClosing(result)) return { ...question, result };
      return { gateway, approval, refused: { answer: id, result } };
    } catch (error) {
      return { gateway, approval, refused: { answer: id, fault: sharedFault(error) } };
    }
  }

  /** The answering gateway needs time to read the result. */
  function isOld(state: OwnState): boolean {
    state.settledAt ??= performance.now();
    return performance.now() - state.settledAt >= KEEP_RESULT_MS;
  }

  return {
    connected: (nats) => shared.connected(nats),

    remote: () =>
      questions()
        .map(({ question }) => question)
        .filter((each) => each.gateway !== gateway && each.answer === undefined && each.approval.expiresAt > Date.now())
        .map(({ approval }) => approval),

    async answer(asked, given, signal) {
      const { current } = shared;
      const others = questions().filter(({ question }) => question.gateway !== gateway);
      const found = others.filter(({ question: { approval } }) => requestName(approval) === requestName(asked));
      if (found.length === 0) return undefined;
      if (current === undefined) throw unavailable(new Error('this gateway is not connected to NATS'));
      // Where a gateway continues for another one, both may have a copy: the later one is that of the gateway that is there.
      const { key } = found.reduce((one, other) => (createdAt(other) > createdAt(one) ? other : one));
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
        if (question.refused?.answer === answer.id) return undefined;
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
      const result = entry === undefined ? undefined : outcomeOf(questionOf(key, entry), answer);
      if (result !== undefined) return result;
    }
    return withdraw(current, key, answer);
  }

  /** Nobody waits for the result any more, so that the answer must not be carried out later. */
  async function withdraw(current: Bucket, key: string, answer: SharedAnswer): Promise<ResolveAnswer> {
    const entry = await current.get(key);
    const question = entry === undefined ? undefined : questionOf(key, entry);
    const result = outcomeOf(question, answer);
    if (result !== undefined) return result;
    if (entry === undefined || question?.answer?.id !== answer.id) throw unconfirmed('is withdrawn');
    const { answer: _, ...open } = question;
    const written = await current.update(key, JSON.stringify(open satisfies SharedQuestion), entry.revision);
    throw unconfirmed(typeof written === 'object' ? 'is withdrawn' : 'may still be carried out within a minute');
  }
}

/** Throws the fault of an answer that was not carried out. Undefined: there is no result yet. */
function outcomeOf(question: SharedQuestion | undefined, { id }: SharedAnswer): ResolveAnswer | undefined {
  if (question?.answer?.id === id) return question.result;
  if (question?.refused?.answer !== id) return undefined;
  const { result, fault } = question.refused;
  if (fault === undefined) return result;
  throw faultFrom({ ...fault, code: fault.code as FaultCode });
}

function unconfirmed(state: string): Fault {
  return new Fault(
    'NODE_FLEET_UNAVAILABLE',
    `the gateway that has the request did not confirm the answer, which ${state}`,
    { hint: 'pincer approvals list shows whether the request is still open; then answer it again' },
  );
}

function late(): Fault {
  return new Fault(
    'NODE_FLEET_UNAVAILABLE',
    'the answer came while the gateway that has the request was not connected, and was not carried out',
    { hint: 'pincer approvals list shows whether the request is still open; then answer it again' },
  );
}

function sharedFault(error: unknown): NonNullable<RefusedAnswer['fault']> {
  const fault = error instanceof Fault ? error : new Fault('INTERNAL_ERROR', `unexpected ${messageOf(error)}`);
  const { code, message, hint } = faultData(fault);
  const most = (text: string): string => text.slice(0, LONGEST_REASON);
  return { code, message: most(message), ...(hint === undefined ? {} : { hint: most(hint) }) };
}

/** Other refusals leave the request open. */
function isClosing(result: ResolveAnswer): boolean {
  return result.ok || result.reason === 'already-resolved' || result.reason === 'expired';
}

/** Whether the other gateways show it as it is. The node of a request reports the time that is left, a little different each time. */
function isSame(shared: ApprovalInfo, current: ApprovalInfo): boolean {
  return shared.digest === current.digest && Math.abs(shared.expiresAt - current.expiresAt) < EXPIRY_NOISE_MS;
}

function createdAt({ question }: Shared): number {
  return question.approval.createdAt;
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
function answerOf(gateway: string, { by, reason, ...answer }: GivenAnswer): SharedAnswer {
  return {
    id: randomUUID(),
    gateway,
    ...answer,
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
