/** Combines the decisions about all commands of a text into one judgement. */
import type { AllowlistEntry, Judgement, Plan, PlannedStage, Span, StageReport } from '../wire/policy.ts';
import { highestRisk } from './grammar/risk.ts';
import type { StageDecision } from './stage.ts';
import { worstDecision } from './worst-decision.ts';

/** A command with what was decided about it. */
export interface DecidedCommand {
  readonly decision: StageDecision;
  /** The words that are judged. */
  readonly argv: readonly string[];
  readonly span: Span;
  /** The place in the text of each word of `argv`. */
  readonly words: readonly Span[];
  /** The index of its step. */
  readonly step?: number;
}

/** `what` names all commands where there are several. */
export function combine(commands: readonly DecidedCommand[], plan: Plan | undefined, what: string): Judgement {
  const decided = commands.map(({ decision }) => decision);
  const stages = commands.map(reportOf);
  const planned = plan === undefined ? {} : { plan };
  const at = worstDecision(decided);
  if (at < 0) {
    const reason = decided.length === 1 ? decided[0]!.reason : `all ${decided.length} commands ${what}are allowed`;
    return { verdict: 'allow', code: decided[0]!.code, reason, ...planned, stages, ...highestRisk(decided) };
  }
  const { verdict, code, reason, hint, hintFor, word } = decided[at]!;
  const proposal = proposalOf(decided);
  return {
    verdict,
    code,
    reason,
    at: commands[at]!.words[word] ?? commands[at]!.span,
    ...(hint === undefined || hintFor === undefined ? {} : { hint, hintFor }),
    ...planned,
    stages,
    ...(proposal === undefined ? {} : { proposal }),
    ...(decided.some(({ explicit }) => explicit === true) ? { explicit: true as const } : {}),
    ...unknownNames(decided),
    ...ofRules(decided),
    ...highestRisk(decided),
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

function reportOf({ decision, argv, span, step }: DecidedCommand): StageReport {
  const { verdict, code, reason, binary, rule, risk } = decision;
  return {
    argv,
    span,
    ...(binary === undefined ? {} : { binary }),
    verdict,
    code,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(risk === undefined ? {} : { risk }),
    ...(step === undefined ? {} : { step }),
  };
}

/** The argv of each command without a shell; undefined where a program was not found. */
export function planOf(decided: readonly StageDecision[]): Plan | undefined {
  const stages: PlannedStage[] = [];
  for (const decision of decided) {
    const stage = plannedStageOf(decision);
    if (stage === undefined) return undefined;
    stages.push(stage);
  }
  return { stages };
}

/** How a command runs; undefined where its program was not found. */
export function plannedStageOf({ argv, binary, starts, env }: StageDecision): PlannedStage | undefined {
  if (binary === undefined) return undefined;
  return {
    argv,
    binary,
    ...(starts.length === 0 ? {} : { starts }),
    ...(env === undefined ? {} : { env }),
  };
}

/** The entries for all commands, or undefined: entries for some of them would not allow the text. */
function proposalOf(decided: readonly StageDecision[]): readonly AllowlistEntry[] | undefined {
  const entries = new Map<string, AllowlistEntry>();
  for (const { proposal } of decided) {
    if (proposal === undefined) return undefined;
    for (const entry of proposal) entries.set(JSON.stringify(entry), entry);
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

function unknownNames(decided: readonly StageDecision[]): Pick<Judgement, 'unknownNames'> {
  const reason = decided.find((one) => one.unknownNames !== undefined)?.unknownNames;
  return reason === undefined ? {} : { unknownNames: reason };
}
