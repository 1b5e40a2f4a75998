/** security=allowlist: decides whether a command may run, and with which argv. */
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
import { withFolders, withVariables } from './environment.ts';
import { type DenyContext, denialInText } from './deny.ts';
import { WorkBudget } from './work-budget.ts';
import { firstInvalidatedInPipe, isReadOnly } from './command-order.ts';
import { parserAgrees } from './shell/parser-agrees.ts';
import { findInvalidCharacter } from './shell/characters.ts';
import type { Refusal, ShellStage, ShellWord } from './shell/refusal.ts';
import { BUILTINS } from './shell/reserved.ts';
import { scanCommand } from './shell/scan.ts';
import { type StageDecision, decideStage } from './stage.ts';
import { withTerminal } from './terminal.ts';
import { worstDecision } from './worst-decision.ts';
import { invalidated } from './invalidated.ts';
import { forAgent, forOperator } from './hint.ts';

/** A shell that Pincer does not start, which will parse the command. */
export interface ForeignShell {
  /** Names that this shell does not look up as programs. */
  readonly builtins: ReadonlySet<string>;
}

/**
 * Judges a command for security=allowlist. Never throws; reaching a limit is a denial. `isBash` is false where another shell
 * may parse the text: deny rules then accept only what all shells read alike.
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
  const shared = { lookup, cwd, budget: new WorkBudget(), foreignShell: foreignShell !== undefined, anyShell: !isBash };
  const context = { ...shared, deny: rules.deny };
  const invalid = findInvalidCharacter(command);
  if (invalid?.code === 'too-long') return unread(invalid, rules);
  if (invalid !== undefined) return refused(invalid, command, context);
  const { stages, refusal } = scanCommand(command);
  if (stages === undefined) return refused(refusal, command, context);
  const builtin = stages.find(({ words }) => builtins.has(words[0]!.text))?.words[0];
  if (builtin !== undefined) return refused(builtinRefusal(builtin, lookup), command, context);
  if (!parserAgrees(command, stages)) return refused(disagreement(command), command, context);
  const foreign = foreignShell === undefined ? undefined : foreignWord(stages, command);
  if (foreign !== undefined) return refused(foreign, command, context);
  const decided = stages.map(({ words }) =>
    decideStage(
      words.map(({ text }) => text),
      { ...shared, rules },
    ),
  );
  const late = firstInvalidatedInPipe(
    stages.map(({ words }, i) => ({ words: words.map(({ text }) => text), binary: decided[i]!.binary })),
    lookup,
  );
  return combine(
    stages,
    decided.map((one, i) => (i === late ? invalidated(one, rules) : one)),
  );
}

/** A command with the rest of its call. */
export interface Call {
  readonly command: string;
  /** Variables of the call that are not known to be harmless. */
  readonly unlisted: readonly string[];
  /** Folders before PATH that the operator of this machine has not listed. */
  readonly unlistedFolders?: readonly string[];
  readonly pty: boolean;
  /** The working folder is outside the workspace. */
  readonly isOutside?: boolean;
  /** Bash parses the text where it runs in a shell. */
  readonly isBash?: boolean;
}

export function judgeCall(call: Call, rules: Rules, lookup: Lookup, cwd: string): Judgement {
  const judged = judge(call.command, rules, lookup, cwd, undefined, call.isBash);
  const placed = call.isOutside === true ? outsideOfWorkspace(judged, cwd) : judged;
  const hasDenyRules = rules.deny.length > 0;
  const found = withFolders(placed, call.unlistedFolders ?? [], hasDenyRules);
  const judgement = withVariables(found, call.unlisted, hasDenyRules);
  return call.pty ? withTerminal(judgement, rules) : judgement;
}

/** Outside the workspace, an entry for a program does not allow it to change files. */
function outsideOfWorkspace(judgement: Judgement, cwd: string): Judgement {
  const stage = judgement.stages.find(
    ({ argv, binary, rule }) => !isReadOnly({ words: argv, binary }) && !(rule !== undefined && 'cwd' in rule),
  );
  if (judgement.verdict !== 'allow' || stage === undefined) return judgement;
  return {
    ...judgement,
    verdict: 'ask',
    code: 'outside-workspace',
    reason: `${stage.argv[0]} may change files, and ${cwd} is not in the workspace`,
    ...forAgent('run it in the workspace, or ask the operator for an entry with this cwd'),
    explicit: true,
  };
}

/** A command that is too long is not parsed, which bounds the time. Deny rules cannot be checked either. */
function unread({ code, reason, at, hint, hintFor }: Refusal, { deny }: Rules): Judgement {
  const unknown = deny.length === 0 ? {} : { unknownNames: reason };
  return { verdict: 'deny', code, reason, at, hint, hintFor, stages: [], explicit: true, ...unknown };
}

/** The command cannot be analysed: only a person can allow it, once, unless a deny rule forbids one of its commands. */
function refused({ code, reason, at, hint, hintFor }: Refusal, command: string, context: DenyContext): Judgement {
  const denial = denialInText(command, context);
  if (denial?.rule !== undefined) {
    const why = denial.rule.reason === undefined ? '' : `: ${denial.rule.reason}`;
    const forbidden = `a deny rule for ${denial.rule.pattern} forbids ${denial.name ?? 'it'}${why}`;
    return {
      verdict: 'deny',
      code: 'deny-rule',
      reason: forbidden,
      ...forOperator('only the operator can change deny rules'),
      stages: [],
    };
  }
  const unknown = denial?.unknown === undefined ? {} : { unknownNames: denial.unknown };
  return { verdict: 'deny', code, reason, at, hint, hintFor, stages: [], explicit: true, ...unknown };
}

function builtinRefusal({ text, span }: ShellWord, lookup: Lookup): Refusal {
  const file = BUILTINS.has(text) ? undefined : lookup.find(text)?.path;
  const instead = file === undefined ? 'run the program itself' : `name the file: ${file}`;
  return {
    code: 'builtin',
    reason: `${text} is a shell builtin, not a program`,
    at: span,
    ...forAgent(text === 'cd' ? 'choose the folder with workdir' : instead),
  };
}

/** A word that zsh expands and bash does not: `=ls` is a path, `^x` and `x#` are file name patterns. */
function foreignWord(stages: readonly ShellStage[], command: string): Refusal | undefined {
  for (const { span, text } of stages.flatMap(({ words }) => words)) {
    const unquoted = command.slice(span.start, span.end).replaceAll(/'[^']*'|"[^"]*"/g, '');
    // A pattern in the middle keeps its beginning: `HEAD~1` and `HEAD^` cannot become options, but `-^x` can become any.
    if (/^[=^]|#/.test(unquoted) || (text.startsWith('-') && /[~^]/.test(unquoted)))
      return {
        code: 'not-analysable',
        reason: `${text} means different things to different shells`,
        at: span,
        ...forAgent('put it in single quotes'),
      };
  }
  return undefined;
}

function disagreement(command: string): Refusal {
  return {
    code: 'not-analysable',
    reason: 'two parsers of the command disagree about its words',
    at: { start: 0, end: command.length },
    ...forAgent('write it with plain words, single quotes, and | between commands'),
  };
}

function combine(stages: readonly ShellStage[], decided: readonly StageDecision[]): Judgement {
  const reports = decided.map((one, i) => report(one, stages[i]!));
  const planned = planOf(decided);
  const plan = planned === undefined ? {} : { plan: planned };
  const at = worstDecision(decided);
  if (at < 0) {
    const reason =
      decided.length === 1 ? decided[0]!.reason : `all ${decided.length} commands of the pipeline are allowed`;
    return { verdict: 'allow', code: decided[0]!.code, reason, ...plan, stages: reports };
  }
  const { verdict, code, reason, hint, hintFor, word } = decided[at]!;
  const proposal = proposalOf(decided);
  return {
    verdict,
    code,
    reason,
    at: spanOf(stages[at]!, word),
    ...(hint === undefined || hintFor === undefined ? {} : { hint, hintFor }),
    ...plan,
    stages: reports,
    ...(proposal === undefined ? {} : { proposal }),
    ...(decided.some(({ explicit }) => explicit === true) ? { explicit: true as const } : {}),
    ...unknownNames(decided),
    ...ofRules(decided),
  };
}

/** The command may run in the sandbox where rules allow each of its programs there or everywhere. */
function ofRules(decided: readonly StageDecision[]): Pick<Judgement, 'allowedIn' | 'changed'> {
  const changed = decided.flatMap((one) => one.changed ?? []);
  const isForSandbox =
    decided.some(({ allowedIn }) => allowedIn === 'sandbox') &&
    decided.every(({ verdict, allowedIn }) => verdict === 'allow' || allowedIn === 'sandbox');
  return {
    ...(isForSandbox ? { allowedIn: 'sandbox' as const } : {}),
    ...(changed.length === 0 ? {} : { changed }),
  };
}

function spanOf({ words, span }: ShellStage, word: number): Span {
  return words[word]?.span ?? span;
}

function report({ verdict, code, reason, binary, rule }: StageDecision, { words, span }: ShellStage): StageReport {
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

/** The argv of each stage without a shell; undefined where a program was not found. */
function planOf(decided: readonly StageDecision[]): Plan | undefined {
  const stages: PlannedStage[] = [];
  for (const { argv, binary, starts } of decided) {
    if (binary === undefined) return undefined;
    stages.push(starts.length === 0 ? { argv, binary } : { argv, binary, starts });
  }
  return { stages };
}

/** The entries for all stages, or undefined: entries for some of them would not allow the command. */
function proposalOf(decided: readonly StageDecision[]): readonly AllowlistEntry[] | undefined {
  const entries: AllowlistEntry[] = [];
  for (const { proposal } of decided) {
    if (proposal === undefined) return undefined;
    entries.push(...proposal);
  }
  return entries.length === 0 ? undefined : entries;
}

function unknownNames(decided: readonly StageDecision[]): Pick<Judgement, 'unknownNames'> {
  const reason = decided.find(({ unknownNames }) => unknownNames !== undefined)?.unknownNames;
  return reason === undefined ? {} : { unknownNames: reason };
}
