/** What the operator says about sandboxes, and what is told about them. */
import type { SecretRules } from './secret-rules.ts';

export type SandboxMode = 'off' | 'non-main' | 'all';
export type BackendName = 'off' | 'bubblewrap' | 'docker' | 'podman';
/** Who shares a sandbox: one conversation, one agent, or all. */
export type SandboxScope = 'session' | 'agent' | 'shared';
export type WorkspaceAccess = 'none' | 'ro' | 'rw';

/** Limits that not every machine can enforce. */
export type LimitName = 'memoryBytes' | 'pids' | 'cpus' | 'fileBytes';

/** What a sandbox may use at most. What the operator asked for and cannot be enforced is an error, never a guess. */
export interface SandboxLimits {
  /** Those that nobody asked for: they hold where they can be enforced. */
  readonly byDefault?: readonly LimitName[];
  readonly memoryBytes?: number;
  readonly pids?: number;
  /** Processors, 0.5 is half of one. */
  readonly cpus?: number;
  /** The largest file that may be written. */
  readonly fileBytes?: number;
  /** The size of /tmp (default: 256 MiB). */
  readonly tmpBytes: number;
}

/** A folder or file of this machine that is seen inside. */
export interface SandboxBind {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/** The operator's `sandbox`, for one agent, with every default filled in. */
export interface SandboxSettings {
  readonly mode: SandboxMode;
  readonly backend: Exclude<BackendName, 'off'>;
  readonly scope: SandboxScope;
  readonly workspaceAccess: WorkspaceAccess;
  readonly limits: SandboxLimits;
  /** Names, with `*.` in front for all below one and `:port` behind; empty for no network. */
  readonly networkAllow: readonly string[];
  readonly binds: readonly SandboxBind[];
  readonly env: Readonly<Record<string, string>>;
  readonly container: ContainerSettings;
  /** What becomes of files that the host obeys and that a command in a writable workspace made or changed. */
  readonly onObeyed: 'alert' | 'quarantine';
  /** Idle ones are ended after so long. */
  readonly pruneAfterMs: number;
}

/** What only containers need. */
export interface ContainerSettings {
  readonly image: string | undefined;
  /** Where the engine answers (default: the usual places). */
  readonly socket: string | undefined;
  /** Another runtime of the engine, such as `runsc`. */
  readonly runtime: string | undefined;
  /** Runs once in a new container, before anything else. */
  readonly setupCommand: string | undefined;
  readonly user: string | undefined;
}

/** One sandbox that runs, as `pincer sandbox list` shows it. */
export interface SandboxInfo {
  readonly id: string;
  readonly backend: BackendName;
  readonly scope: SandboxScope;
  /** Whose it is: an agent, an agent's conversation, or all. */
  readonly owner: string;
  readonly workspace: string;
  readonly workspaceAccess: WorkspaceAccess;
  readonly startedAt: number;
  readonly lastUsedAt: number;
  readonly running: number;
  readonly pid?: number;
  /** What is guarded in a writable workspace, from the workspace down; absent where nobody can tell. */
  readonly guarded?: readonly string[];
}

/** Whether a backend works on this machine, as the running of its real profile says. */
export type SandboxProbe =
  | { readonly ok: true; readonly version: string; readonly promises: readonly SandboxPromise[] }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** Where the commands of an agent in a folder run, and why. */
export interface SandboxExplanation {
  readonly agent: string;
  readonly folder: string;
  /** Whether file tools, and commands with host=sandbox, run in a sandbox. */
  readonly sandboxed: boolean;
  /** Whether commands run in it as things are. */
  readonly commandsSandboxed: boolean;
  /** What happens to commands, in one sentence. */
  readonly commands: string;
  /** The command line that gives more protection; present where commands are not judged on this machine. */
  readonly change?: string;
  /** One sentence. */
  readonly reason: string;
  readonly backend: BackendName;
  readonly settings: SandboxSettings;
  /** Absent where no backend is asked for. */
  readonly probe?: SandboxProbe;
  /** Those of this agent that run. */
  readonly open: readonly SandboxInfo[];
}

/** What a file tool in a sandbox knows beside its parameters. */
export interface SandboxToolContext {
  readonly modelContextWindowTokens?: number;
  readonly showSecrets?: boolean;
  readonly secrets?: SecretRules;
  readonly staleCheck?: 'off' | 'advise' | 'refuse';
  readonly hardLinks?: 'refuse' | 'in-place';
  readonly protect?: 'none';
  readonly durable?: boolean;
  readonly workspaceOnly?: boolean;
  readonly imageLimits?: Readonly<Record<string, number>>;
  /** What new files do not get of their mode (default: the gateway's). */
  readonly umask?: number;
}

/** What a file tool in a sandbox answered; the same as that of a tool on this machine. */
export interface SandboxToolAnswer {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  )[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly error?: string;
}

/** A file that programs on the host obey, and that is new, gone or other than before a command. */
export interface ObeyedChange {
  /** From the workspace down; bytes of names that are not UTF-8 are lone surrogates (U+DC80 to U+DCFF). */
  readonly path: string;
  /** The program that obeys it; for `not-searched`, why nothing is known about files there. */
  readonly reader: string;
  /**
   * `reached`: it is in a build folder, and a link from elsewhere leads there now. `gone`: it was removed, or moved away with its folder.
   * `second-name`: the file has another name (a hard link), so it can be written although it is guarded.
   */
  readonly change: 'new' | 'changed' | 'reached' | 'gone' | 'not-searched' | 'second-name';
  /** This many more are like this one, and are not listed. */
  readonly more?: number;
  /** It happened while no command ran: this machine did it, or a process that a command left behind. It is only reported. */
  readonly sinceLastCommand?: true;
  /** It was taken away, with `notQuarantined` only in part; the host's record of changes has it. */
  readonly quarantined?: true;
  /**
   * What it has again as before. Of a file or link all; where another content was replaced, the host's record of changes has it.
   * Of a folder the mode: what is in it is listed by itself.
   */
  readonly restored?: 'content' | 'mode';
  /** It should have been taken away, or restored where it was changed, and why it was not. */
  readonly notQuarantined?: string;
}

/** What one row of the escape suite says about a backend on this machine. */
export interface SandboxPromise {
  readonly id: string;
  readonly what: string;
  readonly holds: boolean;
  /** Why it does not, and what that means. */
  readonly reason?: string;
}
