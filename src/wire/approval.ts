/** Approval requests to a person, their answers, and the audit log. */
import { chosenNode } from './chosen-node.ts';
import {
  type Infer,
  array,
  boolean,
  closed,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  partial,
  record,
  string,
  union,
} from './schema.ts';
import { actor } from './caller.ts';
import { allowlistEntry, hostName, judgement } from './policy.ts';

export const decision = oneOf(['allow-once', 'allow-always', 'deny']);
export type Decision = Infer<typeof decision>;

/** What an answer of a gateway may do to an approval request of its node. */
export const nodeAnswers = oneOf(['none', 'once', 'always']);
export type NodeAnswers = Infer<typeof nodeAnswers>;

export const APPROVAL_STATES = ['pending', 'allowed', 'denied', 'expired', 'cancelled'] as const;
export const approvalState = oneOf(APPROVAL_STATES);
export type ApprovalState = Infer<typeof approvalState>;

/** SHA-256 in hexadecimal. */
export const digest = string({ max: 64, pattern: /^[0-9a-f]{64}$/u });

/** The facts that an approval is bound to. If one of them changed before the command starts, it does not run. */
export const approvalBinding = object(
  {
    ...actor.required,
    host: hostName,
    command: string(),
    cwd: string(),
    /** The identity of `cwd`: `dev:ino`. */
    cwdIdentity: string(),
    /** The environment variables of the call. */
    env: record(string()),
    pty: boolean(),
    /** The program of each stage by real path, identity and argv; for a command that needs a shell, the shell. */
    programs: array(object({ real: string(), identity: string(), argv: array(string()) })),
    /** The arguments that are program files, such as `build.py`, with their identities. */
    files: array(object({ path: string(), identity: string() })),
  },
  {
    ...actor.optional,
    /** The folders that a gateway puts before the PATH of its node. */
    pathPrepend: array(string()),
  },
);
export type ApprovalBinding = Infer<typeof approvalBinding>;

export const approvalInfo = object(
  {
    /** A UUID; its first eight characters identify it too. */
    id: string(),
    slug: string(),
    state: approvalState,
    createdAt: number(),
    expiresAt: number(),
    binding: approvalBinding,
    judgement,
    /** The entries that `allow-always` would store; empty when nothing may be stored. */
    wouldStore: array(allowlistEntry),
  },
  {
    /**
     * Of a pending request: a hash of what a person is shown and of what will run. An answer with the digest of another content is
     * refused.
     */
    digest,
    decision,
    resolvedBy: string(),
    resolvedAt: number(),
    sessionId: string(),
    /** How the command ended: `code 0`, `timeout`, a denial reason; `user-denied: …` with the reason of the person. */
    outcome: string(),
    /** Secrets are masked, because the approval is no longer pending. */
    masked: literal(true),
    /** Of a pending request of this machine: what `askFallback` does with it if no person answers, by the current rules. */
    unanswered: oneOf(['run', 'deny']),
    /** The id of the pending approval whose answer also applies to this call: a person is shown the same. */
    question: string(),
    /** How many calls wait for the answer to this pending approval, itself included; absent for one. */
    waiting: integer({ min: 2 }),
    /** How often a person has allowed the same programs, arguments and folder once before; absent for never. */
    allowedBefore: integer({ min: 1 }),
    /** Of a pending approval that differs from the agent's previous one in this folder by one word. */
    differs: object({
      /** The short id of the previous approval. */
      from: string(),
      word: string(),
      before: string(),
    }),
    /** The node that has it. */
    node: object(
      {
        ...chosenNode.required,
        /** What an answer at this gateway may do: nothing, allow one run, or also store a rule. */
        answers: nodeAnswers,
      },
      {
        ...chosenNode.optional,
        /** Its id on the node, where that is another one. */
        approvalId: string(),
        /** Its digest on the node. */
        digest,
      },
    ),
  },
);
export type ApprovalInfo = Infer<typeof approvalInfo>;

/** Limits what `allow-always` stores. */
export const narrowing = closed(
  partial({
    /** The stored entries match nothing from this time on, in milliseconds since 1970. */
    expiresAt: number(),
    /** Why the entries exist. */
    reason: string({ max: 1_000 }),
  }),
);
export type Narrowing = Infer<typeof narrowing>;

/** Why an answer has no effect, and why a request does not wait longer. A node returns the same reasons. */
export const EXTEND_REFUSALS = ['unknown', 'ambiguous', 'already-resolved', 'expired', 'not-authorised'] as const;
export const RESOLVE_REFUSALS = [...EXTEND_REFUSALS, 'changed', 'not-storable'] as const;

/** The effect of an answer. The first answer counts; a later one returns the first. */
export const resolveAnswer = union(
  'ok',
  object(
    { ok: literal(true), approval: approvalInfo, stored: array(allowlistEntry) },
    {
      /** Why `allow-always` stored nothing; the command runs once. */
      notStored: string(),
      /** Why the allowed command did not run: for example, its program no longer exists. */
      notRun: string(),
      /** How many other calls the answer applied to; absent for none. */
      others: integer({ min: 1 }),
    },
  ),
  object(
    {
      ok: literal(false),
      reason: oneOf(RESOLVE_REFUSALS),
      message: string(),
    },
    { hint: string(), approval: approvalInfo },
  ),
);
export type ResolveAnswer = Infer<typeof resolveAnswer>;

/** The effect of `approval.extend`. */
export const extendAnswer = union(
  'ok',
  object({ ok: literal(true), approval: approvalInfo }),
  object(
    {
      ok: literal(false),
      reason: oneOf(EXTEND_REFUSALS),
      message: string(),
    },
    { hint: string(), approval: approvalInfo },
  ),
);
export type ExtendAnswer = Infer<typeof extendAnswer>;

export const AUDIT_EVENTS = [
  'judged',
  'asked',
  'answered',
  'extended',
  'started',
  'ended',
  'denied',
  'override',
  'rules',
  'egress',
  'omitted',
  'obeyed',
  'guard-lost',
  'node',
  'login',
  'page',
  'control',
] as const;

/** One row of the audit log. */
export const auditEntry = object(
  {
    ...actor.required,
    seq: number(),
    time: number(),
    event: oneOf(AUDIT_EVENTS),
    details: record(json()),
  },
  {
    ...actor.optional,
    approvalId: string(),
    sessionId: string(),
    command: string(),
    by: string(),
    /** Secrets in the command are masked, so it cannot be judged again. */
    masked: literal(true),
    /** The entry was too long: its strings are shortened. */
    cut: literal(true),
  },
);
export type AuditEntry = Infer<typeof auditEntry>;

/** The result of a check of the whole audit log. */
export const auditCheck = union(
  'ok',
  object({
    ok: literal(true),
    rows: number(),
    /** The number of the last row that was removed because of age or size; 0 for none. */
    removedUpTo: number(),
    last: number(),
    /** The hash of the last row. A copy elsewhere proves later that the log was not replaced. */
    hash: string(),
  }),
  object({
    ok: literal(false),
    /** The number of valid rows before `broken`. */
    rows: number(),
    /** The number of the first row that is missing, or whose hash does not match. */
    broken: number(),
  }),
);
export type AuditCheck = Infer<typeof auditCheck>;
