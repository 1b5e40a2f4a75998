/** THE SHAPE of a sandbox technology: how a sandbox is made, and what a made one gives. */
import type { Duplex } from 'node:stream';
import type { BackendName, SandboxBind, SandboxLimits, SandboxPromise, WorkspaceAccess } from '../../wire/sandbox.ts';

/** What a sandbox is made from. Two requests with equal specifications and owner share one. */
export interface SandboxSpec {
  /** Names it on this machine: letters, digits, dashes. */
  readonly id: string;
  /** The real path of the folder that is seen as `/workspace`; with access `none` a private one of the sandbox itself. */
  readonly workspace: string;
  readonly workspaceAccess: WorkspaceAccess;
  readonly limits: SandboxLimits;
  /** Whether there is a way out for some names, through the agent inside. */
  readonly egress: boolean;
  readonly binds: readonly SandboxBind[];
  readonly env: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly runtime?: string;
  readonly user?: string;
  readonly setupCommand?: string;
}

/** Where the workspace is seen inside of every sandbox. */
export const INSIDE = '/workspace';

/** Whether a backend works here; where it does not, the reason in one sentence and what to do. */
export type Probe =
  | { readonly ok: true; readonly version: string; readonly promises: readonly SandboxPromise[] }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** What is guarded in the workspace of a sandbox; paths start at the workspace. */
export interface GuardState {
  /** What is guarded. */
  readonly paths: readonly string[];
  /** The guards that no longer hold, because the host replaced what they were put on; does not throw when the sandbox has ended. */
  lost(): readonly string[];
  /** Whether a path is guarded, as long as nothing is lost. */
  covers(path: string): boolean;
  /** Whether something below a path is guarded. */
  isBelow(path: string): boolean;
}

/** A sandbox that runs, with the agent inside it started. */
export interface OpenSandbox {
  /** The agent's channel: nothing that comes out of it is to be trusted. */
  readonly channel: Duplex;
  /** A process of this machine that everything inside ends with, where there is one. */
  readonly pid?: number;
  /** Its processes see no others. */
  readonly ownProcesses?: true;
  /** Absent where nothing is guarded, or nobody can tell. */
  readonly guards?: GuardState;
  /** Resolves when it is gone, with the reason in a few words. */
  readonly ended: Promise<string>;
  /** Ends everything inside at once. */
  end(): Promise<void>;
}

/** A sandbox technology. */
export interface Backend {
  readonly name: BackendName;
  /** Runs the real profile once; `sandboxes/proof.ts` says how long the result is believed. */
  probe(): Promise<Probe>;
  /** What the result of a probe depends on and is cheap to read: equal text, equal result. Throws a Fault where it is missing. */
  dependsOn(): Promise<string>;
  /** Throws a Fault that says what is missing; never runs anything outside of a sandbox instead. */
  open(spec: SandboxSpec): Promise<OpenSandbox>;
}

/** The smallest sandbox, for a probe in a private workspace. */
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
