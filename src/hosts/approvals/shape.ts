/** THE SHAPE of approvals: the file of rules, the questions that wait for an answer, and what is kept of all that. */
import type { Actor } from '../../wire/actor.ts';
import type {
  ApprovalBinding,
  ApprovalInfo,
  AuditCheck,
  AuditEntry,
  Decision,
  ResolveAnswer,
} from '../../wire/approval.ts';
import type { Notice } from '../../wire/notice.ts';
import type { AllowlistEntry, Ask, HostName, Judgement, Rule, Security } from '../../wire/policy.ts';
import type { NewAuditEntry } from './audit-row.ts';

/** What the approvals file says for one agent: its own entry, then `*`, then the defaults. */
export interface ApprovalRules {
  /** Undefined where the file says nothing. */
  readonly security?: Security;
  readonly ask?: Ask;
  readonly askFallback?: Security;
  readonly allowlist: readonly AllowlistEntry[];
  readonly deny: readonly Rule[];
  /** Why the file counts as empty and denies (security deny, askFallback deny): broken JSON, a wrong version, a failing example of a rule. */
  readonly broken?: string;
}

/** `exec-approvals.json`. Every change is a compare-and-swap on the hash of what was read; unknown keys are kept. */
export interface ApprovalsFile {
  readonly path: string;
  /** Read again when it changed. */
  rulesFor(agent: string): ApprovalRules;
  /** The document as it stands, its socket token left out; the hash is that of the bytes. */
  show(): { readonly path: string; readonly exists: boolean; readonly hash: string; readonly file: unknown };
  /** Refused with EXEC_APPROVALS_CHANGED when the file is not the one with `baseHash`. */
  replace(file: unknown, baseHash: string): void;
  add(agent: string, entries: readonly AllowlistEntry[]): readonly AllowlistEntry[];
  remove(agent: string, idOrPattern: string): AllowlistEntry | undefined;
  /** Notes when an entry was used; never fails a command. It is written a moment later, many uses at once. */
  used(agent: string, entry: AllowlistEntry, command: string, resolvedPath: string): void;
  /** Writes what `used` noted. */
  flush(): void;
}

/** Problems that rules have by themselves: bare names, bad expressions, examples that fail. */
export type CheckRules = (rules: readonly Rule[], kind?: 'allow' | 'deny') => readonly RuleProblem[];

export interface RuleProblem {
  /** The index of the rule among those given. */
  readonly index: number;
  /** One sentence. */
  readonly message: string;
}

/** Questions, answers, audit, notices and what conversations said, in one database that survives a crash. */
export interface ApprovalStore {
  /** Keeps a question; it is on the disk when this returns. */
  ask(question: {
    readonly binding: ApprovalBinding;
    readonly judgement: Judgement;
    readonly expiresAt: number;
    /** All that is needed to run it later, also by another daemon. */
    readonly run: unknown;
  }): ApprovalInfo;
  /** The newest ones, 100 by default: those that wait with the oldest first, all of them with the newest first. */
  list(state: 'pending' | 'all', limit?: number): readonly ApprovalInfo[];
  /** How many there are, without reading them. */
  count(state: 'pending' | 'all'): number;
  /** How many questions of an agent wait for an answer. */
  open(agent: string): number;
  /** When the time of the next question is over; undefined when none waits. */
  nextExpiry(): number | undefined;
  /** By id, or by the start of an id when it is unique. */
  find(id: string): ApprovalInfo | 'unknown' | 'ambiguous';
  runOf(id: string): unknown;
  /** The first answer wins, also among processes; `said` is what the person wants the agent to know. */
  resolve(id: string, decision: Decision, by: string, said?: string): ResolveAnswer;
  /** What the person said with the answer. */
  saidOf(id: string): string | undefined;
  /** Takes an allowed approval for its one run; false when it was taken already. */
  consume(id: string): boolean;
  /** Allowed, and not taken by anybody yet: a daemon died between the answer and the run. */
  unconsumed(): readonly ApprovalInfo[];
  /** Answered, expired or taken for its run, and nobody was told how it ended: a daemon died in between. */
  untold(): readonly ApprovalInfo[];
  /** Withdraws a question that waits; undefined when it does not wait (any more). */
  cancel(id: string, outcome: string): ApprovalInfo | undefined;
  /** Notes the session and, later, how it ended. */
  note(id: string, what: { readonly sessionId?: string; readonly outcome?: string }): void;
  /** Marks those whose time is over, and gives them. */
  expire(now: number): readonly ApprovalInfo[];
  /** Takes an expired one for its one run, because `askFallback` answers where nobody did; undefined when it is not expired. */
  fallBack(id: string): ApprovalInfo | undefined;
  /** Appends a row, its secrets masked, or counts it where its agent causes too many; it is on the disk at the end of this turn of the event loop, or after `flush`. */
  audit(entry: NewAuditEntry): void;
  /** With `client` only those of one. */
  auditLog(after: number, limit: number, client?: string): readonly AuditEntry[];
  /** Whether each row of the audit log follows from the one before it. */
  verifyAudit(): Promise<AuditCheck>;
  notice(notice: Omit<Notice, 'seq' | 'time' | 'untrusted'>): Notice;
  /** With `client` only those of one. */
  notices(after: number, limit: number, client?: string): readonly Notice[];
  override(conversation: string): ConversationOverride;
  setOverride(conversation: string, values: ConversationOverride, by: string): void;
  /** Sessions that a dead daemon left: their processes, to be ended. */
  noteSession(session: NotedSession | { readonly id: string; readonly ended: true }): void;
  strays(): readonly NotedSession[];
  /** Brings everything that was noted to the disk now: before a command runs, say. */
  flush(): void;
  /** What the operator must hear: a damaged file was moved aside, and what was in it is lost. */
  readonly warnings: readonly string[];
  close(): void;
}

/** A session that runs, as far as another daemon needs to know it. */
export interface NotedSession {
  readonly id: string;
  readonly pid: number;
  readonly startTime: string;
  /** Who waits to hear of its end; absent where nobody does. */
  readonly whose?: Actor;
}

/** What `/exec` said in a conversation. */
export interface ConversationOverride {
  readonly host?: HostName;
  readonly security?: Security;
  readonly ask?: Ask;
  readonly node?: string;
  readonly elevated?: 'off' | 'on' | 'ask' | 'full';
}
