/** What the operator's configuration says about running commands, for one agent in one folder, with every default filled in. */
import type { HostName } from './exec.ts';
import type { Ask, Rule, SafeBinProfile, Security } from './policy.ts';
import type { SandboxSettings } from './sandbox.ts';

export type ElevatedLevel = 'off' | 'on' | 'ask' | 'full';

/** Where the operator changes a value. */
export interface SettingPlace {
  /** As `pincer config set` names it: that of the agent's own entry where the agent has one. */
  readonly path: string;
  /** The variable that holds instead of the files: of the daemon's environment, or of the caller's where it is stricter. */
  readonly variable?: string;
}

export interface ExecSettings {
  /** Undefined where the operator said nothing, so that the default of the host holds. */
  readonly host: HostName | undefined;
  readonly security: Security | undefined;
  readonly ask: Ask | undefined;
  readonly node: string | undefined;
  /** With `~` expanded. */
  readonly pathPrepend: readonly string[];
  /** The same as they are written, for sandboxes: `~` is another folder there. */
  readonly pathPrependInside: readonly string[];
  readonly safeBins: readonly string[];
  readonly safeBinProfiles: Readonly<Record<string, SafeBinProfile>>;
  readonly safeBinTrustedDirs: readonly string[];
  readonly strictInlineEval: boolean;
  readonly denyRules: readonly Rule[];
  readonly backgroundMs: number;
  readonly timeoutSec: number;
  readonly cleanupMs: number;
  readonly maxLogBytes: number;
  readonly notifyOnExit: boolean;
  readonly notifyOnExitEmptySuccess: boolean;
  readonly approvalRunningNoticeMs: number;
  readonly approvalTimeoutMs: number;
  /** Nobody looks at the inbox: a question is answered by `askFallback` at once. */
  readonly headless: boolean;
  /** Whether the tools may be called by this agent at all. */
  readonly execAllowed: boolean;
  readonly processAllowed: boolean;
  readonly elevated: {
    readonly enabled: boolean;
    readonly allowFrom: readonly string[];
    readonly default: ElevatedLevel;
  };
  readonly sandbox: SandboxSettings;
  /** Where to change what decides whether commands are judged. */
  readonly places: Readonly<Record<'host' | 'security' | 'ask' | 'headless' | 'elevated', SettingPlace>>;
  /** Who may type `/exec` and `/approve`; undefined when everybody may. */
  readonly authorisedSenders: readonly string[] | undefined;
  /** The files that this comes from, and what in them has no effect. */
  readonly sources: readonly string[];
  readonly warnings: readonly string[];
}
