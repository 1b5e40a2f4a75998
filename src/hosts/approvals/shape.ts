/** Interfaces of approvals: the file of rules, the approval requests, and the records. */
import type { Actor } from '../../wire/actor.ts';
import type {
  ApprovalBinding,
  ApprovalInfo,
  AuditCheck,
  AuditEntry,
  Decision,
  ExtendAnswer,
  ResolveAnswer,
} from '../../wire/approval.ts';
import type { AuditBin } from '../../wire/methods/audit-methods.ts';
import type { Methods } from '../../wire/methods.ts';
import type { Notice } from '../../wire/notice.ts';
import type { AllowlistEntry, Ask, HostName, Judgement, Rule, Security } from '../../wire/policy.ts';
import type { ApprovalTerm } from '../../wire/query/approval-query.ts';
import type { AuditTerm } from '../../wire/query/audit-query.ts';
import type { Database } from '../database/shape.ts';
import type { OpenRequests } from './approval-rows.ts';
import type { NewAuditEntry } from './audit/audit-row.ts';

/** The rules for one agent: its own section, then `*`, then the defaults. */
export interface ApprovalRules {
  readonly security?: Security;
  readonly ask?: Ask;
  readonly askFallback?: Security;
  /** Without those that have expired. */
  readonly allowlist: readonly AllowlistEntry[];
  /** Entries that have expired; they allow nothing. Absent for none. */
  readonly expired?: readonly AllowlistEntry[];
  readonly deny: readonly Rule[];
  /** Why the file is invalid and denies everything: broken JSON, a wrong version, a failing example of a rule. */
  readonly broken?: string;
}

/** `exec-approvals.json`. Every change is a compare-and-swap on the hash; unknown keys are preserved. */
export interface ApprovalsFile {
  readonly path: string;
  /** At this time. Read again after each change. */
  rulesFor(agent: string): ApprovalRules;
  /** The allowlist of one agent, or of `*`, with the entries that have expired. */
  ownEntries(agent: string): readonly AllowlistEntry[];
  /** The names of all sections, with `*` for all agents. */
  agents(): readonly string[];
  /** The current document without its socket token, null where it is not a JSON object; the hash is that of the bytes. */
  show(): { readonly path: string; readonly exists: boolean; readonly hash: string; readonly file: unknown };
  /** Throws EXEC_APPROVALS_CHANGED if the hash of the file is not `baseHash`. */
  replace(file: unknown, baseHash: string): void;
  /** With `baseHash` as `replace`. */
  add(agent: string, entries: readonly AllowlistEntry[], baseHash?: string): readonly AllowlistEntry[];
  remove(agent: string, idOrPattern: string, baseHash?: string): AllowlistEntry | undefined;
  /** Records the use of an entry; never fails a command. Uses are written in batches, a moment later. */
  used(agent: string, entry: AllowlistEntry, command: string, resolvedPath: string): void;
  /** Writes the recorded uses. */
  flush(): void;
}

/** Finds problems of rules: bare names, invalid expressions, failing examples. */
export type CheckRules = (rules: readonly Rule[], kind?: 'allow' | 'deny') => readonly RuleProblem[];

export interface RuleProblem {
  /** The index in the given list. */
  readonly index: number;
  readonly message: string;
}

/** A part of the audit log by numbers, both not included, and how many entries of it. */
export interface AuditRange {
  readonly after: number;
  readonly before: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly limit: number;
  readonly client?: string | undefined;
}

/** A time in parts of equal length; `to` is not included. */
export interface AuditBins {
  readonly from: number;
  readonly to: number;
  readonly bins: number;
}

/** Approvals are sorted by their creation, then by their id. */
export type HistoryPosition = Pick<ApprovalInfo, 'createdAt' | 'id'>;

/** A request that needs a person. */
export interface NewRequest {
  readonly binding: ApprovalBinding;
  readonly judgement: Judgement;
  readonly expiresAt: number;
  /** Everything that is needed to run it later, also by another daemon. */
  readonly run: unknown;
}

/** The request that was answered, and the other calls that waited for the answer. */
export type ResolvedQuestion =
  | { readonly ok: true; readonly approval: ApprovalInfo; readonly others: readonly ApprovalInfo[] }
  | Extract<ResolveAnswer, { readonly ok: false }>;

/** Approval requests, answers, audit log, notices and values of conversations, in one database that survives a crash. */
export interface ApprovalStore {
  /** Stores a request durably before it returns. It joins an open question of which a person is shown the same. */
  ask(question: NewRequest): ApprovalInfo;
  /** Whether there is an open question that such a request would join. */
  joins(question: Pick<NewRequest, 'binding' | 'judgement'>): boolean;
  /** The open questions of an agent, and those since a time. */
  asked(agent: string, since: number): { readonly open: number; readonly recent: number };
  /** When a person denied the same programs, arguments and folder in this conversation, and what the person said. */
  deniedSince(binding: ApprovalBinding, since: number): { readonly at: number; readonly said?: string } | undefined;
  /**
   * The newest ones (default 100). `pending`: the open questions, the oldest first; `waiting`: all calls that wait; `all`: in any
   * state, the newest first.
   */
  list(state: 'pending' | 'waiting' | 'all', limit?: number): readonly ApprovalInfo[];
  count(state: 'pending' | 'all'): number;
  open(agent: string): OpenRequests;
  /** When the next pending request expires. */
  nextExpiry(): number | undefined;
  /** By id, or by a unique prefix of one. */
  find(id: string): ApprovalInfo | 'unknown' | 'ambiguous';
  runOf(id: string): unknown;
  /**
   * The first answer wins, also across processes; it applies to all calls that wait for it. `said` is the person's message to the
   * agent. With `digest`, the request must be the one that has this digest. With `onlyThis`, the others go on waiting. `record`
   * writes what must not be lost with a crash after the answer, for each call in the same transaction.
   */
  resolve(
    id: string,
    decision: Decision,
    by: string,
    more?: {
      readonly said?: string | undefined;
      readonly digest?: string | undefined;
      readonly record?: (approval: ApprovalInfo) => void;
      readonly onlyThis?: boolean | undefined;
    },
  ): ResolvedQuestion;
  /**
   * Moves the expiry of a pending request, at most to `longestMs` after its creation; never to an earlier time. `record` is called
   * in the same transaction, where the expiry has moved.
   */
  extend(id: string, byMs: number, longestMs: number, record?: (approval: ApprovalInfo) => void): ExtendAnswer;
  /** The person's message. */
  denialMessageOf(id: string): string | undefined;
  /** Claims an allowed request for its single run; false if it was claimed already. */
  consume(id: string): boolean;
  /** Allowed but not claimed: a daemon died between the answer and the run. */
  unconsumed(): readonly ApprovalInfo[];
  /** Answered, expired or claimed, but its outcome was not reported: a daemon died in between. */
  unreported(): readonly ApprovalInfo[];
  /** Withdraws an open question and the calls that wait with it; returns how many. `record` is called for each. */
  cancel(id: string, record: (approval: ApprovalInfo) => void): number;
  /** Records the session and, later, the outcome. */
  note(id: string, what: { readonly sessionId?: string; readonly outcome?: string }): void;
  /** Marks expired requests and returns them. */
  expire(now: number): readonly ApprovalInfo[];
  /** Claims an expired request for its single run, because `askFallback` answers it; undefined if it is not expired. */
  fallBack(id: string, record: (approval: ApprovalInfo) => void): ApprovalInfo | undefined;
  /** Appends a row with masked secrets, or counts it above the rate limit; on disk after this event loop turn or `flush`. */
  audit(entry: NewAuditEntry): void;
  /** With `client`, only its rows. */
  auditLog(after: number, limit: number, client?: string): readonly AuditEntry[];
  /** The entries that a search finds. Other work of the process continues during the search. */
  searchAudit(terms: readonly AuditTerm[], range: AuditRange, signal?: AbortSignal): Promise<readonly AuditEntry[]>;
  /** How many entries a search finds in each part of a time. */
  countAudit(terms: readonly AuditTerm[], bins: AuditBins, signal?: AbortSignal): Promise<readonly AuditBin[]>;
  /** The number of the last row; 0 for none. */
  lastAudit(): number;
  /** Approvals of this machine that a search finds, with the newest first. */
  history(
    terms: readonly ApprovalTerm[],
    before: HistoryPosition | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ApprovalInfo[]>;
  /** Checks the hash chain of the audit log. */
  verifyAudit(): Promise<AuditCheck>;
  notice(notice: Omit<Notice, 'seq' | 'time' | 'untrusted'>): Notice;
  /** Whether a notice with this `contextKey` was stored since a time. */
  noticedSince(contextKey: string, since: number): boolean;
  /** With `client`, only its notices. */
  notices(after: number, limit: number, client?: string): readonly Notice[];
  /** The numbers of the stored notices and audit entries. */
  range(): Methods['event.range']['result'];
  override(conversation: string): ConversationOverride;
  setOverride(conversation: string, values: ConversationOverride, by: string): void;
  /** Running sessions, so that the next daemon can end the processes of a dead one. */
  noteSession(session: NotedSession | { readonly id: string; readonly ended: true }): void;
  strays(): readonly NotedSession[];
  /** Writes everything to disk now, for example before a command runs. */
  flush(): void;
  /** For the other tables of the same file: the paired nodes. */
  readonly database: Database;
  /** For the operator: a damaged file was moved aside, and its contents are lost. */
  readonly warnings: readonly string[];
  close(): void;
}

/** What another daemon needs to know about a running session. */
export interface NotedSession {
  readonly id: string;
  readonly pid: number;
  readonly startTime: string;
  /** The actor that waits for its end; absent where none does. */
  readonly whose?: Actor;
}

/** Values set with `/exec` in a conversation. */
export interface ConversationOverride {
  readonly host?: HostName;
  readonly security?: Security;
  readonly ask?: Ask;
  readonly node?: string;
  readonly elevated?: 'off' | 'on' | 'ask' | 'full';
}
