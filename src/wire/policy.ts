/** What policy is asked and what it answers. Everything here is data: policy touches no machine. */

/** Where commands run. */
export type HostName = 'sandbox' | 'gateway' | 'node';
export type Security = 'deny' | 'allowlist' | 'full';
export type Ask = 'off' | 'on-miss' | 'always';
export type Verdict = 'allow' | 'ask' | 'deny';

/** Which layer decided each value, for those who ask why. */
export interface EffectivePolicy {
  readonly host: HostName;
  readonly security: Security;
  readonly ask: Ask;
  readonly askFallback: Security;
  readonly node?: string;
  /** For each value the layer that it comes from: `default`, `config`, `environment`, `conversation`, `call`, `approvals`, `elevated`, `sandbox`. */
  readonly from: Readonly<Record<'host' | 'security' | 'ask' | 'askFallback', string>>;
}

/** What makes a file the same file: another inode, size or time is another program. Decimal text, so that it crosses JSON. */
export interface Identity {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  /** When anything about it last changed: size and time of writing can be put back, this cannot. */
  readonly ctimeNs?: string;
}

/** A program that a command word led to. */
export interface Binary {
  /** Where the word was found: absolute, links not followed. */
  readonly path: string;
  /** The real path: what allowlists are held against, and what is run. */
  readonly real: string;
  readonly identity: Identity;
  /** Whether others than root and the owner of the program could have written it or its folder. */
  readonly writable: boolean;
  /** The version manager that decides, by files of the project, which program really runs: `rustup`, `pyenv`, `corepack` … */
  readonly versionSwitch?: string;
}

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
export interface Rule {
  /** An absolute path (its links are followed when rules load) or a glob: `*` and `?` within a segment, `**` across. */
  readonly pattern: string;
  /** A regular expression that the arguments, joined by one space, must match as a whole. */
  readonly argPattern?: string;
  /** What the arguments must begin with, one alternative per entry: `["log", "status", "diff --stat"]`. */
  readonly args?: readonly string[];
  /** Shown where the rule decides. */
  readonly reason?: string;
  /** Commands that the rule must match, and must not; checked when rules load. */
  readonly match?: readonly string[];
  readonly notMatch?: readonly string[];
}

/** An entry of an allowlist as the approvals file keeps it. */
export interface AllowlistEntry extends Rule {
  readonly id?: string;
  /** `allow-always` when an approval stored it. */
  readonly source?: string;
  /** The one working folder that it holds in. */
  readonly cwd?: string;
  /** The exact arguments, as an approval stores them. */
  readonly argv?: readonly string[];
  readonly lastUsedAt?: number;
  readonly lastUsedCommand?: string;
  readonly lastResolvedPath?: string;
}

/** Which arguments a safe bin may have. */
export interface SafeBinProfile {
  readonly minPositional?: number;
  readonly maxPositional?: number;
  readonly allowedValueFlags?: readonly string[];
  readonly allowedFlags?: readonly string[];
  readonly deniedFlags?: readonly string[];
}

/** What rules say, from the approvals file and the configuration together. */
export interface Rules {
  readonly allowlist: readonly AllowlistEntry[];
  readonly deny: readonly Rule[];
  readonly safeBins: readonly string[];
  readonly safeBinProfiles: Readonly<Record<string, SafeBinProfile>>;
  readonly safeBinTrustedDirs: readonly string[];
  readonly strictInlineEval: boolean;
}

/** A part of the command's text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One command of a pipeline as it will run: by real path and argv, without any shell. */
export interface PlannedStage {
  /** The first word is what the caller typed; the program to run is `binary.real`. */
  readonly argv: readonly string[];
  readonly binary: Binary;
  /** What a wrapper such as `nice` starts in turn, named by absolute path in `argv`; checked again like `binary`. */
  readonly starts?: readonly Binary[];
}

export interface Plan {
  readonly stages: readonly PlannedStage[];
}

/** What was found out about one command of a pipeline. */
export interface StageReport {
  readonly argv: readonly string[];
  readonly span: Span;
  readonly binary?: Binary;
  readonly verdict: Verdict;
  /** In kebab-case: `allowlisted`, `safe-bin`, `allowlist-miss`, `inline-code`, `shell`, `not-found`, `deny-rule` … */
  readonly code: string;
  /** One sentence. */
  readonly reason: string;
  /** The rule that decided. */
  readonly rule?: Rule;
}

/** Policy's answer about one command. */
export interface Judgement {
  readonly verdict: Verdict;
  /** In kebab-case; those of a stage, or `chaining`, `redirection`, `substitution`, `expansion`, `control-character` … */
  readonly code: string;
  /** One sentence that says which rule decided. */
  readonly reason: string;
  /** The characters that it is about. */
  readonly at?: Span;
  /** What would make it pass. */
  readonly hint?: string;
  /** Present when the command can be run without a shell. */
  readonly plan?: Plan;
  readonly stages: readonly StageReport[];
  /** The narrowest entries that `allow-always` would store; absent when nothing may be stored. */
  readonly proposal?: readonly AllowlistEntry[];
  /** Must be answered by a person: neither `askFallback` nor a timeout can allow it. */
  readonly explicit?: true;
  /** There are deny rules, and why nobody can tell from the text whether one of them is about it. */
  readonly unknownNames?: string;
}
