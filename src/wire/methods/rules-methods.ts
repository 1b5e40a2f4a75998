/** The methods `rules.*`: the approvals file, changed by compare-and-swap. */
import { caller } from '../caller.ts';
import { allowlistEntry } from '../policy.ts';
import { array, boolean, type Infer, json, literal, object, oneOf, string, union } from '../schema.ts';
import { count, method } from './method.ts';

/** The approvals file, without its socket token. */
export const rulesDocument = object(
  {
    path: string(),
    exists: boolean(),
    /** The hash of the file, for the next change. */
    revision: string(),
    /** Null where the file is not a JSON object: its text could contain the token. */
    document: json(),
    /** The entries of all allowlists, with their last use. A use is written at most every ten minutes. */
    allowlist: array(
      object(
        {
          /** `*`: all agents. */
          agent: string(),
          entry: allowlistEntry,
        },
        { expired: literal(true) },
      ),
    ),
    /** Members without effect, one sentence each. */
    remarks: array(string()),
  },
  {
    /** Why the file is invalid; it then denies all commands. */
    broken: string(),
  },
);
export type RulesDocument = Infer<typeof rulesDocument>;

/** A change of the approvals file. */
export const rulesChange = union(
  'kind',
  object({ kind: literal('replace'), document: json({ depth: 100, values: 1_000_000 }) }),
  object({ kind: literal('add'), agent: string(), entry: allowlistEntry }),
  object({
    kind: literal('remove'),
    agent: string(),
    /** The id of the entry, or its pattern where only one has it. */
    entry: string(),
  }),
);
export type RulesChange = Infer<typeof rulesChange>;

/** The effect of a change. */
export const rulesAnswer = union(
  'ok',
  object(
    { ok: literal(true), current: rulesDocument },
    {
      /** The entry that was added, or the existing one that allows the same; or the one that was removed. */
      entry: allowlistEntry,
    },
  ),
  object(
    {
      ok: literal(false),
      /** `conflict`: the file was changed since `revision`. */
      reason: oneOf(['conflict', 'invalid', 'unknown-entry']),
      message: string(),
      /** The file as it is. Nothing was changed. */
      current: rulesDocument,
    },
    { hint: string() },
  ),
);
export type RulesAnswer = Infer<typeof rulesAnswer>;

/** A problem of the whole approvals file, or of one rule. */
export const ruleProblem = object(
  { list: oneOf(['exec-approvals.json', 'allowlist', 'deny']), message: string() },
  { index: count, rule: string() },
);
export type RuleProblem = Infer<typeof ruleProblem>;

/** The result of a check of rules with their examples. */
export const testedRules = object({
  ok: boolean(),
  rules: count,
  examples: count,
  problems: array(ruleProblem),
  /** Entries without effect. */
  warnings: array(string()),
});
export type TestedRules = Infer<typeof testedRules>;

export const RULES_METHODS = {
  'rules.get': method('The approvals file of this machine.', object({}), rulesDocument),
  'rules.set': method(
    'Changes the approvals file, where it still has the hash `revision`.',
    object({ change: rulesChange, revision: string(), by: string() }),
    rulesAnswer,
  ),
  'rules.test': method(
    'Checks the rules that judge commands of the caller in a folder, with their examples.',
    object(
      { caller, folder: string() },
      {
        /** An approvals file that is not stored yet. */
        document: json({ depth: 100, values: 1_000_000 }),
      },
    ),
    testedRules,
  ),
} as const;
