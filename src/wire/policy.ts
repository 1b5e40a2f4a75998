/** Inputs and answers of policy. All of them are data: policy does not access the machine. */
import { CALL_CLASSES, callClass, profile } from './profile.ts';
import { type Infer, array, boolean, literal, number, object, oneOf, partial, record, string } from './schema.ts';
import { compound, starter, unprofiled } from './rules/choices.ts';
import { shape } from './rules/shape.ts';
import { step, verb } from './steps.ts';

export const HOST_NAMES = ['sandbox', 'gateway', 'node'] as const;
/** Strictest first. */
export const SECURITIES = ['deny', 'allowlist', 'full'] as const;
/** Strictest last. */
export const ASKS = ['off', 'on-miss', 'always'] as const;

export const hostName = oneOf(HOST_NAMES);
export type HostName = Infer<typeof hostName>;
export const security = oneOf(SECURITIES);
export type Security = Infer<typeof security>;
export const ask = oneOf(ASKS);
export type Ask = Infer<typeof ask>;
export const verdict = oneOf(['allow', 'ask', 'deny']);
export type Verdict = Infer<typeof verdict>;

export * from './rules/choices.ts';

/** What makes a call a risk: the class of its program, or why it could not be classified. */
export const risk = oneOf([...CALL_CLASSES, 'outside', 'secret', 'inline-code', 'unknown', 'syntax']);
export type Risk = Infer<typeof risk>;

/** The effective policy, with the origin of each value. */
export const effectivePolicy = object(
  {
    host: hostName,
    security,
    ask,
    askFallback: security,
    /** `default`, `config`, `environment`, `conversation`, `call`, `approvals`, `elevated` or `sandbox`. */
    from: object({ host: string(), security: string(), ask: string(), askFallback: string() }),
  },
  {
    node: string(),
    /** A command that no rule covers runs in the sandbox instead of asking, where a sandbox confines it. */
    onMiss: literal('sandbox'),
  },
);
export type EffectivePolicy = Infer<typeof effectivePolicy>;

/** Identifies a file: another inode, size or time means another program. Decimal strings, because JSON numbers lose digits. */
export const identity = object(
  { dev: string(), ino: string(), size: string(), mtimeNs: string() },
  {
    /** Unlike `size` and `mtimeNs`, a program cannot set it. */
    ctimeNs: string(),
  },
);
export type Identity = Infer<typeof identity>;

/** The program that a command name resolves to. */
export const binary = object(
  {
    /** The absolute path where the name was found, symlinks not resolved. */
    path: string(),
    /** The real path, which allowlists match and which is executed. */
    real: string(),
    identity,
    /** Whether users other than root and its owner can write the program or its folder. */
    writable: boolean(),
  },
  {
    /** The version manager that selects the actual program from files of the project: `rustup`, `pyenv`, `corepack` … */
    versionSwitch: string(),
    /** It and every folder above it belong to root, and nobody else can write there. */
    system: literal(true),
  },
);
export type Binary = Infer<typeof binary>;

/** A setting in the configuration of a repository: `remote.url` with the subsection `origin`. */
export interface RepositorySetting {
  readonly name: string;
  readonly subsection?: string;
  readonly value: string;
}

export interface RepositoryFacts {
  readonly settings: readonly RepositorySetting[];
  /** Names of the hooks that would run. */
  readonly hooks: readonly string[];
  /** The files of these hooks. */
  readonly hookFiles?: readonly string[];
  /** Why its settings could not be read completely. */
  readonly unreadable?: string;
  /** The first folder outside the workspace: the top of its working tree, its object store, or one of a submodule. */
  readonly outside?: string;
  /** With `outside`: its working tree and all of its submodules are in the workspace. */
  readonly isTreeInside?: true;
  /** The first of its worktrees outside the workspace. */
  readonly worktreeOutside?: string;
  /** Submodules at any depth, which git enters without a request. */
  readonly nested?: readonly NestedRepository[];
}

export interface NestedRepository {
  /** Its git directory. */
  readonly folder: string;
  readonly settings: readonly RepositorySetting[];
  readonly hooks: readonly string[];
  readonly outside?: string;
}

/** Git settings of the user, the system and the environment, which apply in every repository. */
export interface GitUserFacts {
  /** A variable `GIT_X` is the setting `environment.git_x`. */
  readonly settings: readonly RepositorySetting[];
  /** Why they could not be read completely. */
  readonly unreadable?: string;
}

/** The names in a folder, without `.` and `..`. */
export interface FolderNames {
  readonly names: readonly string[];
  /** Why the names are not complete. */
  readonly problem?: string;
}

/** Accesses the machine for policy. */
export interface Lookup {
  /** The folder that commands may change, as a real path. */
  workspace(): string;
  /** The `HOME` of commands. */
  home(): string | undefined;
  /** The same machine, where relative paths begin in another folder. */
  from(folder: string): Lookup;
  /** The names in the folder of an absolute path; none where it cannot be read. */
  names(folder: string): FolderNames;
  isFolder(path: string): boolean;
  /** The real path of an absolute path, or the one that it would have if it were created. */
  placeOf(path: string): string;
  /** Who obeys the file of a real path in the workspace, so that file tools do not write it; `git` for the files of git. */
  closedTo(path: string): string | undefined;
  /** The folders of PATH. */
  readonly folders: readonly string[];
  /** Searches a bare name in PATH; a name with a slash is a path from the current directory. */
  find(word: string): Binary | undefined;
  /** The real path of an absolute path; undefined where nothing exists. */
  realPath(path: string): string | undefined;
  /**
   * Why reading all of a folder through its links may read outside the workspace. `use`: its names become arguments, each as a
   * whole, or split at blanks and quotes; then also why one of them would be something else than a file of the folder.
   */
  leadsOut(folder: string, use?: 'whole' | 'split'): string | undefined;
  /** The repository that git would use in a folder; undefined where there is none. */
  repositoryAt(folder: string): RepositoryFacts | undefined;
  gitUser(): GitUserFacts;
  /** The first file or folder of the workspace that a git setting names and that makes git start programs. */
  obeyedByGit(folder: string): string | undefined;
  /** A file as text, with the SHA-256 of its bytes; undefined where there is none, and why where it cannot be read. */
  textOf(path: string): FileText | { readonly unreadable: string } | undefined;
  /** The SHA-256 of a text in UTF-8, in hexadecimal. */
  sha256(text: string): string;
}

export interface FileText {
  readonly text: string;
  readonly sha256: string;
}

/** The SHA-256 of a text that does not exist. */
export const ABSENT = 'absent';

/** A text that decides what a command does. A rule is bound to it: with another text, the rule does not match. */
export const boundText = object(
  {
    /** An absolute path. */
    file: string(),
    /** In hexadecimal; `absent` where the text does not exist. */
    sha256: string(),
  },
  {
    /** The part of the file: a JSON pointer, the name of a git setting, or `toolchain`. Absent: the whole file. */
    at: string(),
    /** The text, where it is short enough to show later what changed. */
    text: string(),
  },
);
export type BoundText = Infer<typeof boundText>;

/** A text that a rule is bound to, and that has changed since. */
export const changedText = object(
  { file: string() },
  {
    at: string(),
    /** Absent where it did not exist, or was too long to be kept. */
    before: string(),
    /** Absent where it does not exist, or is too long. */
    after: string(),
  },
);
export type ChangedText = Infer<typeof changedText>;

/** A rule about a program. It matches the real path; a bare name in `pattern` never matches. */
export const rule = object(
  {
    /** An absolute path (symlinks are resolved when the rules load) or a glob: `*` and `?` within a segment, `**` across. */
    pattern: string(),
  },
  {
    /** A regular expression that must match all arguments, joined by one space. */
    argPattern: string(),
    /** Prefixes of the argument list, one of which must match: `["log", "status", "diff --stat"]`. */
    args: array(string()),
    /** Shown when the rule decides. */
    reason: string(),
    /** Examples that the rule must match; checked when the rules load. */
    match: array(string()),
    /** Examples that the rule must not match. */
    notMatch: array(string()),
  },
);
export type Rule = Infer<typeof rule>;

/** Where the commands of a rule run. */
export const ruleHost = oneOf(['sandbox', 'gateway']);
export type RuleHost = Infer<typeof ruleHost>;

/** An allowlist entry of the approvals file. */
export const allowlistEntry = object(rule.required, {
  ...rule.optional,
  id: string(),
  /** `allow-always` when an approval stored it. */
  source: string(),
  /** The only folder where it applies. */
  cwd: string(),
  /** The exact arguments. */
  argv: array(string()),
  /** The calls that a person has allowed, for a program without a profile. */
  shapes: array(shape),
  /** From this time on it matches nothing, in milliseconds since 1970. */
  expiresAt: number(),
  // The following need version 2 of the approvals file.
  /** The exact arguments, in `below`. A last `*` stands for further words that the profile of the program accepts. */
  words: array(string()),
  /** It applies in this folder and the folders below. */
  below: string(),
  /** What the person accepted. */
  class: callClass,
  /** Where its commands run: on this machine, or in the sandbox of the agent. Default: gateway. */
  where: ruleHost,
  /** The texts that decide what the command does. */
  bound: array(boundText),
  /** `any`: all arguments, also those that make the program start others. */
  arguments: literal('any'),
  /** The pattern is a folder, whose files every allowed program may read, or also write. */
  access: oneOf(['read', 'write']),
  /** The command as the person typed it. */
  said: string(),
  /** When it was stored, in milliseconds since 1970. */
  at: number(),
  /** Who stored it. */
  by: string(),
  lastUsedAt: number(),
  lastUsedCommand: string(),
  lastResolvedPath: string(),
});
export type AllowlistEntry = Infer<typeof allowlistEntry>;

/** The allowed arguments of a safe bin. */
export const safeBinProfile = partial({
  minPositional: number(),
  maxPositional: number(),
  allowedValueFlags: array(string()),
  allowedFlags: array(string()),
  deniedFlags: array(string()),
});
export type SafeBinProfile = Infer<typeof safeBinProfile>;

/** The rules of the approvals file and of the configuration. */
export const rules = object(
  {
    allowlist: array(allowlistEntry),
    deny: array(rule),
    safeBins: array(string()),
    safeBinProfiles: record(safeBinProfile),
    safeBinTrustedDirs: array(string()),
    strictInlineEval: boolean(),
  },
  {
    /** Entries of the allowlist that have expired; they allow nothing. */
    expired: array(allowlistEntry),
    /** Default: none. */
    starter,
    /** Default: ask. */
    compound,
    /** Default: screen. */
    unprofiled,
    /** Profiles of the operator, by program name; one replaces the built-in profile of that name. */
    profiles: record(profile),
    /** Further variables that a call may set, by name. */
    env: array(string()),
  },
);
export type Rules = Infer<typeof rules>;

/** A part of the command, in UTF-16 units. */
export const span = object({ start: number(), end: number() });
export type Span = Infer<typeof span>;

/** One command of a pipeline, executed by real path and argv without a shell. */
export const plannedStage = object(
  {
    /** The first element is the name that the caller typed; the program is `binary.real`. */
    argv: array(string()),
    binary,
  },
  {
    /** The programs that a wrapper such as `nice` starts, with absolute paths in `argv`; checked again like `binary`. */
    starts: array(binary),
    /** Done through the file boundary; `binary` is not started. */
    verb,
    /** Variables that its profile adds. */
    env: record(string()),
  },
);
export type PlannedStage = Infer<typeof plannedStage>;

/** All programs in the order of the text; with `steps`, a compound command whose steps are judged again when they start. */
export const plan = object({ stages: array(plannedStage) }, { steps: array(step) });
export type Plan = Infer<typeof plan>;

/** The judgement about one command of a pipeline. */
export const stageReport = object(
  {
    argv: array(string()),
    span,
    verdict,
    /** In kebab-case: `allowlisted`, `safe-bin`, `allowlist-miss`, `inline-code`, `shell`, `not-found`, `deny-rule` … */
    code: string(),
    /** One sentence. */
    reason: string(),
  },
  {
    binary,
    /** The rule that decided. */
    rule,
    risk,
    /** The step that it belongs to, in a compound command that runs as steps. */
    step: number(),
  },
);
export type StageReport = Infer<typeof stageReport>;

/** For whom a hint is: the agent, who can change its command, or the operator. */
export const hintFor = oneOf(['agent', 'operator']);
export type HintFor = Infer<typeof hintFor>;

/** The answer of policy about a command. */
export const judgement = object(
  {
    verdict,
    /** A code of a stage, or `chaining`, `redirection`, `substitution`, `expansion`, `control-character` … */
    code: string(),
    /** One sentence that names the rule that decided. */
    reason: string(),
    stages: array(stageReport),
  },
  {
    /** The characters that `reason` is about. */
    at: span,
    /** How to change the command so that it is allowed, or what a person can do. */
    hint: string(),
    /** Present with `hint`; absent from a node of an earlier version. */
    hintFor,
    /** Present when the command can run without a shell. */
    plan,
    /** The narrowest entries that `allow-always` would store; absent when nothing may be stored. */
    proposal: array(allowlistEntry),
    /** A person must answer: neither `askFallback` nor a timeout can allow it. */
    explicit: literal(true),
    /** Why the text does not show whether one of the deny rules matches. */
    unknownNames: string(),
    /** The highest risk of its commands. */
    risk,
    /** A rule allows it in the sandbox of the agent only: it runs there as a whole, and nowhere else without an answer. */
    allowedIn: literal('sandbox'),
    /** What changed in the texts that a rule is bound to, so that the rule does not match. */
    changed: array(changedText),
  },
);
export type Judgement = Infer<typeof judgement>;

/** What a stage does in the whole: `deny` says that no entry can allow the stage; where the whole asks, a person still can. */
export function stageVerdict(whole: Verdict, stage: Verdict): Verdict {
  return whole === 'ask' && stage === 'deny' ? 'ask' : stage;
}
