/** security=allowlist: decides whether a command may run, and with which argv. */
import type { Judgement, Lookup, Rule, Rules } from '../wire/policy.ts';
import { VERBS } from '../wire/steps.ts';
import { changesOutside } from './programs/finding.ts';
import { combine, planOf } from './combine.ts';
import { baseName } from './programs/names.ts';
import { bodiesIn } from './steps/scan-program.ts';
import { judgeSteps, type StepsContext } from './steps/judge-steps.ts';
import { withFolders, withVariables } from './environment.ts';
import { type DenyContext, denialInText } from './deny.ts';
import { WorkBudget } from './work-budget.ts';
import { firstInvalidatedInPipe, mayChangeFolder, obeysFiles } from './command-order.ts';
import { parserAgrees } from './shell/parser-agrees.ts';
import { findInvalidCharacter } from './shell/characters.ts';
import type { Refusal, ShellStage, ShellWord } from './shell/refusal.ts';
import { BUILTINS } from './shell/reserved.ts';
import { scanCommand } from './shell/scan.ts';
import { decideStage, type StageDecision } from './stage.ts';
import { withTerminal } from './terminal.ts';
import { invalidated } from './invalidated.ts';
import { forAgent, forOperator } from './hint.ts';

/** A shell that Pincer does not start, which will parse the command. */
export interface ForeignShell {
  /** Names that this shell does not look up as programs. */
  readonly builtins: ReadonlySet<string>;
}

/**
 * Judges a command for security=allowlist. Never throws; reaching a limit is a denial. `isBash` is false where another shell
 * may parse the text: deny rules then accept only what all shells read alike. `hasInput`: the caller writes its input.
 */
export function judge(
  command: string,
  rules: Rules,
  lookup: Lookup,
  cwd: string,
  foreignShell?: ForeignShell,
  isBash = foreignShell === undefined,
  hasInput = false,
): Judgement {
  const builtins = foreignShell?.builtins ?? BUILTINS;
  const shared = { lookup, cwd, budget: new WorkBudget(), foreignShell: foreignShell !== undefined, anyShell: !isBash };
  const context = { ...shared, deny: rules.deny };
  const hasSteps = rules.compound === 'steps' && foreignShell === undefined;
  const invalid = findInvalidCharacter(command, hasSteps ? bodiesIn(command) : []);
  if (invalid?.code === 'too-long') return unread(invalid, rules);
  if (invalid !== undefined) return refused(invalid, command, context);
  const { stages, refusal } = scanCommand(command);
  if (hasSteps && (stages === undefined || stages.some(isOfSteps)))
    return judgedAsSteps(
      command,
      { ...shared, rules, hasInput, isPlain: stages !== undefined && !stages.some(isBuiltin) },
      context,
    );
  if (stages === undefined) return refused(refusal, command, context);
  const builtin = stages.find(({ words }) => builtins.has(words[0]!.text))?.words[0];
  if (builtin !== undefined) return refused(builtinRefusal(builtin, lookup), command, context);
  if (!parserAgrees(command, stages)) return refused(disagreement(command), command, context);
  const foreign = foreignShell === undefined ? undefined : foreignWord(stages, command);
  if (foreign !== undefined) return refused(foreign, command, context);
  const decided: StageDecision[] = [];
  for (const { words } of stages) {
    const argv = words.map(({ text }) => text);
    decided.push(
      decideStage(argv, { ...shared, rules, before: [...decided], isPiped: hasInput || decided.length > 0 }),
    );
  }
  const late = firstInvalidatedInPipe(
    stages.map(({ words }, i) => ({
      words: words.map(({ text }) => text),
      binary: decided[i]!.binary,
      obeysFiles: obeysFiles(decided[i]!),
    })),
    lookup,
  );
  const final = decided.map((one, i) => (i === late ? invalidated(one, rules) : one));
  const commands = stages.map(({ words, span }, i) => ({
    decision: final[i]!,
    argv: words.map(({ text }) => text),
    span,
    words: words.map((word) => word.span),
  }));
  return combine(commands, planOf(final), 'of the pipeline ');
}

/** Whether a plain command runs as a step: verbs are done through the file boundary, and `cd` and `command -v` are built in. */
function isOfSteps(stage: ShellStage): boolean {
  return isBuiltin(stage) || VERBS.some((verb) => verb === baseName(stage.words[0]!.text));
}

function isBuiltin({ words }: ShellStage): boolean {
  return BUILTINS.has(words[0]!.text);
}

function judgedAsSteps(command: string, steps: StepsContext, context: DenyContext): Judgement {
  const { judgement, refusal } = judgeSteps(command, steps);
  if (refusal !== undefined)
    return refused(refusal === 'parsers-disagree' ? disagreement(command) : refusal, command, context);
  if (judgement.plan !== undefined || judgement.code === 'deny-rule') return judgement;
  // Without a plan, a shell reads the text after approval.
  const denial = denialInText(command, context);
  if (denial?.rule !== undefined) return { ...forbidden(denial.rule, denial.name), stages: judgement.stages };
  return denial?.unknown === undefined ? judgement : { ...judgement, unknownNames: denial.unknown };
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
  /** The caller writes its input. */
  readonly hasInput?: boolean;
}

/** The rules for a folder outside the workspace: what only its profile allows is limited to the workspace. */
export function rulesOutside(rules: Rules): Rules {
  return { ...rules, starter: 'none' };
}

export function judgeCall(call: Call, all: Rules, lookup: Lookup, cwd: string): Judgement {
  const rules = call.isOutside === true ? rulesOutside(all) : all;
  const judged = judge(call.command, rules, lookup, cwd, undefined, call.isBash, call.hasInput);
  const placed = call.isOutside === true ? outsideOfWorkspace(judged, cwd) : judged;
  const hasDenyRules = rules.deny.length > 0;
  const found = withFolders(placed, call.unlistedFolders ?? [], hasDenyRules);
  const judgement = withVariables(found, call.unlisted, hasDenyRules);
  return call.pty ? withTerminal(judgement, rules, cwd) : judgement;
}

function outsideOfWorkspace(judgement: Judgement, cwd: string): Judgement {
  const stage = judgement.stages.find(mayChangeFolder);
  if (judgement.verdict !== 'allow' || stage === undefined) return judgement;
  return { ...judgement, ...changesOutside(stage.argv, cwd) };
}

/** A command that is too long is not parsed, which bounds the time. Deny rules cannot be checked either. */
function unread({ code, reason, at, hint, hintFor }: Refusal, { deny }: Rules): Judgement {
  const unknown = deny.length === 0 ? {} : { unknownNames: reason };
  return { verdict: 'deny', code, reason, at, hint, hintFor, stages: [], explicit: true, risk: 'syntax', ...unknown };
}

/** The command cannot be analysed: only a person can allow it, once, unless a deny rule forbids one of its commands. */
function refused({ code, reason, at, hint, hintFor }: Refusal, command: string, context: DenyContext): Judgement {
  const denial = denialInText(command, context);
  if (denial?.rule !== undefined) return forbidden(denial.rule, denial.name);
  const unknown = denial?.unknown === undefined ? {} : { unknownNames: denial.unknown };
  return { verdict: 'deny', code, reason, at, hint, hintFor, stages: [], explicit: true, risk: 'syntax', ...unknown };
}

function forbidden(rule: Rule, name = 'it'): Judgement {
  const why = rule.reason === undefined ? '' : `: ${rule.reason}`;
  return {
    verdict: 'deny',
    code: 'deny-rule',
    reason: `a deny rule for ${rule.pattern} forbids ${name}${why}`,
    ...forOperator('only the operator can change deny rules'),
    stages: [],
  };
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
