/** What policy is asked and what it answers. Everything here is data: policy touches no machine. */
import { type Infer, array, boolean, literal, number, object, oneOf, partial, record, string } from './schema.ts';

/** Where commands run. */
export const HOST_NAMES = ['sandbox', 'gateway', 'node'] as const;
/** Which commands may run, the strictest first. */
export const SECURITIES = ['deny', 'allowlist', 'full'] as const;
/** When a person is asked, the strictest last. */
export const ASKS = ['off', 'on-miss', 'always'] as const;

export const hostName = oneOf(HOST_NAMES);
export type HostName = Infer<typeof hostName>;
export const security = oneOf(SECURITIES);
export type Security = Infer<typeof security>;
export const ask = oneOf(ASKS);
export type Ask = Infer<typeof ask>;
export const verdict = oneOf(['allow', 'ask', 'deny']);
export type Verdict = Infer<typeof verdict>;

/** Which layer decided each value, for those who ask why. */
export const effectivePolicy = object(
  {
    host: hostName,
    security,
    ask,
    askFallback: security,
    /** For each value the layer that it comes from: `default`, `config`, `environment`, `conversation`, `call`, `approvals`, `elevated`, `sandbox`. */
    from: object({ host: string(), security: string(), ask: string(), askFallback: string() }),
  },
  { node: string() },
);
export type EffectivePolicy = Infer<typeof effectivePolicy>;

/** What makes a file the same file: another inode, size or time is another program. Decimal text, so that it crosses JSON. */
export const identity = object(
  { dev: string(), ino: string(), size: string(), mtimeNs: string() },
  {
    /** When anything about it last changed: size and time of writing can be put back, this cannot. */
    ctimeNs: string(),
  },
);
export type Identity = Infer<typeof identity>;

/** A program that a command word led to. */
export const binary = object(
  {
    /** Where the word was found: absolute, links not followed. */
    path: string(),
    /** The real path: what allowlists are held against, and what is run. */
    real: string(),
    identity,
    /** Whether others than root and the owner of the program could have written it or its folder. */
    writable: boolean(),
  },
  {
    /** The version manager that decides, by files of the project, which program really runs: `rustup`, `pyenv`, `corepack` … */
    versionSwitch: string(),
  },
);
export type Binary = Infer<typeof binary>;

/** One setting in a repository's own configuration: `remote.url` with the subsection `origin`. */
export interface RepositorySetting {
  readonly name: string;
  readonly subsection?: string;
  readonly value: string;
}

/** What a git repository says by itself. */
export interface RepositoryFacts {
  readonly settings: readonly RepositorySetting[];
  /** Names of the hooks that would run. */
  readonly hooks: readonly string[];
  /** Why its settings could not be read as a whole. */
  readonly unreadable?: string;
  /** The first of its folders, or of those of its submodules, that is not in the workspace: the top of the working tree, the one with its objects. */
  readonly outside?: string;
  /** With `outside`: the files of its working tree, and all of its submodules, are in the workspace. */
  readonly isTreeInside?: true;
  /** The first of the worktrees that share it and are not in the workspace. */
  readonly worktreeOutside?: string;
  /** Submodules, at any depth: git enters them by itself. */
  readonly nested?: readonly NestedRepository[];
}

/** What a repository says that git enters from another one. */
export interface NestedRepository {
  /** The folder that git keeps it in. */
  readonly folder: string;
  readonly settings: readonly RepositorySetting[];
  readonly hooks: readonly string[];
  readonly outside?: string;
}

/** What the user of git, the machine and variables say, which holds in every repository. */
export interface GitUserFacts {
  /** A variable `GIT_X` is the setting `environment.git_x`. */
  readonly settings: readonly RepositorySetting[];
  /** Why they could not be read as a whole. */
  readonly unreadable?: string;
}

/** Finds programs for policy: a bare word in PATH, a word with a slash from the working folder. */
export interface Lookup {
  /** The folders that names are looked for in, in their order. */
  readonly folders: readonly string[];
  find(word: string): Binary | undefined;
  /** The real path of an absolute path; undefined where nothing exists. */
  realPath(path: string): string | undefined;
  /** The repository that git would use in a folder; undefined where there is none. */
  repositoryAt(folder: string): RepositoryFacts | undefined;
  /** What git obeys wherever it is called. */
  gitUser(): GitUserFacts;
  /** The first file or folder of the workspace by which git in a folder starts programs, because settings name it. */
  obeyedByGit(folder: string): string | undefined;
}

/** One rule about a program. A bare name in `pattern` never matches: paths and globs on the real path only. */
export const rule = object(
  {
    /** An absolute path (its links are followed when rules load) or a glob: `*` and `?` within a segment, `**` across. */
    pattern: string(),
  },
  {
    /** A regular expression that the arguments, joined by one space, must match as a whole. */
    argPattern: string(),
    /** What the arguments must begin with, one alternative per entry: `["log", "status", "diff --stat"]`. */
    args: array(string()),
    /** Shown where the rule decides. */
    reason: string(),
    /** Commands that the rule must match, and must not; checked when rules load. */
    match: array(string()),
    notMatch: array(string()),
  },
);
export type Rule = Infer<typeof rule>;

/** An entry of an allowlist as the approvals file keeps it. */
export const allowlistEntry = object(rule.required, {
  ...rule.optional,
  id: string(),
  /** `allow-always` when an approval stored it. */
  source: string(),
  /** The one working folder that it holds in. */
  cwd: string(),
  /** The exact arguments, as an approval stores them. */
  argv: array(string()),
  lastUsedAt: number(),
  lastUsedCommand: string(),
  lastResolvedPath: string(),
});
export type AllowlistEntry = Infer<typeof allowlistEntry>;

/** Which arguments a safe bin may have. */
export const safeBinProfile = partial({
  minPositional: number(),
  maxPositional: number(),
  allowedValueFlags: array(string()),
  allowedFlags: array(string()),
  deniedFlags: array(string()),
});
export type SafeBinProfile = Infer<typeof safeBinProfile>;

/** What rules say, from the approvals file and the configuration together. */
export const rules = object({
  allowlist: array(allowlistEntry),
  deny: array(rule),
  safeBins: array(string()),
  safeBinProfiles: record(safeBinProfile),
  safeBinTrustedDirs: array(string()),
  strictInlineEval: boolean(),
});
export type Rules = Infer<typeof rules>;

/** A part of the command's text, in UTF-16 units. */
export const span = object({ start: number(), end: number() });
export type Span = Infer<typeof span>;

/** One command of a pipeline as it will run: by real path and argv, without any shell. */
export const plannedStage = object(
  {
    /** The first word is what the caller typed; the program to run is `binary.real`. */
    argv: array(string()),
    binary,
  },
  {
    /** What a wrapper such as `nice` starts in turn, named by absolute path in `argv`; checked again like `binary`. */
    starts: array(binary),
  },
);
export type PlannedStage = Infer<typeof plannedStage>;

export const plan = object({ stages: array(plannedStage) });
export type Plan = Infer<typeof plan>;

/** What was found out about one command of a pipeline. */
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
  },
);
export type StageReport = Infer<typeof stageReport>;

/** Policy's answer about one command. */
export const judgement = object(
  {
    verdict,
    /** In kebab-case; those of a stage, or `chaining`, `redirection`, `substitution`, `expansion`, `control-character` … */
    code: string(),
    /** One sentence that says which rule decided. */
    reason: string(),
    stages: array(stageReport),
  },
  {
    /** The characters that it is about. */
    at: span,
    /** What would make it pass. */
    hint: string(),
    /** Present when the command can be run without a shell. */
    plan,
    /** The narrowest entries that `allow-always` would store; absent when nothing may be stored. */
    proposal: array(allowlistEntry),
    /** Must be answered by a person: neither `askFallback` nor a timeout can allow it. */
    explicit: literal(true),
    /** There are deny rules, and why nobody can tell from the text whether one of them is about it. */
    unknownNames: string(),
  },
);
export type Judgement = Infer<typeof judgement>;
