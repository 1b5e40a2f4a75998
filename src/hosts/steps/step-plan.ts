/** What the executor is given to run a step: words and paths as they are when it starts. */
import type { PlacedRedirect } from '../../policy/steps/redirections.ts';
import type { PlannedStage } from '../../wire/policy.ts';
import type { Step } from '../../wire/steps.ts';

/** A command of a pipeline: a program, or a verb that changes files in this process. */
export interface StepProgram {
  readonly planned: PlannedStage;
  readonly env: Readonly<Record<string, string>>;
  readonly redirects: readonly PlacedRedirect[];
}

export type StepPlan =
  | { readonly kind: 'constant' }
  /** Later steps run in this folder; `word` is how the command names it. */
  | { readonly kind: 'folder'; readonly folder: string; readonly word: string }
  | { readonly kind: 'pipeline'; readonly commands: readonly StepProgram[] };

export type StepAnswer =
  | { readonly kind: 'run'; readonly plan: StepPlan }
  /** The program does not exist: status 127, and the command continues. */
  | { readonly kind: 'not-found'; readonly name: string }
  /** The command ends with status 126. */
  | { readonly kind: 'refused'; readonly reason: string; readonly hint?: string };

/** Judges a step again when it starts. `index` is its place in the command. */
export type JudgeStep = (
  step: Step,
  now: { readonly index: number; readonly cwd: string; readonly status: number },
) => StepAnswer;
