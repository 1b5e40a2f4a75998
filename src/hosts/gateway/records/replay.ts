/** Judges the commands of the audit log again, with the rules of now or with given ones. Nothing runs, and no person is asked. */
import { Fault } from '../../../base/fault.ts';
import type { AuditEntry } from '../../../wire/approval.ts';
import type { Caller, ExecContext, ExecRequest } from '../../../wire/exec.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { NotReplayable, ReplayVerdict } from '../../../wire/methods/replay-methods.ts';
import type { AuditTerm } from '../../../wire/query/audit-query.ts';
import type { ApprovalsFileWithRemarks } from '../../approvals/file.ts';
import { invalidFile } from '../../approvals/file-faults.ts';
import { outsidePath } from '../sandbox-command.ts';
import type { ApprovalRules, ApprovalStore } from '../../approvals/shape.ts';

type Asked = Methods['policy.replay']['params'];
type Answer = Methods['policy.replay']['result'];

export interface ReplayParts {
  readonly store: Pick<ApprovalStore, 'searchAudit'>;
  readonly file: Pick<ApprovalsFileWithRemarks, 'preview'>;
  /** As `policy.explain`; with `approvals` instead of the rules of the approvals file. */
  readonly explain: (
    request: ExecRequest,
    context: ExecContext,
    approvals: ApprovalRules | undefined,
  ) => Promise<Methods['policy.explain']['result']>;
}

const ROWS = 500;

interface Recorded {
  readonly before: ReplayVerdict;
  readonly request: ExecRequest;
  readonly caller: Caller;
  readonly folder: string;
}

/** One part of the log: the memory does not depend on its length. */
export async function replay(
  { store, file, explain }: ReplayParts,
  { since, environment, document, after = 0, rows = ROWS }: Asked,
  signal?: AbortSignal,
): Promise<Answer> {
  const terms: readonly AuditTerm[] = [{ field: 'since', value: since, isNot: false }];
  const range = { after, before: Number.MAX_SAFE_INTEGER, order: 'oldest-first', limit: rows } as const;
  const entries = await store.searchAudit(terms, range, signal);
  const notReplayable: Partial<Record<NotReplayable, number>> = {};
  const changes: Answer['changes'][number][] = [];
  let replayed = 0;
  for (const entry of entries) {
    signal?.throwIfAborted();
    const before = verdictOf(entry);
    if (before === undefined) continue;
    const recorded = recordedIn(entry, before);
    const now = typeof recorded === 'string' ? recorded : await judgedNow(recorded);
    if (typeof now === 'string') {
      notReplayable[now] = (notReplayable[now] ?? 0) + 1;
      continue;
    }
    replayed += 1;
    if (now.after !== before) changes.push({ ...shownOf(entry), before, ...now });
  }
  const last = entries.at(-1);
  return {
    replayed,
    changes,
    notReplayable,
    ...(entries.length < rows || last === undefined ? {} : { next: last.seq }),
  };

  async function judgedNow({
    request,
    caller,
    folder,
  }: Recorded): Promise<
    { readonly after: ReplayVerdict; readonly code: string; readonly reason: string } | NotReplayable
  > {
    try {
      const rules = document === undefined ? undefined : file.preview(document, caller.agent);
      if (rules?.broken !== undefined) throw invalidFile(rules.broken);
      const { judgement, runsOn, isJudged, node } = await explain(request, { caller, folder, environment }, rules);
      if (node !== undefined || runsOn === 'node') return 'on-node';
      const { verdict, code, reason } = judgement;
      return { after: verdict === 'allow' && runsOn === 'sandbox' && isJudged ? 'sandbox' : verdict, code, reason };
    } catch (error) {
      if (!(error instanceof Fault) || error.code === 'EXEC_APPROVALS_INVALID') throw error;
      if (error.code === 'EXEC_WORKDIR_MISSING') return 'folder-missing';
      // The request itself is refused, as an unknown program is.
      return { after: 'deny', code: error.code, reason: error.message };
    }
  }
}

/** Reasons of a denial of a command that a person would have been asked about. */
const WOULD_ASK: ReadonlySet<unknown> = new Set(['approval-unavailable', 'denied-lately', 'question-budget']);

/** Undefined for a row that is not a decision: what became of an approval, and what was not judged. */
function verdictOf({ event, approvalId, details }: AuditEntry): ReplayVerdict | undefined {
  if (event === 'asked') return 'ask';
  if (approvalId !== undefined) return undefined;
  const { reason, security, sandbox } = details;
  if (event === 'denied') return WOULD_ASK.has(reason) ? 'ask' : 'deny';
  if (event !== 'started' || security === undefined) return undefined;
  return sandbox === true ? 'sandbox' : 'allow';
}

function recordedIn(entry: AuditEntry, before: ReplayVerdict): Recorded | NotReplayable {
  const { command, masked, cut, agent, client, conversation, details } = entry;
  const { cwd, folder, env, pty, host, node } = details;
  if (host === 'node' || node !== undefined) return 'on-node';
  if (masked === true) return 'masked';
  if (cut === true || command === undefined) return 'shortened';
  if (Array.isArray(env) && env.length > 0) return 'variables';
  if (typeof cwd !== 'string' || typeof folder !== 'string') return 'no-folder';
  return {
    before,
    request: {
      command,
      workdir: details['sandbox'] === true ? outsidePath(folder, cwd) : cwd,
      ...(pty === true ? { pty } : {}),
    },
    caller: {
      agent,
      ...(client === undefined ? {} : { client }),
      ...(conversation === undefined ? {} : { conversation }),
    },
    folder,
  };
}

function shownOf({ seq, time, agent, command = '', details }: AuditEntry) {
  return { seq, time, agent, command, cwd: String(details['cwd']) };
}
