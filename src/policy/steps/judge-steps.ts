/**
 * Judges a compound command before any of its steps runs. A step is judged in every folder where it may run. Earlier steps may
 * change the files that later judgements depend on: each step is judged again when it starts, so only the commands of one
 * pipeline, which run at the same time, are held against each other here.
 */
import type { Judgement, Lookup, Rules, Span } from '../../wire/policy.ts';
import type { Step } from '../../wire/steps.ts';
import { combine, type DecidedCommand } from '../combine.ts';
import { forAgent } from '../hint.ts';
import type { Refusal } from '../shell/refusal.ts';
import { refusalOf } from '../shell/scan-refusals.ts';
import type { StageDecision } from '../stage.ts';
import type { WorkBudget } from '../work-budget.ts';
import { worstDecision } from '../worst-decision.ts';
import { type JudgedCommand, type JudgedStep, judgeStep } from './judge-step.ts';
import { scanProgram } from './scan-program.ts';
import { toSteps } from './to-steps.ts';
import type { ShellPipeline } from './tree.ts';
import { treeAgrees } from './tree-agrees.ts';

/** A step that may run in more folders asks. */
export const MOST_FOLDERS = 4;

export interface StepsContext {
  readonly rules: Rules;
  readonly lookup: Lookup;
  readonly cwd: string;
  readonly budget: WorkBudget;
  /** The text is one pipeline of plain words, so that its plan needs steps only for verbs. */
  readonly isPlain: boolean;
  /** The caller writes the input of the command. */
  readonly hasInput?: boolean;
}

/** The judgement, or why the text has no steps. */
export type StepsJudgement =
  | { readonly judgement: Judgement; readonly refusal?: undefined }
  | { readonly judgement?: undefined; readonly refusal: Refusal | 'parsers-disagree' };

/** Where the next step may run, and whether the last step that ran succeeded. */
interface State {
  readonly folder: string;
  readonly ok: boolean;
}

/** A command of a step in all folders; `chosen` is the one with the strictest decision. */
interface Decided extends DecidedCommand {
  readonly chosen?: JudgedCommand;
  /** After approval, it can run as a step. */
  readonly canRun: boolean;
}

export function judgeSteps(command: string, context: StepsContext): StepsJudgement {
  const { program, refusal } = scanProgram(command);
  if (program === undefined) return { refusal };
  const { steps, refusal: notLowered } = toSteps(command, program, context.lookup.home());
  if (steps === undefined) return { refusal: notLowered };
  if (!treeAgrees(command, program)) return { refusal: 'parsers-disagree' };
  const decided: Decided[] = [];
  let states: readonly State[] = [{ folder: context.cwd, ok: true }];
  for (const [at, step] of steps.entries()) {
    const runs = states.filter(({ ok }) => step.when === 'always' || ok === (step.when === 'ok'));
    // A step that cannot run is judged as well: a person reads it.
    const folders = distinctFolders(runs.length === 0 ? states : runs);
    const judged = folders.slice(0, MOST_FOLDERS).map((cwd) => judgeStep(step, inFolder(context, cwd)));
    decided.push(...decidedCommands(judged, program[at]!, at, folders.length));
    states = statesAfter(states, runs, judged, step);
  }
  const [only] = decided;
  if (only === undefined) return { refusal: refusalOf('assignment', command, 0, command.length) };
  const stages = decided.flatMap(({ chosen }) => (chosen?.planned === undefined ? [] : [chosen.planned]));
  const needsSteps = !context.isPlain || stages.some(({ verb }) => verb !== undefined);
  const plan = { stages, ...(needsSteps ? { steps } : {}) };
  return { judgement: combine(decided, decided.every(({ canRun }) => canRun) ? plan : undefined, '') };
}

function inFolder({ rules, lookup, budget, hasInput }: StepsContext, cwd: string): Parameters<typeof judgeStep>[1] {
  return { rules, lookup: lookup.from(cwd), cwd, budget, hasInput };
}

function distinctFolders(states: readonly State[]): readonly string[] {
  return [...new Set(states.map(({ folder }) => folder))];
}

/** Programs may succeed or fail, `cd` also where the folder exists now, and constants only succeed. */
function statesAfter(
  states: readonly State[],
  runs: readonly State[],
  judged: readonly JudgedStep[],
  { does, negate }: Step,
): readonly State[] {
  const isNegated = negate === true;
  const after = states.filter((state) => !runs.includes(state));
  for (const [i, folder] of distinctFolders(runs).entries()) {
    const one = judged[i];
    after.push({ folder: one?.kind === 'folder' ? one.folder : folder, ok: !isNegated });
    if (does.kind !== 'constant') after.push({ folder, ok: isNegated });
  }
  return after.filter(
    ({ folder, ok }, i) => after.findIndex((other) => other.folder === folder && other.ok === ok) === i,
  );
}

function decidedCommands(
  judged: readonly JudgedStep[],
  pipeline: ShellPipeline,
  step: number,
  folders: number,
): readonly Decided[] {
  const [first] = judged;
  if (first?.kind === 'folder') {
    const all = judged.flatMap((one) => (one.kind === 'folder' ? [one.decision] : []));
    const decision = strictest(all, folders);
    return [{ decision, argv: first.decision.argv, step, canRun: decision.code === 'folder', ...placeOf(pipeline, 0) }];
  }
  if (first?.kind !== 'pipeline') return [];
  return first.commands.map((_, i) => {
    const all = judged.flatMap((one) => (one.kind === 'pipeline' ? [one.commands[i]!] : []));
    const decision = strictest(
      all.map((one) => one.decision),
      folders,
    );
    const chosen = all.find((one) => one.decision.code === decision.code) ?? all[0]!;
    const canRun = all.every((one) => one.planned !== undefined && one.isBeyondFiles !== true);
    return { decision, argv: chosen.argv, step, chosen, canRun, ...placeOf(pipeline, i, chosen.origins) };
  });
}

/** The strictest of the decisions in all folders, with the entries that all of them need. */
function strictest(all: readonly StageDecision[], folders: number): StageDecision {
  const { proposal: _, ...decision } = all[Math.max(0, worstDecision(all))]!;
  if (folders > MOST_FOLDERS)
    return {
      ...decision,
      verdict: decision.verdict === 'deny' ? 'deny' : 'ask',
      code: decision.code === 'deny-rule' ? decision.code : 'too-many-folders',
      reason: `the step may run in ${folders} folders, more than ${MOST_FOLDERS}`,
      ...forAgent('write cd FOLDER && … so that later steps run in one folder'),
      word: 0,
      explicit: true,
    };
  const proposals = all.map(({ proposal }) => proposal);
  return proposals.includes(undefined) ? decision : { ...decision, proposal: proposals.flatMap((one) => one ?? []) };
}

/** `origins` are the indexes of the words that the judged words come from. The redirections follow the words. */
function placeOf(
  { commands }: ShellPipeline,
  index: number,
  origins?: readonly number[],
): { readonly span: Span; readonly words: readonly Span[] } {
  const { words, redirects, span } = commands[index]!;
  const spans = words.map((word) => word.span);
  const judged = origins === undefined ? spans : origins.map((origin) => spans[origin] ?? span);
  return { span, words: [...judged, ...redirects.map((redirect) => redirect.span)] };
}
