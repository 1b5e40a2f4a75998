/**
 * Approval requests and their answers. A request that needs a person waits in the store. After the answer, the request is
 * prepared again, compared with what the person saw, and run once.
 */
import { guarded } from '../../../base/guarded.ts';
import { messageOf } from '../../../base/message-of.ts';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { type Actor, actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, ExtendAnswer, ResolveAnswer } from '../../../wire/approval.ts';
import type { DenialReason, ExecContext, ExecOutcome, ExecRequest } from '../../../wire/exec.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import { refusedNarrowing } from '../../approvals/answer-refusals.ts';
import { ASK_FALLBACK } from '../../approvals/answerers.ts';
import type { ApprovalsFile, ApprovalStore } from '../../approvals/shape.ts';
import { deniedText, finishedText, lostText, runningText } from '../../sessions/notice-texts.ts';
import type { Session } from '../../sessions/shape.ts';
import { deniedOutcome } from './approval-outcome.ts';
import { answeredEntries, type StoreResult } from './answered-entries.ts';
import { bindingOf, whatChanged } from './binding.ts';
import { coveredQuestions } from './covered-questions.ts';
import { extendApproval } from './extend-approval.ts';
import { forbiddingSetting } from './guest-runs.ts';
import { questionLimits } from './question-limits.ts';
import type { Prepared } from '../prepare.ts';
import { askedAs } from '../start-session.ts';
import { recordAnswer } from './record-answer.ts';
import { runsUnanswered, whyDenied } from '../treatment.ts';

/** What is needed to run a request later, also by another daemon. */
interface StoredRun {
  readonly request: ExecRequest;
  readonly context: ExecContext;
}

export interface ApprovalRequestsParts {
  readonly store: ApprovalStore;
  readonly file: ApprovalsFile;
  readonly now: () => number;
  /** Undefined where the request would no longer run on this machine. */
  prepare(request: ExecRequest, context: ExecContext): Promise<Prepared | undefined>;
  start(prepared: Prepared, approvalId: string): Promise<Session>;
  /** Open questions of an agent on nodes. */
  openOnNodes(agent: string): number;
  /** Called after new notices were stored. */
  onNotice(): void;
  readonly onTrouble: (error: unknown) => void;
}

export interface ApprovalRequests {
  /** Asks a person about a judged request. */
  ask(prepared: Prepared): ExecOutcome;
  /** Records the answer and acts on it. */
  resolve(id: string, answer: PersonsAnswer): Promise<ResolveAnswer>;
  /** The rules have changed: questions that they answer now are closed. */
  rulesChanged(): Promise<void>;
  /** Lets a pending request wait longer. */
  extend(id: string, byMs: number, by: string): ExtendAnswer;
  /** Resolves when the command of an approval has started or failed to start; immediately if none is starting. */
  whenStarted(id: string): Promise<unknown>;
  /** Runs what was approved but not started when a daemon died. */
  resume(): Promise<void>;
  /** Called when a session that an approval started has ended. */
  ended(session: SessionInfo): void;
  close(): void;
}

/** As the parameters of `approval.resolve`. */
export type PersonsAnswer = Omit<Methods['approval.resolve']['params'], 'id'>;

/** The longest delay that `setTimeout` accepts. */
const LONGEST_MS = 2 ** 31 - 1;
/** The pause after an expiry that could not be recorded. */
const RETRY_MS = 60_000;

export function createApprovalRequests(parts: ApprovalRequestsParts): ApprovalRequests {
  const { store, file, now } = parts;
  const entries = answeredEntries(store, file);
  const runningTimers = new Map<string, NodeJS.Timeout>();
  /** Answers that are being carried out, by approval. */
  const beingStarted = new Map<string, Promise<string | undefined>>();
  /** Approvals whose command is starting. If it ends first, its start and its end are reported together. */
  const starting = new Set<string>();
  let expiryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const limits = questionLimits({
    store,
    now,
    openOnNodes: (agent) => parts.openOnNodes(agent),
    onNotice: () => parts.onNotice(),
  });
  const covered = coveredQuestions({
    store,
    file,
    prepare: async (approval) => {
      const { request, context } = storedRun(approval);
      return parts.prepare(request, context);
    },
    allow: allowByRule,
    forbid: ({ id }, reason) => void store.cancel(id, (one) => reportDenied(one, reason)),
    onTrouble: parts.onTrouble,
  });

  function watchExpiry(leastMs = 5): void {
    clearTimeout(expiryTimer);
    const next = isClosed ? undefined : store.nextExpiry();
    if (next === undefined) return;
    expiryTimer = setTimeout(expireNow, Math.min(Math.max(next - now() + 5, leastMs), LONGEST_MS));
    expiryTimer.unref();
  }

  function expireNow(): void {
    expire().catch((error: unknown) => {
      parts.onTrouble(error); // the disk may be full
      watchExpiry(RETRY_MS);
    });
  }

  async function expire(): Promise<void> {
    for (const approval of store.expire(now())) {
      const { request, context } = storedRun(approval);
      const prepared = await parts.prepare(request, context).catch(() => undefined);
      if (isClosed) return; // the next start reports it
      const isAllowed =
        prepared !== undefined &&
        runsUnanswered(prepared) &&
        forbiddingSetting(approval, prepared.settings.guests) === undefined;
      const runs = isAllowed ? store.fallBack(approval.id, (one) => recordAnswer(store, one, ASK_FALLBACK)) : undefined;
      if (runs === undefined) reportDenied(approval, timeoutReason(approval));
      else {
        parts.onNotice();
        await prepareAndStart(runs);
      }
    }
    watchExpiry();
  }

  /** Reports what a daemon that died could not. It is unknown whether its command ran, so it is not run again. */
  function reportLate(approval: ApprovalInfo): void {
    const { id, state, binding, sessionId } = approval;
    if (state === 'allowed') {
      const lost = { host: binding.host, approvalId: id, sessionId, command: binding.command };
      reportFinished(id, who(approval), lostText(lost), sessionId);
    } else if (state === 'denied') reportUserDenied(approval);
    else reportDenied(approval, timeoutReason(approval));
  }

  function reportUserDenied(approval: ApprovalInfo): void {
    const said = store.denialMessageOf(approval.id);
    reportDenied(approval, 'user-denied', said === undefined ? {} : { said });
  }

  function reportFinished(
    approvalId: string,
    whose: ReturnType<typeof who>,
    text: string,
    sessionId: string | undefined,
  ): void {
    store.note(approvalId, { outcome: text.split('\n', 1)[0] ?? '' });
    store.notice({
      kind: 'exec-finished',
      ...whose,
      text,
      wake: true,
      contextKey: `exec:${approvalId}`,
      approvalId,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    parts.onNotice();
  }

  /** `more` is the exact cause, for the audit log. */
  function reportDenied(
    approval: ApprovalInfo,
    reason: DenialReason,
    more: Readonly<Record<string, string>> = {},
  ): void {
    const { binding, id } = approval;
    const details = { reason, ...more };
    const outcome = reason === 'user-denied' ? deniedOutcome(more['said']) : reason;
    store.note(id, { outcome });
    store.audit({ event: 'denied', ...who(approval), approvalId: id, command: binding.command, details });
    store.notice({
      kind: 'exec-denied',
      ...who(approval),
      text: deniedText({ host: binding.host, approvalId: id, reason: outcome, command: binding.command }),
      wake: true,
      contextKey: `exec:${id}`,
      approvalId: id,
    });
    parts.onNotice();
  }

  /** Runs all calls that an answer allows, one after the other; returns why the first did not run. */
  async function runAll(first: ApprovalInfo, others: readonly ApprovalInfo[]): Promise<string | undefined> {
    let before: Promise<unknown> = Promise.resolve();
    const runs = [first, ...others].map((approval) => {
      const run = before
        .then(() => (isClosed || !store.consume(approval.id) ? undefined : prepareAndStart(approval)))
        .finally(() => beingStarted.delete(approval.id));
      // Also a call that waits for its turn is about to start: its caller waits for that.
      beingStarted.set(approval.id, run);
      before = run.catch(parts.onTrouble);
      return run;
    });
    const [notRun] = await Promise.all(runs);
    return notRun;
  }

  async function prepareAndStart(approval: ApprovalInfo): Promise<string | undefined> {
    try {
      const { request, context } = storedRun(approval);
      const prepared = await parts.prepare(request, context);
      if (prepared === undefined) {
        reportDenied(approval, 'approval-changed', { changed: 'the command' });
        return 'the command is not the one that was approved';
      }
      const denied = whyDenied(prepared); // the operator may have changed the rules since the request
      if (denied !== undefined) {
        reportDenied(approval, denied);
        return `the current rules forbid it (${denied})`;
      }
      const setting = forbiddingSetting(approval, prepared.settings.guests);
      if (setting !== undefined) {
        reportDenied(approval, 'approval-changed', { changed: setting });
        return `${setting} of the node has changed since the question, so it needs an answer on the node`;
      }
      const changed = whatChanged(approval.binding, bindingOf(prepared));
      if (changed !== undefined) {
        reportDenied(approval, 'approval-changed', { changed });
        return `${changed} is not what was approved`;
      }
      starting.add(approval.id);
      const session = await parts.start(prepared, approval.id);
      store.note(approval.id, { sessionId: session.id });
      // Without a pid nothing has started yet, and the failure is about to arrive.
      const info = session.info().pid === undefined ? await session.ended() : session.info();
      if (session.changed) reportDenied(approval, 'approval-changed', { changed: info.failureNote ?? '' });
      else if (info.status === 'running') watchRunning(approval, session.id, prepared.settings.approvalRunningNoticeMs);
      else reportFinished(approval.id, who(approval), finishedText(info), session.id);
      return info.failure === 'spawn-failed' ? (info.failureNote ?? info.failure) : undefined;
    } catch (error) {
      reportDenied(approval, 'spawn-failed', { error: String(error) });
      return messageOf(error);
    } finally {
      starting.delete(approval.id);
    }
  }

  function watchRunning(approval: ApprovalInfo, sessionId: string, afterMs: number): void {
    if (afterMs === 0) return;
    const report = guarded(parts.onTrouble, () => {
      runningTimers.delete(sessionId);
      store.notice({
        kind: 'exec-running',
        ...who(approval),
        text: runningText({
          host: approval.binding.host,
          approvalId: approval.id,
          sessionId,
          afterMs,
          command: approval.binding.command,
        }),
        wake: false,
        contextKey: `exec:${approval.id}`,
        approvalId: approval.id,
        sessionId,
      });
      parts.onNotice();
    });
    const timer = setTimeout(report, afterMs);
    timer.unref();
    runningTimers.set(sessionId, timer);
  }

  /** The first answer counts, of a person or of rules that have changed. */
  async function allowByRule({ id }: ApprovalInfo, by: string): Promise<void> {
    const answer = store.resolve(id, 'allow-once', by, { record: (one) => recordAnswer(store, one, by) });
    if (!answer.ok) return;
    parts.onNotice();
    await runAll(answer.approval, answer.others);
  }

  function storedRun({ id }: ApprovalInfo): StoredRun {
    return store.runOf(id) as StoredRun;
  }

  return {
    ask(prepared) {
      const { request, context, judgement } = prepared;
      if (judgement === undefined) throw new TypeError('a request that is not judged cannot need approval');
      const binding = bindingOf(prepared);
      const refused = limits.refused(prepared, binding);
      if (refused !== undefined) return refused;
      const approval = store.ask({
        binding,
        judgement,
        expiresAt: now() + prepared.settings.approvalTimeoutMs,
        run: { request, context } satisfies StoredRun,
      });
      store.audit({
        event: 'asked',
        ...who(approval),
        approvalId: approval.id,
        command: request.command,
        details: {
          code: judgement.code,
          reason: judgement.reason,
          ...askedAs(prepared),
          ...(approval.question === undefined ? {} : { question: approval.question }),
        },
      });
      store.notice({
        kind: 'approval-requested',
        ...who(approval),
        text: `Approval required (${approval.slug}): ${maskSecrets(request.command).text}`,
        wake: false,
        contextKey: `exec:${approval.id}`,
        approvalId: approval.id,
      });
      parts.onNotice();
      watchExpiry();
      covered.watch();
      return { status: 'approval-pending', approval, warnings: prepared.warnings };
    },
    async resolve(id, { decision, by, reason, digest, narrow, onlyThis }) {
      const record = (one: ApprovalInfo): void => recordAnswer(store, one, by, narrow);
      const answer =
        refusedNarrowing(decision, narrow, now()) ??
        store.resolve(id, decision, by, { said: reason, digest, record, onlyThis });
      if (!answer.ok) return answer;
      parts.onNotice();
      const { approval, others } = answer;
      const kept: StoreResult = decision === 'allow-always' ? entries.keep(approval, narrow) : { stored: [] };
      let notRun: string | undefined;
      if (decision === 'deny') for (const one of [approval, ...others]) reportUserDenied(one);
      else notRun = await runAll(approval, others);
      if (decision === 'allow-always' && kept.notStored === undefined) await covered.check(by);
      watchExpiry();
      const current = store.find(approval.id);
      return {
        ok: true,
        approval: typeof current === 'string' ? approval : current,
        ...kept,
        ...(notRun === undefined ? {} : { notRun }),
        ...(others.length === 0 ? {} : { others: others.length }),
      };
    },
    rulesChanged: () => covered.check(),
    extend(id, byMs, by) {
      const answer = extendApproval(store, id, byMs, by);
      if (answer.ok) parts.onNotice();
      watchExpiry();
      return answer;
    },
    whenStarted: async (id) => beingStarted.get(id),
    async resume() {
      for (const approval of store.unreported()) reportLate(approval);
      await expire();
      for (const approval of store.unconsumed()) {
        entries.noteUnstored(approval);
        await runAll(approval, []);
      }
      covered.watch();
    },
    ended(session) {
      const { approvalId } = session;
      if (approvalId === undefined || starting.has(approvalId)) return;
      clearTimeout(runningTimers.get(session.id));
      runningTimers.delete(session.id);
      reportFinished(approvalId, actorOf(session), finishedText(session), session.id);
    },
    close() {
      isClosed = true;
      clearTimeout(expiryTimer);
      covered.close();
      for (const timer of runningTimers.values()) clearTimeout(timer);
    },
  };
}

function timeoutReason({ judgement }: ApprovalInfo): DenialReason {
  return judgement.code === 'allowlist-miss' ? 'approval-timeout (allowlist-miss)' : 'approval-timeout';
}

function who({ binding }: ApprovalInfo): Actor {
  return actorOf(binding);
}
