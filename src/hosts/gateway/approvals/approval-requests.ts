/**
 * Approval requests and their answers. A request that needs a person waits in the store. After the answer, the request is
 * prepared again, compared with what the person saw, and run once.
 */
import { guarded } from '../../../base/guarded.ts';
import { messageOf } from '../../../base/message-of.ts';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { type Actor, actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, ExtendAnswer, Narrowing, ResolveAnswer } from '../../../wire/approval.ts';
import type { DenialReason, ExecContext, ExecOutcome, ExecRequest } from '../../../wire/exec.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import { refusedNarrowing } from '../../approvals/answer-refusals.ts';
import { type OpenRequests, tooMuchOpen } from '../../approvals/approval-rows.ts';
import { maskedEntry } from '../../approvals/history.ts';
import { ASK_FALLBACK } from '../../approvals/questions.ts';
import type { ApprovalsFile, ApprovalStore } from '../../approvals/shape.ts';
import { deniedText, finishedText, lostText, runningText } from '../../sessions/notice-texts.ts';
import type { Session } from '../../sessions/shape.ts';
import { deniedOutcome } from './approval-outcome.ts';
import { answeredEntries, entriesOf, type StoreResult } from './answered-entries.ts';
import { bindingOf, whatChanged } from './binding.ts';
import { extendApproval } from './extend-approval.ts';
import { forbiddingSetting } from './guest-runs.ts';
import type { Prepared } from '../prepare.ts';
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
  /** Called after new notices were stored. */
  onNotice(): void;
  readonly onTrouble: (error: unknown) => void;
}

export interface ApprovalRequests {
  /** Asks a person about a judged request. */
  ask(prepared: Prepared): ExecOutcome;
  /** Records the answer and acts on it. */
  resolve(id: string, answer: PersonsAnswer): Promise<ResolveAnswer>;
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
      const { request, context } = store.runOf(approval.id) as StoredRun;
      const prepared = await parts.prepare(request, context).catch(() => undefined);
      if (isClosed) return; // the next start reports it
      const isAllowed =
        prepared !== undefined &&
        runsUnanswered(prepared) &&
        forbiddingSetting(approval, prepared.settings.guests) === undefined;
      const runs = isAllowed ? store.fallBack(approval.id, (one) => recordAnswer(one, ASK_FALLBACK)) : undefined;
      if (runs === undefined) reportDenied(approval, timeoutReason(approval));
      else {
        parts.onNotice();
        await run(runs);
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

  /** Runs an approved request; returns why nothing ran. */
  async function run(approval: ApprovalInfo): Promise<string | undefined> {
    const running = prepareAndStart(approval);
    beingStarted.set(approval.id, running);
    try {
      return await running;
    } finally {
      beingStarted.delete(approval.id);
    }
  }

  async function prepareAndStart(approval: ApprovalInfo): Promise<string | undefined> {
    const { request, context } = store.runOf(approval.id) as StoredRun;
    try {
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

  /** Part of the transaction of the answer: an answer that was acknowledged has its row and its notice. */
  function recordAnswer(approval: ApprovalInfo, by: string, narrow?: Narrowing): void {
    const stored = approval.decision === 'allow-always' ? entriesOf(approval, narrow) : [];
    store.audit({
      event: 'answered',
      ...who(approval),
      approvalId: approval.id,
      command: approval.binding.command,
      by,
      details: { decision: approval.decision, stored: stored.map(maskedEntry) },
    });
    store.notice({
      kind: 'approval-resolved',
      ...who(approval),
      text: `Approval ${approval.slug}: ${approval.decision} by ${by}`,
      wake: false,
      contextKey: `exec:${approval.id}`,
      approvalId: approval.id,
    });
  }

  function refusedQuestion({ context, request, judgement, warnings }: Prepared, open: OpenRequests): ExecOutcome {
    const reason: DenialReason = 'approval-unavailable';
    const { agent } = context.caller;
    store.audit({
      event: 'denied',
      ...actorOf(context.caller),
      command: request.command,
      details: { reason, openQuestions: open.number },
    });
    return {
      status: 'denied',
      reason,
      message: `the command was not run: it needs an approval, and agent ${agent} already has ${tooMuchOpen(open)} pending approval requests`,
      hint: 'wait until a person has answered some of them (pincer approvals list), or until they expire',
      ...(judgement === undefined ? {} : { judgement }),
      warnings,
    };
  }

  /** The answer also applies to waiting requests with an identical binding. */
  async function answerDuplicates(approval: ApprovalInfo, by: string): Promise<void> {
    const duplicates = store
      .list('pending', Number.MAX_SAFE_INTEGER)
      .filter(({ binding }) => whatChanged(approval.binding, binding) === undefined);
    for (const { id } of duplicates) {
      const answer = store.resolve(id, 'allow-once', by, { record: (one) => recordAnswer(one, by) });
      if (!answer.ok) continue; // already answered or expired
      parts.onNotice();
      if (store.consume(id)) await run(answer.approval);
    }
  }

  return {
    ask(prepared) {
      const { request, context, judgement } = prepared;
      if (judgement === undefined) throw new TypeError('a request that is not judged cannot need approval');
      const open = store.open(context.caller.agent);
      if (tooMuchOpen(open) !== undefined) return refusedQuestion(prepared, open);
      const approval = store.ask({
        binding: bindingOf(prepared),
        judgement,
        expiresAt: now() + prepared.settings.approvalTimeoutMs,
        run: { request, context } satisfies StoredRun,
      });
      store.audit({
        event: 'asked',
        ...who(approval),
        approvalId: approval.id,
        command: request.command,
        details: { code: judgement.code, reason: judgement.reason },
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
      return { status: 'approval-pending', approval, warnings: prepared.warnings };
    },
    async resolve(id, { decision, by, reason, digest, narrow }) {
      const record = (one: ApprovalInfo): void => recordAnswer(one, by, narrow);
      const answer =
        refusedNarrowing(decision, narrow, now()) ?? store.resolve(id, decision, by, { said: reason, digest, record });
      if (!answer.ok) return answer;
      parts.onNotice();
      const { approval } = answer;
      const kept: StoreResult = decision === 'allow-always' ? entries.keep(approval, narrow) : { stored: [] };
      let notRun: string | undefined;
      if (decision === 'deny') reportUserDenied(approval);
      else if (store.consume(approval.id)) notRun = await run(approval);
      if (decision === 'allow-always' && kept.notStored === undefined) await answerDuplicates(approval, by);
      watchExpiry();
      const current = store.find(approval.id);
      return {
        ok: true,
        approval: typeof current === 'string' ? approval : current,
        ...kept,
        ...(notRun === undefined ? {} : { notRun }),
      };
    },
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
        if (store.consume(approval.id)) await run(approval);
      }
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
