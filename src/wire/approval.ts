/** A question put to a person, and the answer. */
import { type Infer, array, boolean, json, literal, number, object, oneOf, record, string, union } from './schema.ts';
import { actor } from './caller.ts';
import { allowlistEntry, hostName, judgement } from './policy.ts';

export const decision = oneOf(['allow-once', 'allow-always', 'deny']);
export type Decision = Infer<typeof decision>;

export const approvalState = oneOf(['pending', 'allowed', 'denied', 'expired', 'cancelled']);
export type ApprovalState = Infer<typeof approvalState>;

/** What an approval is bound to: if any of it differs when the command is to run, it does not run. */
export const approvalBinding = object(
  {
    ...actor.required,
    host: hostName,
    command: string(),
    cwd: string(),
    /** The identity of the working folder: `dev:ino`. */
    cwdIdentity: string(),
    /** The overrides of the call, as given. */
    env: record(string()),
    pty: boolean(),
    /** Per stage `real path`, identity and argv; for a command that needs a shell, that of the shell. */
    programs: array(object({ real: string(), identity: string(), argv: array(string()) })),
    /** The files among its words that hold programs, such as `build.py`, and what they were. */
    files: array(object({ path: string(), identity: string() })),
  },
  { ...actor.optional },
);
export type ApprovalBinding = Infer<typeof approvalBinding>;

export const approvalInfo = object(
  {
    /** A UUID; the first eight characters name it, too. */
    id: string(),
    slug: string(),
    state: approvalState,
    createdAt: number(),
    expiresAt: number(),
    binding: approvalBinding,
    judgement,
    /** What `allow-always` would store, shown before it is stored; empty when nothing may be stored. */
    wouldStore: array(allowlistEntry),
  },
  {
    decision,
    resolvedBy: string(),
    resolvedAt: number(),
    sessionId: string(),
    /** How it ended: `code 0`, `timeout`, a denial reason; `user-denied: …` with the reason that the person gave. */
    outcome: string(),
    /** Secrets are masked, because it does not wait any more. */
    masked: literal(true),
  },
);
export type ApprovalInfo = Infer<typeof approvalInfo>;

/** What an answer did. The first answer wins; a later one hears what the first was. */
export const resolveAnswer = union(
  'ok',
  object(
    { ok: literal(true), approval: approvalInfo, stored: array(allowlistEntry) },
    {
      /** Why nothing was stored although it was asked for; the command runs this once. */
      notStored: string(),
      /** Why nothing ran although it was allowed: what was asked about is not there any more, say. */
      notRun: string(),
    },
  ),
  object(
    {
      ok: literal(false),
      reason: oneOf(['unknown', 'ambiguous', 'already-resolved', 'expired', 'not-storable', 'not-authorised']),
      message: string(),
    },
    { hint: string(), approval: approvalInfo },
  ),
);
export type ResolveAnswer = Infer<typeof resolveAnswer>;

/** One line of the audit log: who asked, what was judged, why, who answered, how it ended. */
export const auditEntry = object(
  {
    ...actor.required,
    seq: number(),
    time: number(),
    event: oneOf([
      'judged',
      'asked',
      'answered',
      'started',
      'ended',
      'denied',
      'override',
      'rules',
      'egress',
      'omitted',
      'obeyed',
      'guard-lost',
    ]),
    details: record(json()),
  },
  {
    ...actor.optional,
    approvalId: string(),
    sessionId: string(),
    command: string(),
    by: string(),
    /** Secrets in it are masked: it cannot be judged again. */
    masked: literal(true),
    /** It was too long: its texts are shortened. */
    cut: literal(true),
  },
);
export type AuditEntry = Infer<typeof auditEntry>;

/** What reading the whole audit log found. */
export const auditCheck = union(
  'ok',
  object({
    ok: literal(true),
    rows: number(),
    /** The number of the last row that was removed by age or size; 0 for none. */
    removedUpTo: number(),
    last: number(),
    /** The hash of the last row: whoever keeps it elsewhere can tell whether the log was replaced. */
    hash: string(),
  }),
  object({
    ok: literal(false),
    /** How many rows before it hold. */
    rows: number(),
    /** The number of the first row that is missing, or does not follow from those before it. */
    broken: number(),
  }),
);
export type AuditCheck = Infer<typeof auditCheck>;
