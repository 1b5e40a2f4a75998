/** The outcome of a request that needed approval: what the call would have returned if the person had answered immediately. */
import { Fault } from '../../../base/fault.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Caller, DenialReason, ExecContext, ExecOutcome, ExecRequest } from '../../../wire/exec.ts';
import type { ExecSettings } from '../../../wire/settings.ts';
import { plainText } from '../../sessions/log/plain-text.ts';
import type { Sessions } from '../../sessions/shape.ts';
import { awaitSession, foregroundMs } from '../start-session.ts';

interface OutcomeParts {
  readonly caller: Caller;
  readonly yieldMs: number | undefined;
  /** What is stored to run it: its request and its context. */
  readonly run: unknown;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly settingsFor: (folder: string, agent: string) => Promise<ExecSettings>;
}

/** Waits for the command as its call would have; an abort ends the command. */
export async function approvalOutcome(
  approval: ApprovalInfo,
  { caller, run, sessions, settingsFor, ...parts }: OutcomeParts,
  signal?: AbortSignal,
): Promise<ExecOutcome> {
  const { id, state, binding, sessionId } = approval;
  if (caller.operator !== true && binding.agent !== caller.agent)
    throw new Fault('APPROVAL_UNKNOWN', `${JSON.stringify(id)} is not an approval of this agent`, {
      hint: 'pincer approvals list --all shows them',
    });
  if (state === 'pending') return { status: 'approval-pending', approval, warnings: [] };
  const session = sessionId === undefined ? undefined : sessions.find({ agent: binding.agent }, sessionId);
  if (session === undefined && state === 'allowed' && approval.outcome === undefined && approval.node !== undefined)
    throw notMirrored(approval.slug, approval.node);
  if (session === undefined || session.changed) return notRun(approval);
  const { request, context } = run as { readonly request: ExecRequest; readonly context: ExecContext };
  const yieldMs = parts.yieldMs ?? request.yieldMs;
  const asked = { ...request, ...(yieldMs === undefined ? {} : { yieldMs }) };
  return awaitSession(session, {
    warnings: session.warnings,
    foregroundMs: foregroundMs(asked, context, await settingsFor(context.folder, binding.agent)),
    returnImmediately: false,
    ...(signal === undefined ? {} : { signal }),
  });
}

const REASONS: Readonly<Record<string, DenialReason>> = {
  'security=deny': 'security=deny',
  'allowlist-miss': 'allowlist-miss',
  'deny-rule': 'deny-rule',
  'approval-timeout': 'approval-timeout',
  'approval-timeout (allowlist-miss)': 'approval-timeout (allowlist-miss)',
  'approval-changed': 'approval-changed',
  'spawn-failed': 'spawn-failed',
  'tool-denied': 'tool-denied',
};

/** Prefix of an outcome with the person's reason for the denial. */
const SAID = 'user-denied: ';
const LONGEST_REASON = 500;

export function deniedOutcome(reason: string | undefined): string {
  const said = plainText(reason ?? '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);
  return said === '' ? 'user-denied' : `${SAID}${said}`;
}

function saidBy(outcome: string): string {
  return outcome.startsWith(SAID) ? `: ${outcome.slice(SAID.length)}` : '';
}

/** The outcome of a closed request whose command did not run. */
export function notRun({
  state,
  judgement,
  outcome = '',
}: ApprovalInfo): Extract<ExecOutcome, { readonly status: 'denied' }> {
  const reason = state === 'denied' ? 'user-denied' : (REASONS[outcome] ?? 'approval-unavailable');
  const message =
    state === 'denied'
      ? `the command was not run: the user denied it${saidBy(outcome)}`
      : `the command was not run: ${outcome === '' ? 'no person answered in time' : outcome}`;
  return { status: 'denied', reason, message, judgement, warnings: [] };
}

/** The link broke between the answer and the start. */
function notMirrored(slug: string, { id, name }: { readonly id: string; readonly name: string }): Fault {
  return new Fault('NODE_OFFLINE', `node ${name} is not connected; the command was allowed and may run there`, {
    hint: `do not run it again: pincer approvals show ${slug} names its session when the node is connected`,
    details: { node: { id, name } },
  });
}
