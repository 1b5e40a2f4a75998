/** The posture: what happens to an agent's commands and files in a folder. */
import { type Infer, array, boolean, object, oneOf, string } from './schema.ts';
import { effectivePolicy, hostName, rules } from './policy.ts';
import { sandboxSettings, workspaceAccess } from './sandbox.ts';

/**
 * `open`: commands run on this machine and are not judged. `judged`: policy decides. `sandboxed`: commands run in a sandbox.
 * `denied`: the operator denies all commands. `failing`: the host that should run commands is unavailable.
 */
export const postureKind = oneOf(['open', 'judged', 'sandboxed', 'denied', 'failing']);
export type PostureKind = Infer<typeof postureKind>;

/** What happens to commands. */
export const commandPosture = object(
  {
    kind: postureKind,
    effective: effectivePolicy,
    /** Whether `security` and `ask` apply to commands. */
    isJudged: boolean(),
    /** Where commands really run; `effective.host` is `sandbox` also where sandboxing is off. */
    runsOn: hostName,
    /** A sentence about commands. */
    commands: string(),
  },
  {
    /** The sandbox of the caller; absent where sandboxing is off. */
    sandbox: object(
      { backend: sandboxSettings.required.backend, workspaceAccess },
      {
        /** Why the sandbox cannot be created. */
        unavailable: string(),
      },
    ),
    /** The names of the nodes that a command with host=node could run on now; absent where there are none. */
    nodes: array(string()),
    /** The node of the file tools; absent where they work on this machine or in a sandbox. */
    filesNode: object(
      { name: string() },
      {
        workspace: string(),
        access: workspaceAccess,
        /** Why the node cannot be used. */
        unavailable: string(),
      },
    ),
    /** What commands cannot do in the sandbox; present where they run in one. */
    limits: string(),
    /** The command line that increases protection; present where commands run on this machine and are not judged. */
    change: string(),
  },
);
export type CommandPosture = Infer<typeof commandPosture>;

const PLACES = { gateway: 'on this machine', sandbox: 'in a sandbox', node: 'on a node' } as const;

/** `on this machine, not judged`. */
export function placeText({ runsOn, isJudged }: Pick<CommandPosture, 'runsOn' | 'isJudged'>): string {
  return `${PLACES[runsOn]}${isJudged ? '' : ', not judged'}`;
}

/** `CommandPosture` with a sentence about file tools. */
export const posture = object({ ...commandPosture.required, files: string() }, { ...commandPosture.optional });
export type Posture = Infer<typeof posture>;

/** The posture of commands with the rules that judge them. */
export const policyReport = object(
  {
    posture: commandPosture,
    rules,
    /** The first folders of PATH. */
    pathPrepend: array(string()),
    /** Settings that affect the judgement in addition to the rules. */
    settings: object({ execAllowed: boolean(), headless: boolean() }),
    /** The policy that would apply with host=gateway. */
    gateway: effectivePolicy,
    /** Warnings about settings without effect. */
    remarks: array(string()),
  },
  {
    /** Why the approvals file is invalid; it then denies all commands. */
    broken: string(),
    /** Why the sandbox cannot be created in which commands would run. */
    noSandbox: string(),
  },
);
export type PolicyReport = Infer<typeof policyReport>;
