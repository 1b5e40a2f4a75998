/**
 * Questions and their answers: a request that needs a person waits in the store; when the answer comes, what would run is
 * prepared again and held against what the person saw, and runs once.
 */
import { Fault } from '../../../base/fault.ts';
import { messageOf } from '../../../base/message-of.ts';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { type Actor, actorOf } from '../../../wire/actor.ts';
import type { ApprovalInfo, Decision, ResolveAnswer } from '../../../wire/approval.ts';
import type { DenialReason, ExecContext, ExecOutcome, ExecRequest } from '../../../wire/exec.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import { maskedEntry } from '../../approvals/history.ts';
import { ASK_FALLBACK } from '../../approvals/questions.ts';
import type { ApprovalsFile, ApprovalStore } from '../../approvals/shape.ts';
import { deniedText, finishedText, lostText, runningText } from '../../sessions/notice-texts.ts';
import type { Session } from '../../sessions/shape.ts';
import { deniedOutcome } from './approval-outcome.ts';
import { bindingOf, whatChanged } from './binding.ts';
import type { Prepared } from '../prepare.ts';
import { runsUnanswered, whyDenied } from '../refusing.ts';

/** What a question needs to be run later, also by another daemon. */
interface StoredRun {
  readonly request: ExecRequest;
  readonly context: ExecContext;
}

export interface ApprovingParts {
  readonly store: ApprovalStore;
  readonly file: ApprovalsFile;
  readonly now: () => number;
  /** Undefined where the request would not run on this machine any more. */
  prepare(request: ExecRequest, context: ExecContext): Promise<Prepared | undefined>;
  start(prepared: Prepared, approvalId: string): Promise<Session>;
  /** Tells those who listen that there are new notices. */
  told(): void;
}

export interface Approving {
  /** Puts the question about a judged request. */
  ask(prepared: Prepared): ExecOutcome;
  /** Answers; `reason` is what the person wants the agent to know about a denial. */
  resolve(id: string, decision: Decision, by: string, reason?: string): Promise<ResolveAnswer>;
  /** When the command of an approval that is being started has been, or could not be; at once for every other. */
  settled(id: string): Promise<unknown>;
  /** Runs what was allowed and not started when a daemon died. */
  resume(): Promise<void>;
  /** A session that an approval started has ended. */
  ended(session: SessionInfo): void;
  close(): void;
}

interface Kept {
  readonly stored: readonly AllowlistEntry[];
  readonly notStored?: string;
}

/** So many questions of one agent may wait for an answer: a person reads no more, and each is kept on the disk. */
const MOST_OPEN = 200;

/** `setTimeout` takes no longer delay. */
const LONGEST_MS = 2 ** 31 - 1;

export function createApproving(parts: ApprovingParts): Approving {
  const { store, file, now } = parts;
  const runningTimers = new Map<string, NodeJS.Timeout>();
  /** Answers that are being carried out, by approval. */
  const carriedOut = new Map<string, Promise<string | undefined>>();
  /** Approvals whose command is being started: how that went is told at once with its end, if that comes first. */
  const starting = new Set<string>();
  let expiryTimer: NodeJS.Timeout | undefined;

  function watchExpiry(): void {
    clearTimeout(expiryTimer);
    const next = store.nextExpiry();
    if (next === undefined) return;
    expiryTimer = setTimeout(() => void expire(), Math.min(Math.max(next - now(), 0) + 5, LONGEST_MS));
    expiryTimer.unref();
  }

  async function expire(): Promise<void> {
    for (const approval of store.expire(now())) {
      const { request, context } = store.runOf(approval.id) as StoredRun;
      const prepared = await parts.prepare(request, context).catch(() => undefined);
      const runs = prepared !== undefined && runsUnanswered(prepared) ? store.fallBack(approval.id) : undefined;
      if (runs === undefined) tellDenied(approval, timeoutReason(approval));
      else {
        answered(runs, ASK_FALLBACK, { stored: [] });
        await run(runs);
      }
    }
    watchExpiry();
  }

  /** What a daemon that died could not tell any more. Whether its command ran is unknown, so it is not run again. */
  function tellLate(approval: ApprovalInfo): void {
    const { id, state, binding, sessionId } = approval;
    if (state === 'allowed') {
      const lost = { host: binding.host, approvalId: id, sessionId, command: binding.command };
      tellFinished(id, who(approval), lostText(lost), sessionId);
    } else if (state === 'denied') tellUserDenied(approval);
    else tellDenied(approval, timeoutReason(approval));
  }

  function tellUserDenied(approval: ApprovalInfo): void {
    const said = store.saidOf(approval.id);
    tellDenied(approval, 'user-denied', said === undefined ? {} : { said });
  }

  function tellFinished(
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
    parts.told();
  }

  /** `more` says for whoever reads the audit log what exactly was in the way. */
  function tellDenied(approval: ApprovalInfo, reason: DenialReason, more: Readonly<Record<string, string>> = {}): void {
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
    parts.told();
  }

  /** Runs what was allowed; a sentence that says why when nothing ran. */
  async function run(approval: ApprovalInfo): Promise<string | undefined> {
    const running = carryOut(approval);
    carriedOut.set(approval.id, running);
    try {
      return await running;
    } finally {
      carriedOut.delete(approval.id);
    }
  }

  async function carryOut(approval: ApprovalInfo): Promise<string | undefined> {
    const { request, context } = store.runOf(approval.id) as StoredRun;
    try {
      const prepared = await parts.prepare(request, context);
      if (prepared === undefined) {
        tellDenied(approval, 'approval-changed', { changed: 'the command' });
        return 'the command is not what was asked about';
      }
      const denied = whyDenied(prepared); // the operator may have changed the rules since the question was put
      if (denied !== undefined) {
        tellDenied(approval, denied);
        return `it is forbidden by now (${denied})`;
      }
      const changed = whatChanged(approval.binding, bindingOf(prepared));
      if (changed !== undefined) {
        tellDenied(approval, 'approval-changed', { changed });
        return `${changed} is not what was asked about`;
      }
      starting.add(approval.id);
      const session = await parts.start(prepared, approval.id);
      store.note(approval.id, { sessionId: session.id });
      // Without a process nothing was started, and the reason is about to come.
      const info = session.info().pid === undefined ? await session.ended() : session.info();
      if (session.changed) tellDenied(approval, 'approval-changed', { changed: info.failureNote ?? '' });
      else if (info.status === 'running') watchRunning(approval, session.id, prepared.settings.approvalRunningNoticeMs);
      else tellFinished(approval.id, who(approval), finishedText(info), session.id);
      return info.failure === 'spawn-failed' ? (info.failureNote ?? info.failure) : undefined;
    } catch (error) {
      tellDenied(approval, 'spawn-failed', { error: String(error) });
      return messageOf(error);
    } finally {
      starting.delete(approval.id);
    }
  }

  function watchRunning(approval: ApprovalInfo, sessionId: string, afterMs: number): void {
    if (afterMs === 0) return;
    const timer = setTimeout(() => {
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
      parts.told();
    }, afterMs);
    timer.unref();
    runningTimers.set(sessionId, timer);
  }

  /** The answer counts even where it cannot be kept for the next time. */
  function keep({ binding, wouldStore }: ApprovalInfo): Kept {
    try {
      return { stored: file.add(binding.agent, wouldStore) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { stored: [], notStored: error.message };
    }
  }

  function answered(approval: ApprovalInfo, by: string, kept: Kept): void {
    store.audit({
      event: 'answered',
      ...who(approval),
      approvalId: approval.id,
      command: approval.binding.command,
      by,
      details: { decision: approval.decision, ...kept, stored: kept.stored.map(maskedEntry) },
    });
    store.notice({
      kind: 'approval-resolved',
      ...who(approval),
      text: `Approval ${approval.slug}: ${approval.decision} by ${by}`,
      wake: false,
      contextKey: `exec:${approval.id}`,
      approvalId: approval.id,
    });
    parts.told();
  }

  function tooManyOpen({ context, request, judgement, warnings }: Prepared): ExecOutcome {
    const reason: DenialReason = 'approval-unavailable';
    const { agent } = context.caller;
    store.audit({
      event: 'denied',
      ...actorOf(context.caller),
      command: request.command,
      details: { reason, openQuestions: MOST_OPEN },
    });
    return {
      status: 'denied',
      reason,
      message: `the command was not run: it needs an approval, and ${MOST_OPEN} questions of agent ${agent} wait for an answer already`,
      hint: 'wait until a person has answered some of them (pincer approvals list), or until their time is over',
      ...(judgement === undefined ? {} : { judgement }),
      warnings,
    };
  }

  /** What waits and is the same in all that it is bound to has its answer, too. */
  async function settleTwins(approval: ApprovalInfo, by: string): Promise<void> {
    const twins = store
      .list('pending', Number.MAX_SAFE_INTEGER)
      .filter(({ binding }) => whatChanged(approval.binding, binding) === undefined);
    for (const { id } of twins) {
      const answer = store.resolve(id, 'allow-once', by);
      if (!answer.ok) continue; // somebody answered it, or its time is over
      answered(answer.approval, by, { stored: [] });
      if (store.consume(id)) await run(answer.approval);
    }
  }

  return {
    ask(prepared) {
      const { request, context, judgement } = prepared;
      if (judgement === undefined) throw new TypeError('a request that is not judged cannot be asked about');
      if (store.open(context.caller.agent) >= MOST_OPEN) return tooManyOpen(prepared);
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
      parts.told();
      watchExpiry();
      return { status: 'approval-pending', approval, warnings: prepared.warnings };
    },
    async resolve(id, decision, by, reason) {
      const answer = store.resolve(id, decision, by, reason);
      if (!answer.ok) return answer;
      const { approval } = answer;
      const kept = decision === 'allow-always' ? keep(approval) : { stored: [] };
      answered(approval, by, kept);
      let notRun: string | undefined;
      if (decision === 'deny') tellUserDenied(approval);
      else if (store.consume(approval.id)) notRun = await run(approval);
      if (decision === 'allow-always' && kept.notStored === undefined) await settleTwins(approval, by);
      watchExpiry();
      const now = store.find(approval.id);
      return {
        ok: true,
        approval: typeof now === 'string' ? approval : now,
        ...kept,
        ...(notRun === undefined ? {} : { notRun }),
      };
    },
    settled: async (id) => carriedOut.get(id),
    async resume() {
      for (const approval of store.untold()) tellLate(approval);
      await expire();
      for (const approval of store.unconsumed()) {
        if (store.consume(approval.id)) await run(approval);
      }
    },
    ended(session) {
      const { approvalId } = session;
      if (approvalId === undefined || starting.has(approvalId)) return;
      clearTimeout(runningTimers.get(session.id));
      runningTimers.delete(session.id);
      tellFinished(approvalId, actorOf(session), finishedText(session), session.id);
    },
    close() {
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
