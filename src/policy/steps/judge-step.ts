/**
 * Judges one step of a compound command with the words that it has now, in one folder. The first judgement of a command uses it
 * for each folder in which a step may run; the executor uses it again when the step starts, because earlier steps may have
 * changed files, folders and `$?`. It starts only what this returns: the words are expanded once, here.
 */
import { isInside } from '../../base/inside.ts';
import type { Lookup, PlannedStage, Rules } from '../../wire/policy.ts';
import type { Step, StepCommand, StepWord, Verb } from '../../wire/steps.ts';
import { changesOutside } from '../programs/finding.ts';
import { plannedStageOf } from '../combine.ts';
import { isListedFolder } from '../grammar/file-scope.ts';
import { isInPlace, verbOf } from '../grammar/verb.ts';
import { firstInvalidatedInPipe, mayChangeFolder, obeysFiles } from '../command-order.ts';
import { isAccepted } from '../environment-names.ts';
import { writeFinding } from '../grammar/scope.ts';
import type { Finding } from '../programs/finding.ts';
import { forAgent, forOperator } from '../hint.ts';
import { invalidated } from '../invalidated.ts';
import { isSystemProgram } from '../programs/trusted-programs.ts';
import { decideStage, type StageContext, type StageDecision } from '../stage.ts';
import { WorkBudget } from '../work-budget.ts';
import { worstDecision } from '../worst-decision.ts';
import { expandText, expandWord, type Values } from './expand.ts';
import { judgeRedirect, type PlacedRedirect } from './redirections.ts';

export interface StepContext {
  readonly rules: Rules;
  /** Looks from `cwd`. */
  readonly lookup: Lookup;
  /** The folder in which the step runs. */
  readonly cwd: string;
  /** `$?`: the status of the last step that ran. Default: 0, where nothing has run. */
  readonly status?: number;
  /** Default: a new one. */
  readonly budget?: WorkBudget;
  /** The caller writes the input of the command. */
  readonly hasInput?: boolean | undefined;
}

/** A command of a step. Only `planned`, `env` and `redirects` are used to run it. */
export interface JudgedCommand {
  /** The words as they are judged. */
  readonly argv: readonly string[];
  /** The index of the step's word that each of them comes from. */
  readonly origins: readonly number[];
  readonly decision: StageDecision;
  /** Absent where there is no such program. */
  readonly planned?: PlannedStage;
  readonly env: Readonly<Record<string, string>>;
  readonly redirects: readonly PlacedRedirect[];
  /** The file boundary refuses one of its files: it cannot run as a step, not even after approval. */
  readonly isBeyondFiles?: true;
}

export type JudgedStep =
  | { readonly kind: 'constant' }
  /** `cd`: `folder` is the real path where later steps run. */
  | { readonly kind: 'folder'; readonly folder: string; readonly decision: StageDecision }
  | { readonly kind: 'pipeline'; readonly commands: readonly JudgedCommand[] };

/** What decides about a step; undefined where all of it may run without approval. */
export function whyNotAllowed(step: JudgedStep): StageDecision | undefined {
  if (step.kind === 'constant') return undefined;
  const decided = step.kind === 'folder' ? [step.decision] : step.commands.map(({ decision }) => decision);
  return decided[worstDecision(decided)];
}

export function judgeStep({ does }: Pick<Step, 'does'>, context: StepContext): JudgedStep {
  const { rules, lookup, cwd, status = 0, budget = new WorkBudget() } = context;
  const values = { lookup, cwd, status, budget };
  if (does.kind === 'constant') return { kind: 'constant' };
  if (does.kind === 'folder') return judgeFolder(does.to, values, rules);
  const judged: JudgedCommand[] = [];
  for (const command of does.commands) {
    const before = judged.map(({ decision }) => decision);
    judged.push(
      judgeCommand(command, values, {
        rules,
        lookup,
        cwd,
        budget,
        hasVerbs: true,
        before,
        isPiped:
          context.hasInput === true ||
          before.length > 0 ||
          command.redirects.some(({ kind }) => kind === 'input' || kind === 'text'),
      }),
    );
  }
  const late = firstInvalidatedInPipe(
    judged.map(({ planned, decision }) => ({
      words: planned?.argv ?? [],
      binary: planned?.binary,
      obeysFiles: obeysFiles(decision),
      writesLast: planned?.verb === 'tee',
    })),
    lookup,
  );
  return {
    kind: 'pipeline',
    commands: judged.map((one, i) => (i === late ? { ...one, decision: invalidated(one.decision, rules) } : one)),
  };
}

/** A folder that a rule lets commands read may be entered, too. */
function judgeFolder(to: StepWord, values: Values, rules: Rules): JudgedStep {
  const text = expandText(to, values);
  if ('problem' in text)
    return { kind: 'folder', folder: values.cwd, decision: asked(['cd'], 1, 'expansion', text.problem) };
  const { cwd, lookup } = values;
  const folder = lookup.placeOf(text.text.startsWith('/') ? text.text : `${cwd}/${text.text}`);
  const open = { argv: ['cd', text.text], starts: [], word: 1 };
  if (isInside(folder, lookup.workspace()) || isListedFolder(folder, lookup, rules))
    return {
      kind: 'folder',
      folder,
      decision: { ...open, verdict: 'allow', code: 'folder', reason: `later steps run in ${folder}`, proposal: [] },
    };
  return {
    kind: 'folder',
    folder,
    decision: {
      ...open,
      verdict: 'ask',
      code: 'cd-outside',
      reason: `${folder} is not in the workspace`,
      ...forAgent('stay in the workspace, or name files of other folders by their paths'),
      explicit: true,
    },
  };
}

function judgeCommand(
  { words, env, redirects }: StepCommand,
  values: Values,
  context: StageContext & { readonly rules: Rules; readonly budget: WorkBudget },
): JudgedCommand {
  const { rules, lookup } = context;
  const argv: string[] = [];
  const origins: number[] = [];
  for (const [i, word] of words.entries()) {
    const expanded = expandWord(word, values);
    if ('problem' in expanded)
      return { argv, origins, env, redirects: [], decision: asked(argv, i, 'expansion', expanded.problem) };
    for (const one of expanded.words) {
      argv.push(one);
      origins.push(i);
    }
  }
  const { runs, isBuiltin } = withoutBuiltin(argv, lookup);
  const found = isBuiltin ? decideBuiltin(argv, runs, context) : decideStage(runs, context);
  const decided = isInside(context.cwd, lookup.workspace()) ? found : outsideOfWorkspace(found, context.cwd);
  const readsAnything = decided.verdict === 'allow' && decided.code === 'allowlisted';
  const placed = redirects.map((redirect) => judgeRedirect(redirect, values, rules, readsAnything));
  const findings = placed.flatMap(({ finding }, i) =>
    finding === undefined ? [] : [{ ...finding, word: argv.length + i }],
  );
  const { proposal: _, ...rest } = decided;
  const also: StageDecision[] = findings.map(({ isBeyondFiles: __, ...finding }) => ({
    ...rest,
    ...finding,
    verdict: 'ask',
    explicit: true,
  }));
  const added = { ofProfile: decided.described?.accepted?.profile.env, ofOperator: rules.env };
  const variable = Object.entries(env).find(([name, value]) => !isAccepted(name, value, added))?.[0];
  if (variable !== undefined) also.push({ ...rest, ...ofVariable(variable) });
  const ofStatusWords = origins.flatMap((origin, i) => (hasStatus(words[origin]!) ? [i] : []));
  if (ofStatusWords.length > 0 && !takesStatus(decided, ofStatusWords, rules))
    also.push({ ...rest, ...ofStatus(runs[0]!) });
  const all = [decided, ...also];
  const decision = all[worstDecision(all)] ?? decided;
  // An entry for the program allows it also where the boundary does not write: then the program itself runs.
  const { verb, beyond } = doneByVerb(decided, context);
  const isBeyond = beyond !== undefined && decided.verdict !== 'allow';
  const planned = plannedStageOf(decided);
  return {
    argv,
    origins,
    env,
    decision,
    redirects: placed.flatMap(({ placed: one }) => (one === undefined ? [] : [one])),
    ...(planned === undefined ? {} : { planned: verb === undefined ? planned : { ...planned, verb } }),
    ...(isBeyond || findings.some(({ isBeyondFiles }) => isBeyondFiles === true) ? { isBeyondFiles: true } : {}),
  };
}

/** A rule may let commands read another folder, but not change it. */
function outsideOfWorkspace(decided: StageDecision, cwd: string): StageDecision {
  if (decided.verdict !== 'allow' || !mayChangeFolder(decided)) return decided;
  const { proposal: _, ...rest } = decided;
  return { ...rest, ...changesOutside(decided.argv, cwd) };
}

/** `:` is `true`, and `command -v NAME` prints the path that the name has now. */
function withoutBuiltin(
  argv: readonly string[],
  lookup: Lookup,
): { readonly runs: readonly string[]; readonly isBuiltin: boolean } {
  if (argv[0] === ':') return { runs: ['true'], isBuiltin: true };
  if (argv[0] !== 'command' || argv[1] !== '-v' || argv.length !== 3) return { runs: argv, isBuiltin: false };
  const found = lookup.find(argv[2]!)?.path;
  return { runs: found === undefined ? ['false'] : ['printf', '%s\\n', found], isBuiltin: true };
}

/** What stands for a builtin of a shell is harmless where it is a program of the system. */
function decideBuiltin(argv: readonly string[], runs: readonly string[], context: StageContext): StageDecision {
  const decided = decideStage(runs, context);
  const { binary } = decided;
  if (decided.code === 'deny-rule' || binary === undefined || !isSystemProgram(runs[0]!, binary, context.rules))
    return { ...decided, word: 0 };
  const reason = `${argv[0]} is built in`;
  return { argv: runs, starts: [], binary, word: 0, verdict: 'allow', code: 'built-in', reason, proposal: [] };
}

function hasStatus(word: StepWord): boolean {
  return word.some(({ kind }) => kind === 'status');
}

/** Programs for which every argument is text. */
const TEXT_PROGRAMS = ['echo', 'printf', 'test', '['];

/** Whether these words are only text to the program: they have other digits when it starts. */
function takesStatus({ binary, described }: StageDecision, words: readonly number[], rules: Rules): boolean {
  if (binary === undefined) return false;
  const kinds = described?.accepted?.kinds;
  if (kinds === undefined) return TEXT_PROGRAMS.some((name) => isSystemProgram(name, binary, rules));
  return words.every((word) => kinds.get(word) === 'text' || kinds.get(word) === 'num');
}

/** Calls that write in the workspace and that the file boundary does; `beyond` says why it would not do this one. */
function doneByVerb(
  { binary, described }: StageDecision,
  { rules, lookup }: StageContext,
): { readonly verb?: Verb; readonly beyond?: Finding } {
  const accepted = described?.accepted;
  const verb = binary === undefined ? undefined : verbOf(binary, described, rules);
  if (verb === undefined || accepted === undefined || described === undefined) return {};
  const beyond = writeFinding(accepted, { lookup, cwd: described.folder }, { starter: 'workspace' }, isInPlace(verb));
  return beyond === undefined ? { verb } : { beyond };
}

type Why = Omit<StageDecision, 'argv' | 'starts' | 'word'>;

function asked(argv: readonly string[], word: number, code: string, reason: string): StageDecision {
  return {
    argv,
    starts: [],
    word,
    verdict: 'ask',
    code,
    reason,
    ...forAgent('name the files'),
    explicit: true,
  };
}

function ofVariable(name: string): Why {
  return {
    verdict: 'ask',
    code: 'environment',
    reason: `the variable ${name} is not known to be harmless: programs may load code or settings through it`,
    ...forAgent('leave it out, or have the command approved'),
    explicit: true,
  };
}

function ofStatus(program: string): Why {
  return {
    verdict: 'ask',
    code: 'status-value',
    reason: `$? is known only when ${program} starts, and may mean something else to it than text`,
    ...forOperator('a person can allow this command'),
    explicit: true,
  };
}
