/** The interface of a sandbox backend: how a sandbox is created, and what a running one provides. */
import type { Duplex } from 'node:stream';
import type { BackendName, SandboxBind, SandboxLimits, SandboxPromise, WorkspaceAccess } from '../../wire/sandbox.ts';

/** Requests with equal specifications and the same owner share one sandbox. */
export interface SandboxSpec {
  /** Unique on this machine: letters, digits, dashes. */
  readonly id: string;
  /** The real path of the folder that is mounted at `/workspace`; with access `none`, a private folder of the sandbox. */
  readonly workspace: string;
  readonly workspaceAccess: WorkspaceAccess;
  readonly limits: SandboxLimits;
  /** Whether the runner offers a proxy to some host names. */
  readonly egress: boolean;
  readonly binds: readonly SandboxBind[];
  readonly env: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly runtime?: string;
  readonly user?: string;
  readonly setupCommand?: string;
}

/** Where every sandbox mounts its workspace. */
export const INSIDE = '/workspace';

/** Whether a backend works on this machine. */
export type Probe =
  | { readonly ok: true; readonly version: string; readonly promises: readonly SandboxPromise[] }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** The guards in the workspace of a sandbox; all paths are relative to the workspace. */
export interface GuardState {
  readonly paths: readonly string[];
  /** The guards that are no longer in effect because the host replaced the guarded file; does not throw after the sandbox has ended. */
  lost(): readonly string[];
  /** Whether a path is guarded, assuming that no guard is lost. */
  covers(path: string): boolean;
  /** Whether a path below this one is guarded. */
  isBelow(path: string): boolean;
}

/** A running sandbox whose runner has started. */
export interface OpenSandbox {
  /** The channel to the runner. Everything that it sends is untrusted. */
  readonly channel: Duplex;
  /** A host process; when it ends, every process in the sandbox ends. */
  readonly pid?: number;
  /** The sandbox has its own PID namespace. */
  readonly ownProcesses?: true;
  /** Absent where there are no guards, or where the host cannot see them. */
  readonly guards?: GuardState;
  /** Resolves with the reason after the sandbox has ended. */
  readonly ended: Promise<string>;
  /** Kills every process inside immediately. */
  end(): Promise<void>;
}

export interface Backend {
  readonly name: BackendName;
  /** Starts a sandbox with the real profile once; `sandboxes/probe-cache.ts` decides how long the result is valid. */
  probe(): Promise<Probe>;
  /** A cheap summary of what a probe depends on: equal text means equal result. Throws a Fault where the backend is missing. */
  dependsOn(): Promise<string>;
  /** Throws a Fault where no sandbox can be created; never falls back to the host. */
  open(spec: SandboxSpec): Promise<OpenSandbox>;
}

/** The smallest sandbox, with a private workspace. */
export function probeSpec(workspace: string): SandboxSpec {
  return {
    id: `probe-${process.pid}`,
    workspace,
    workspaceAccess: 'none',
    limits: { tmpBytes: 1024 * 1024 },
    egress: false,
    binds: [],
    env: {},
  };
}
