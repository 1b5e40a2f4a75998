/** What really happens to an agent's commands and files in a folder, from the values that decide about them. */
import { type Infer, array, boolean, object, oneOf, string } from './schema.ts';
import { effectivePolicy, rules } from './policy.ts';
import { sandboxSettings, workspaceAccess } from './sandbox.ts';

/** What happens to a command: `open` is this machine without a judgement. */
export const postureKind = oneOf(['open', 'judged', 'sandboxed', 'denied']);
export type PostureKind = Infer<typeof postureKind>;

/** What happens to commands: the gateway decides it. */
export const commandPosture = object(
  {
    kind: postureKind,
    effective: effectivePolicy,
    /** Whether `security` and `ask` decide about commands. */
    isJudged: boolean(),
    /** What happens to a command. */
    commands: string(),
  },
  {
    /** The sandbox that belongs to the caller; absent where sandboxing is off. */
    sandbox: object(
      { backend: sandboxSettings.required.backend, workspaceAccess },
      {
        /** Why it cannot be made. */
        unavailable: string(),
      },
    ),
    /** What commands in the sandbox cannot do; present where they run in one. */
    limits: string(),
    /** The command line that gives more protection; present where commands are not judged on this machine. */
    change: string(),
  },
);
export type CommandPosture = Infer<typeof commandPosture>;

/** What happens to commands and to file tools, which the process that offers them decides. */
export const posture = object({ ...commandPosture.required, files: string() }, { ...commandPosture.optional });
export type Posture = Infer<typeof posture>;

/** The posture of commands with the rules that judge them. */
export const policyReport = object(
  {
    posture: commandPosture,
    rules,
    /** Folders that come before all others in PATH. */
    pathPrepend: array(string()),
    /** What decides about a judged command beside the rules. */
    settings: object({ execAllowed: boolean(), headless: boolean() }),
    /** The policy that would hold with host=gateway. */
    gateway: effectivePolicy,
    /** What was said and has no effect. */
    remarks: array(string()),
  },
  {
    /** Why the approvals file counts as one that denies everything. */
    broken: string(),
  },
);
export type PolicyReport = Infer<typeof policyReport>;
