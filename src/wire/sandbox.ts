/** Sandboxes: their settings and their state. */
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
/** One sandbox per conversation (`session`), per agent, or for all. */
export const sandboxScope = oneOf(['session', 'agent', 'shared']);
export type SandboxScope = Infer<typeof sandboxScope>;
export const workspaceAccess = oneOf(['none', 'ro', 'rw']);
export type WorkspaceAccess = Infer<typeof workspaceAccess>;

/** Limits that not every machine can enforce. */
export const limitName = oneOf(['memoryBytes', 'pids', 'cpus', 'fileBytes']);
export type LimitName = Infer<typeof limitName>;

/** The limits of a sandbox. A limit that the operator sets and the machine cannot enforce is an error. */
export const sandboxLimits = object(
  {
    /** The size of /tmp (default: 256 MiB). */
    tmpBytes: number(),
  },
  {
    /** The limits that the operator did not set; they apply where the machine can enforce them. */
    byDefault: array(limitName),
    memoryBytes: number(),
    pids: number(),
    /** Processors; 0.5 is half of one. */
    cpus: number(),
    /** The maximum size of a file that a command writes. */
    fileBytes: number(),
  },
);
export type SandboxLimits = Infer<typeof sandboxLimits>;

/** A folder or file of this machine that is mounted in the sandbox. */
export const sandboxBind = object({ source: string(), target: string(), access: oneOf(['ro', 'rw']) });
export type SandboxBind = Infer<typeof sandboxBind>;

/** Settings for Docker and Podman. */
export const containerSettings = object({
  image: orUndefined(string()),
  /** The socket of the engine (default: the standard paths). */
  socket: orUndefined(string()),
  /** The container runtime, such as `runsc`. */
  runtime: orUndefined(string()),
  /** Runs once in a new container, before the first command. */
  setupCommand: orUndefined(string()),
  user: orUndefined(string()),
});
export type ContainerSettings = Infer<typeof containerSettings>;

/** The effective `sandbox` settings of one agent. */
export const sandboxSettings = object({
  mode: sandboxMode,
  backend: sandboxBackend,
  scope: sandboxScope,
  workspaceAccess,
  limits: sandboxLimits,
  /** Host names, such as `api.example.com:8443` or `*.example.org`; empty for no network. */
  networkAllow: array(string()),
  binds: array(sandboxBind),
  env: record(string()),
  container: containerSettings,
  /** What to do with obeyed files that a command in a writable workspace created or changed. */
  onObeyed: oneOf(['alert', 'quarantine']),
  /** The time without use after which a sandbox is ended. */
  pruneAfterMs: number(),
});
export type SandboxSettings = Infer<typeof sandboxSettings>;

/** A running sandbox, as `pincer sandbox list` shows it. */
export const sandboxInfo = object(
  {
    id: string(),
    backend: backendName,
    scope: sandboxScope,
    /** An agent, an agent's conversation, or all. */
    owner: string(),
    workspace: string(),
    workspaceAccess,
    startedAt: number(),
    lastUsedAt: number(),
    running: number(),
  },
  {
    pid: number(),
    /** The guarded paths in a writable workspace, relative to the workspace; absent where they are unknown. */
    guarded: array(string()),
  },
);
export type SandboxInfo = Infer<typeof sandboxInfo>;

/** A promise of the escape suite, tested with a backend on this machine. */
export const sandboxPromise = object(
  { id: string(), what: string(), holds: boolean() },
  {
    /** Why the promise is broken, and what that means. */
    reason: string(),
  },
);
export type SandboxPromise = Infer<typeof sandboxPromise>;

/** Whether a backend works on this machine, tested with its real profile. */
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
    /** Whether commands run in it with the current settings. */
    commandsSandboxed: boolean(),
    /** One sentence about commands. */
    commands: string(),
    /** One sentence. */
    reason: string(),
    backend: backendName,
    settings: sandboxSettings,
    /** The running sandboxes of this agent. */
    open: array(sandboxInfo),
  },
  {
    /** The command line that increases protection; present where commands run on this machine and are not judged. */
    change: string(),
    /** Absent where no backend is configured. */
    probe: sandboxProbe,
  },
);
export type SandboxExplanation = Infer<typeof sandboxExplanation>;

/** A change of an obeyed file: programs on the host read it and act on it. */
export const obeyedChange = object(
  {
    /** Relative to the workspace; bytes of names that are not UTF-8 are lone surrogates (U+DC80 to U+DCFF). */
    path: string(),
    /** The program that obeys it; for `not-searched`, why the files there are unknown. */
    reader: string(),
    /**
     * `reached`: it is in a build folder, and a symlink from elsewhere now points there. `gone`: it was removed, or moved with its
     * folder. `second-name`: the file has a second hard link, through which commands can write it although it is guarded.
     */
    change: oneOf(['new', 'changed', 'reached', 'gone', 'not-searched', 'second-name']),
  },
  {
    /** The number of similar changes that are not listed. */
    more: number(),
    /** It changed while no command ran: by this machine, or by a process that a command left behind. It is only reported. */
    sinceLastCommand: literal(true),
    /** It was removed, with `notQuarantined` only in part; the host's record of changes has it. */
    quarantined: literal(true),
    /**
     * What was restored. `content`: the whole file or symlink; the host's record of changes has the replaced content. `mode`: the
     * mode of a folder; changes inside the folder are listed separately.
     */
    restored: oneOf(['content', 'mode']),
    /** Why it was not removed or restored although quarantine is configured. */
    notQuarantined: string(),
  },
);
export type ObeyedChange = Infer<typeof obeyedChange>;
