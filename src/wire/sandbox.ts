/** What the operator says about sandboxes, and what is told about them. */
import {
  type Infer,
  array,
  boolean,
  literal,
  number,
  object,
  oneOf,
  orUndefined,
  record,
  string,
  union,
} from './schema.ts';

export const sandboxMode = oneOf(['off', 'non-main', 'all']);
export type SandboxMode = Infer<typeof sandboxMode>;
const sandboxBackend = oneOf(['bubblewrap', 'docker', 'podman']);
export const backendName = oneOf(['off', 'bubblewrap', 'docker', 'podman']);
export type BackendName = Infer<typeof backendName>;
/** Who shares a sandbox: one conversation, one agent, or all. */
export const sandboxScope = oneOf(['session', 'agent', 'shared']);
export type SandboxScope = Infer<typeof sandboxScope>;
export const workspaceAccess = oneOf(['none', 'ro', 'rw']);
export type WorkspaceAccess = Infer<typeof workspaceAccess>;

/** Limits that not every machine can enforce. */
export const limitName = oneOf(['memoryBytes', 'pids', 'cpus', 'fileBytes']);
export type LimitName = Infer<typeof limitName>;

/** What a sandbox may use at most. What the operator asked for and cannot be enforced is an error, never a guess. */
export const sandboxLimits = object(
  {
    /** The size of /tmp (default: 256 MiB). */
    tmpBytes: number(),
  },
  {
    /** Those that nobody asked for: they hold where they can be enforced. */
    byDefault: array(limitName),
    memoryBytes: number(),
    pids: number(),
    /** Processors, 0.5 is half of one. */
    cpus: number(),
    /** The largest file that may be written. */
    fileBytes: number(),
  },
);
export type SandboxLimits = Infer<typeof sandboxLimits>;

/** A folder or file of this machine that is seen inside. */
export const sandboxBind = object({ source: string(), target: string(), access: oneOf(['ro', 'rw']) });
export type SandboxBind = Infer<typeof sandboxBind>;

/** What only containers need. */
export const containerSettings = object({
  image: orUndefined(string()),
  /** Where the engine answers (default: the usual places). */
  socket: orUndefined(string()),
  /** Another runtime of the engine, such as `runsc`. */
  runtime: orUndefined(string()),
  /** Runs once in a new container, before anything else. */
  setupCommand: orUndefined(string()),
  user: orUndefined(string()),
});
export type ContainerSettings = Infer<typeof containerSettings>;

/** The operator's `sandbox`, for one agent, with every default filled in. */
export const sandboxSettings = object({
  mode: sandboxMode,
  backend: sandboxBackend,
  scope: sandboxScope,
  workspaceAccess,
  limits: sandboxLimits,
  /** Names, with `*.` in front for all below one and `:port` behind; empty for no network. */
  networkAllow: array(string()),
  binds: array(sandboxBind),
  env: record(string()),
  container: containerSettings,
  /** What becomes of files that the host obeys and that a command in a writable workspace made or changed. */
  onObeyed: oneOf(['alert', 'quarantine']),
  /** Idle ones are ended after so long. */
  pruneAfterMs: number(),
});
export type SandboxSettings = Infer<typeof sandboxSettings>;

/** One sandbox that runs, as `pincer sandbox list` shows it. */
export const sandboxInfo = object(
  {
    id: string(),
    backend: backendName,
    scope: sandboxScope,
    /** Whose it is: an agent, an agent's conversation, or all. */
    owner: string(),
    workspace: string(),
    workspaceAccess,
    startedAt: number(),
    lastUsedAt: number(),
    running: number(),
  },
  {
    pid: number(),
    /** What is guarded in a writable workspace, from the workspace down; absent where nobody can tell. */
    guarded: array(string()),
  },
);
export type SandboxInfo = Infer<typeof sandboxInfo>;

/** What one row of the escape suite says about a backend on this machine. */
export const sandboxPromise = object(
  { id: string(), what: string(), holds: boolean() },
  {
    /** Why it does not, and what that means. */
    reason: string(),
  },
);
export type SandboxPromise = Infer<typeof sandboxPromise>;

/** Whether a backend works on this machine, as the running of its real profile says. */
export const sandboxProbe = union(
  'ok',
  object({ ok: literal(true), version: string(), promises: array(sandboxPromise) }),
  object({ ok: literal(false), message: string(), hint: string() }),
);
export type SandboxProbe = Infer<typeof sandboxProbe>;

/** Where the commands of an agent in a folder run, and why. */
export const sandboxExplanation = object(
  {
    agent: string(),
    folder: string(),
    /** Whether file tools, and commands with host=sandbox, run in a sandbox. */
    sandboxed: boolean(),
    /** Whether commands run in it as things are. */
    commandsSandboxed: boolean(),
    /** What happens to commands, in one sentence. */
    commands: string(),
    /** One sentence. */
    reason: string(),
    backend: backendName,
    settings: sandboxSettings,
    /** Those of this agent that run. */
    open: array(sandboxInfo),
  },
  {
    /** The command line that gives more protection; present where commands are not judged on this machine. */
    change: string(),
    /** Absent where no backend is asked for. */
    probe: sandboxProbe,
  },
);
export type SandboxExplanation = Infer<typeof sandboxExplanation>;

/** A file that programs on the host obey, and that is new, gone or other than before a command. */
export const obeyedChange = object(
  {
    /** From the workspace down; bytes of names that are not UTF-8 are lone surrogates (U+DC80 to U+DCFF). */
    path: string(),
    /** The program that obeys it; for `not-searched`, why nothing is known about files there. */
    reader: string(),
    /**
     * `reached`: it is in a build folder, and a link from elsewhere leads there now. `gone`: it was removed, or moved away with its folder.
     * `second-name`: the file has another name (a hard link), so it can be written although it is guarded.
     */
    change: oneOf(['new', 'changed', 'reached', 'gone', 'not-searched', 'second-name']),
  },
  {
    /** This many more are like this one, and are not listed. */
    more: number(),
    /** It happened while no command ran: this machine did it, or a process that a command left behind. It is only reported. */
    sinceLastCommand: literal(true),
    /** It was taken away, with `notQuarantined` only in part; the host's record of changes has it. */
    quarantined: literal(true),
    /**
     * What it has again as before. Of a file or link all; where another content was replaced, the host's record of changes has it.
     * Of a folder the mode: what is in it is listed by itself.
     */
    restored: oneOf(['content', 'mode']),
    /** It should have been taken away, or restored where it was changed, and why it was not. */
    notQuarantined: string(),
  },
);
export type ObeyedChange = Infer<typeof obeyedChange>;
