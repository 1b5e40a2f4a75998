/** What really happens to an agent's commands and files in a folder, from the values that decide about them. */
import type { EffectivePolicy, Rules } from './policy.ts';
import type { SandboxSettings } from './sandbox.ts';
import type { ExecSettings } from './settings.ts';

/**
 * What happens to a command: `open` is this machine without a judgement; `denied` is a refusal that the operator chose;
 * `failing` is a command that finds nothing to run in.
 */
export type PostureKind = 'open' | 'judged' | 'sandboxed' | 'denied' | 'failing';

/** What happens to commands: the gateway decides it. */
export interface CommandPosture {
  readonly kind: PostureKind;
  readonly effective: EffectivePolicy;
  /** The sandbox that belongs to the caller; absent where sandboxing is off. */
  readonly sandbox?: Pick<SandboxSettings, 'backend' | 'workspaceAccess'> & {
    /** Why it cannot be made. */
    readonly unavailable?: string;
  };
  /** Whether `security` and `ask` decide about commands. */
  readonly isJudged: boolean;
  /** What happens to a command. */
  readonly commands: string;
  /** What commands in the sandbox cannot do; present where they run in one. */
  readonly limits?: string;
  /** The command line that gives more protection; present where commands are not judged on this machine. */
  readonly change?: string;
}

/** What happens to commands and to file tools, which the process that offers them decides. */
export interface Posture extends CommandPosture {
  readonly files: string;
}

/** The posture of commands with the rules that judge them. */
export interface PolicyReport {
  readonly posture: CommandPosture;
  readonly rules: Rules;
  /** Folders that come before all others in PATH. */
  readonly pathPrepend: readonly string[];
  /** What decides about a judged command beside the rules. */
  readonly settings: Pick<ExecSettings, 'execAllowed' | 'headless'>;
  /** The policy that would hold with host=gateway. */
  readonly gateway: EffectivePolicy;
  /** Why the approvals file counts as one that denies everything. */
  readonly broken?: string;
  /** What was said and has no effect. */
  readonly remarks: readonly string[];
}
