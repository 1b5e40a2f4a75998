/** The effective settings for running commands, for one agent in one folder. */
import type { HostName } from './exec.ts';
import type { Ask, Compound, OnMiss, Rule, SafeBinProfile, Security, Starter, Unprofiled } from './policy.ts';
import type { Profile } from './profile.ts';
import type { SandboxSettings } from './sandbox.ts';

export type ElevatedLevel = 'off' | 'on' | 'ask' | 'full';

/** Where the operator changes a value. */
export interface SettingPlace {
  /** The path for `pincer config set`, in the agent's own entry where that sets it. */
  readonly path: string;
  /** The variable that overrides the files: in the daemon's environment, or in the caller's where it is stricter. */
  readonly variable?: string;
}

export interface ExecSettings {
  /** Undefined where it is not set; then the default of the host applies. */
  readonly host: HostName | undefined;
  readonly security: Security | undefined;
  readonly ask: Ask | undefined;
  readonly node: string | undefined;
  /** The nodes that may be chosen; undefined for all. */
  readonly nodes: readonly string[] | undefined;
  /** The node of the file tools, and the nodes that they may work on. */
  readonly files: { readonly node: string | undefined; readonly nodes: readonly string[] | undefined };
  /** With `~` expanded. */
  readonly pathPrepend: readonly string[];
  /** Without expansion, for sandboxes: `~` is another folder there. */
  readonly pathPrependInside: readonly string[];
  readonly safeBins: readonly string[];
  readonly safeBinProfiles: Readonly<Record<string, SafeBinProfile>>;
  readonly safeBinTrustedDirs: readonly string[];
  readonly strictInlineEval: boolean;
  readonly starter: Starter;
  readonly compound: Compound;
  readonly unprofiled: Unprofiled;
  readonly onMiss: OnMiss;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Further variables that a call may set without approval. */
  readonly env: readonly string[];
  readonly denyRules: readonly Rule[];
  readonly backgroundMs: number;
  readonly timeoutSec: number;
  readonly cleanupMs: number;
  readonly maxLogBytes: number;
  readonly notifyOnExit: boolean;
  readonly notifyOnExitEmptySuccess: boolean;
  readonly approvalRunningNoticeMs: number;
  readonly approvalTimeoutMs: number;
  /** Open approval requests of an agent, and new ones in 10 minutes; further commands that need approval are denied. */
  readonly questions: { readonly maxOpen: number; readonly maxNew: number };
  /** No person answers approval requests: `askFallback` decides immediately. */
  readonly headless: boolean;
  readonly execAllowed: boolean;
  readonly processAllowed: boolean;
  readonly elevated: {
    readonly enabled: boolean;
    readonly allowFrom: readonly string[];
    readonly default: ElevatedLevel;
  };
  readonly sandbox: SandboxSettings;
  /** What this machine runs for the gateway that it is a node of: `node.exec` and `node.sandbox`. */
  readonly guests: { readonly exec: 'off' | 'judged'; readonly sandbox: boolean };
  /** Where to change the settings that decide whether commands are judged. */
  readonly places: Readonly<Record<'host' | 'security' | 'ask' | 'node' | 'headless' | 'elevated', SettingPlace>>;
  /** The senders that may use `/exec` and `/approve`; undefined for all. */
  readonly authorisedSenders: readonly string[] | undefined;
  /** The configuration files. */
  readonly sources: readonly string[];
  readonly warnings: readonly string[];
}
