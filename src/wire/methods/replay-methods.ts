/** The method `policy.replay`. */
import { type Infer, array, json, number, object, oneOf, partial, record, string } from '../schema.ts';
import { count, method } from './method.ts';

/** `sandbox`: it runs in the sandbox instead of asking. */
export const replayVerdict = oneOf(['allow', 'sandbox', 'ask', 'deny']);
export type ReplayVerdict = Infer<typeof replayVerdict>;

/** How many commands could not be judged again, and why. */
export const notReplayable = partial({
  /** Secrets are masked in the audit log. */
  masked: count,
  /** The command was too long for a row of the audit log. */
  shortened: count,
  /** The values of variables are not in the audit log. */
  variables: count,
  /** An earlier version did not record the folder. */
  'no-folder': count,
  /** The folder does not exist any more. */
  'folder-missing': count,
  /** The command ran on a node, which has its own rules. */
  'on-node': count,
});
export type NotReplayable = keyof Infer<typeof notReplayable>;

/** A command whose verdict would be another one now. */
export const replayedChange = object({
  /** Of its row in the audit log. */
  seq: number(),
  time: number(),
  agent: string(),
  command: string(),
  cwd: string(),
  before: replayVerdict,
  after: replayVerdict,
  /** Of the judgement now. */
  code: string(),
  reason: string(),
});
export type ReplayedChange = Infer<typeof replayedChange>;

export const REPLAY_METHODS = {
  'policy.replay': method(
    'Judges commands of the audit log again, a part at a time, and returns those whose verdict would change. Nothing runs.',
    object(
      {
        /** In milliseconds since 1970. */
        since: number(),
        /** Where programs are searched. */
        environment: record(string()),
      },
      {
        /** An approvals file to judge with, instead of the stored one. */
        document: json({ depth: 100, values: 1_000_000 }),
        /** `next` of the part before. */
        after: count,
        /** Rows of the audit log in a part (default: 500). */
        rows: count,
      },
    ),
    object(
      {
        /** How many commands were judged again. */
        replayed: count,
        changes: array(replayedChange),
        notReplayable,
      },
      {
        /** Absent after the last part. */
        next: count,
      },
    ),
  ),
} as const;
