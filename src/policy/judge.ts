/** Allowlist mode: may this text run, and as which argv? */
import type {
  AllowlistEntry,
  Judgement,
  Lookup,
  Plan,
  PlannedStage,
  Rules,
  Span,
  StageReport,
} from '../wire/policy.ts';
import { withVariables } from './environment.ts';
import { type DenyBench, denialInText } from './deny.ts';
import { Effort } from './effort.ts';
import { firstUnsettledInPipe, isLooking } from './order.ts';
import { parserAgrees } from './shell/agree.ts';
import { findUnfit } from './shell/characters.ts';
import type { Refusal, ShellStage, ShellWord } from './shell/refusal.ts';
import { BUILTINS } from './shell/reserved.ts';
import { scanCommand } from './shell/scan.ts';
import { type Decided, decideStage } from './stage.ts';
import { withTerminal } from './terminal.ts';

/** A shell that is not ours, which will read the command. */
export interface ForeignShell {
  /** Names that are no programs for it. */
  readonly builtins: ReadonlySet<string>;
}

/**
 * Judges a command for security=allowlist. Never throws; a limit that is hit is a no. `isBash` says whether bash reads the text
 * where it runs as text: deny rules read what other shells read alike.
 */
export function judge(
  command: string,
  rules: Rules,
  lookup: Lookup,
  cwd: string,
  foreignShell?: ForeignShell,
  isBash = foreignShell === undefined,
): Judgement {
  const builtins = foreignShell?.builtins ?? BUILTINS;
  const shared = { lookup, cwd, effort: new Effort(), foreignShell: foreignShell !== undefined, anyShell: !isBash };
  const bench = { ...shared, deny: rules.deny };
  const unfit = findUnfit(command);
  if (unfit?.code === 'too-long') return unread(unfit, rules);
  if (unfit !== undefined) return refused(unfit, command, bench);
  const { stages, refusal } = scanCommand(command);
  if (stages === undefined) return refused(refusal, command, bench);
  const builtin = stages.find(({ words }) => builtins.has(words[0]!.text))?.words[0];
  if (builtin !== undefined) return refused(builtinRefusal(builtin, lookup), command, bench);
  if (!parserAgrees(command, stages)) return refused(disagreement(command), command, bench);
  const foreign = foreignShell === undefined ? undefined : foreignWord(stages, command);
  if (foreign !== undefined) return refused(foreign, command, bench);
  const decided = stages.map(({ words }) =>
    decideStage(
      words.map(({ text }) => text),
      { ...shared, rules },
    ),
  );
  const late = firstUnsettledInPipe(
    stages.map(({ words }, i) => ({ words: words.map(({ text }) => text), binary: decided[i]!.binary })),
    lookup,
  );
  return combine(
    stages,
    decided.map((one, i) => (i === late ? unsettled(one, rules) : one)),
  );
}

/** A command of which the files may change after it was judged is a person's decision. */
function unsettled(decided: Decided, { deny }: Rules): Decided {
  const reason = `other commands of the pipeline may change the files that ${decided.argv[0]} depends on`;
  const unknown = deny.length === 0 ? {} : { unknownNames: reason };
  if (decided.verdict !== 'allow') return { ...decided, ...unknown };
  const { proposal: _, ...rest } = decided;
  return {
    ...rest,
    ...unknown,
    verdict: 'ask',
    code: 'project-code',
    reason,
    hint: 'run it as a command of its own',
    explicit: true,
  };
}

/** A command with what its call brings along. */
export interface Call {
  readonly command: string;
  /** Variables of the call that are not known to be harmless. */
  readonly unlisted: readonly string[];
  readonly pty: boolean;
  /** The working folder is not in the workspace. */
  readonly isOutside?: boolean;
  /** Bash would read it where it runs as text. */
  readonly isBash?: boolean;
}

/** Judges a command with its variables and its terminal. */
export function judgeCall(call: Call, rules: Rules, lookup: Lookup, cwd: string): Judgement {
  const judged = judge(call.command, rules, lookup, cwd, undefined, call.isBash);
  const placed = call.isOutside === true ? outsideOfWorkspace(judged, cwd) : judged;
  const judgement = withVariables(placed, call.unlisted, rules.deny.length > 0);
  return call.pty ? withTerminal(judgement, rules) : judgement;
}

/** Where other files than the agent's are, an entry for a program does not say that it may change them. */
function outsideOfWorkspace(judgement: Judgement, cwd: string): Judgement {
  const stage = judgement.stages.find(
    ({ argv, binary, rule }) => !isLooking({ words: argv, binary }) && !(rule !== undefined && 'cwd' in rule),
  );
  if (judgement.verdict !== 'allow' || stage === undefined) return judgement;
  return {
    ...judgement,
    verdict: 'ask',
    code: 'outside-workspace',
    reason: `${stage.argv[0]} may change files, and ${cwd} is not in the workspace`,
    hint: 'run it in the workspace, or ask the operator for an entry with this cwd',
    explicit: true,
  };
}

/** Nothing reads a text that is too long, so that it costs nothing; deny rules cannot see through it either. */
function unread({ code, reason, at, hint }: Refusal, { deny }: Rules): Judgement {
  const unknown = deny.length === 0 ? {} : { unknownNames: reason };
  return { verdict: 'deny', code, reason, at, hint, stages: [], explicit: true, ...unknown };
}

/** Not analysable: only a person can allow it, once, unless a deny rule forbids one of its commands. */
function refused({ code, reason, at, hint }: Refusal, command: string, bench: DenyBench): Judgement {
  const denial = denialInText(command, bench);
  if (denial?.rule !== undefined) {
    const why = denial.rule.reason === undefined ? '' : `: ${denial.rule.reason}`;
    const told = `a deny rule for ${denial.rule.pattern} forbids ${denial.name ?? 'it'}${why}`;
    return {
      verdict: 'deny',
      code: 'deny-rule',
      reason: told,
      hint: 'only the operator can change deny rules',
      stages: [],
    };
  }
  const unknown = denial?.unknown === undefined ? {} : { unknownNames: denial.unknown };
  return { verdict: 'deny', code, reason, at, hint, stages: [], explicit: true, ...unknown };
}

function builtinRefusal({ text, span }: ShellWord, lookup: Lookup): Refusal {
  const file = BUILTINS.has(text) ? undefined : lookup.find(text)?.path;
  const instead = file === undefined ? 'run the program that is meant' : `name the file: ${file}`;
  return {
    code: 'builtin',
    reason: `${text} is a command of the shell itself and no program`,
    at: span,
    hint: text === 'cd' ? 'choose the folder with workdir' : instead,
  };
}

/** A word that zsh expands and bash does not: `=ls` is a path, `^x` and `x#` are patterns of file names. */
function foreignWord(stages: readonly ShellStage[], command: string): Refusal | undefined {
  for (const { span, text } of stages.flatMap(({ words }) => words)) {
    const unquoted = command.slice(span.start, span.end).replaceAll(/'[^']*'|"[^"]*"/g, '');
    // A pattern in the middle keeps its beginning: no option comes of `HEAD~1` or `HEAD^`, but of `-^x` any.
    if (/^[=^]|#/.test(unquoted) || (text.startsWith('-') && /[~^]/.test(unquoted)))
      return {
        code: 'not-analysable',
        reason: `${text} means different things to different shells`,
        at: span,
        hint: 'put it in single quotes',
      };
  }
  return undefined;
}

function disagreement(command: string): Refusal {
  return {
    code: 'not-analysable',
    reason: 'two readers of the command do not find the same words in it',
    at: { start: 0, end: command.length },
    hint: 'write it more plainly: words, single quotes, and | between commands',
  };
}

function combine(stages: readonly ShellStage[], decided: readonly Decided[]): Judgement {
  const reports = decided.map((one, i) => report(one, stages[i]!));
  const planned = planOf(decided);
  const plan = planned === undefined ? {} : { plan: planned };
  const at = worst(decided);
  if (at < 0) {
    const reason =
      decided.length === 1 ? decided[0]!.reason : `all ${decided.length} commands of the pipeline are allowed`;
    return { verdict: 'allow', code: decided[0]!.code, reason, ...plan, stages: reports };
  }
  const { verdict, code, reason, hint, word } = decided[at]!;
  const proposal = proposalOf(decided);
  return {
    verdict,
    code,
    reason,
    at: spanOf(stages[at]!, word),
    ...(hint === undefined ? {} : { hint }),
    ...plan,
    stages: reports,
    ...(proposal === undefined ? {} : { proposal }),
    ...(decided.some(({ explicit }) => explicit === true) ? { explicit: true as const } : {}),
    ...unknownNames(decided),
  };
}

/** A deny rule first, then what cannot run at all, then what may never be kept, then what may. */
function worst(decided: readonly Decided[]): number {
  const rank = ({ verdict, code }: Decided): number =>
    code === 'deny-rule' ? 4 : code === 'not-found' ? 3 : verdict === 'deny' ? 2 : verdict === 'ask' ? 1 : 0;
  const highest = Math.max(...decided.map(rank));
  return highest === 0 ? -1 : decided.findIndex((one) => rank(one) === highest);
}

function spanOf({ words, span }: ShellStage, word: number): Span {
  return words[word]?.span ?? span;
}

function report({ verdict, code, reason, binary, rule }: Decided, { words, span }: ShellStage): StageReport {
  const argv = words.map(({ text }) => text);
  return {
    argv,
    span,
    ...(binary === undefined ? {} : { binary }),
    verdict,
    code,
    reason,
    ...(rule === undefined ? {} : { rule }),
  };
}

/** How it would run without a shell; undefined where a program was not found. */
function planOf(decided: readonly Decided[]): Plan | undefined {
  const stages: PlannedStage[] = [];
  for (const { argv, binary, starts } of decided) {
    if (binary === undefined) return undefined;
    stages.push(starts.length === 0 ? { argv, binary } : { argv, binary, starts });
  }
  return { stages };
}

/** All that is missing, or nothing at all: half of it would not let the command pass. */
function proposalOf(decided: readonly Decided[]): readonly AllowlistEntry[] | undefined {
  const entries: AllowlistEntry[] = [];
  for (const { proposal } of decided) {
    if (proposal === undefined) return undefined;
    entries.push(...proposal);
  }
  return entries.length === 0 ? undefined : entries;
}

function unknownNames(decided: readonly Decided[]): Pick<Judgement, 'unknownNames'> {
  const reason = decided.find(({ unknownNames }) => unknownNames !== undefined)?.unknownNames;
  return reason === undefined ? {} : { unknownNames: reason };
}
