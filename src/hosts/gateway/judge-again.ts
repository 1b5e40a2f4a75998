/** Judges a step again when it starts: files, folders and programs may have changed since the whole command was judged. */
import { isInside } from '../../base/inside.ts';
import { judgeStep, type JudgedCommand, type JudgedStep, whyNotAllowed } from '../../policy/steps/judge-step.ts';
import type { Rules, StageReport } from '../../wire/policy.ts';
import { createLookup } from '../process/programs/which.ts';
import { workspaceFor } from '../process/programs/workspace.ts';
import type { JudgeStep, StepAnswer, StepPlan, StepProgram } from '../steps/step-plan.ts';
import { identityText } from './approvals/binding.ts';
import type { Prepared } from './prepare.ts';

/** The folder that every command may read, besides its workspace. */
const READABLE = '/usr';

export function judgeAgain({ judgement, cwd: start, env, context }: Prepared, rules: Rules): JudgeStep {
  // Nothing starts before it was allowed, by the judgement or by a person.
  const isApproved = judgement?.verdict === 'ask';
  const seen = judgement?.stages ?? [];
  return (step, { index, cwd, status }) => {
    const lookup = createLookup({ path: env['PATH'] ?? '', cwd, workspace: workspaceFor(context.folder, start) });
    const judged = judgeStep(step, { rules, lookup, cwd, status });
    const why = whyNotAllowed(judged);
    if (why?.code === 'not-found') return { kind: 'not-found', name: why.argv[0] ?? '' };
    const isSame =
      isApproved &&
      why?.verdict === 'ask' &&
      wasSeen(
        judged,
        seen.filter((one) => one.step === index),
      );
    if (why !== undefined && !isSame)
      return { kind: 'refused', reason: why.reason, ...(why.hint === undefined ? {} : { hint: why.hint }) };
    return runnable(judged);
  };
}

/** Whether the commands are exactly those that the person saw. */
function wasSeen(judged: JudgedStep, seen: readonly StageReport[]): boolean {
  if (judged.kind !== 'pipeline') return false;
  return judged.commands.every(({ argv, planned }) =>
    seen.some(
      (one) =>
        JSON.stringify(one.argv) === JSON.stringify(argv) &&
        planned !== undefined &&
        one.binary?.real === planned.binary.real &&
        identityText(one.binary.identity) === identityText(planned.binary.identity),
    ),
  );
}

function runnable(judged: JudgedStep): StepAnswer {
  if (judged.kind === 'constant') return { kind: 'run', plan: judged };
  if (judged.kind === 'folder') {
    const { folder, decision } = judged;
    return { kind: 'run', plan: { kind: 'folder', folder, word: decision.argv[1] ?? folder } };
  }
  const commands: StepProgram[] = [];
  for (const command of judged.commands) {
    const { planned, env, redirects, argv } = command;
    if (planned === undefined) return { kind: 'not-found', name: argv[0] ?? '' };
    if (isBeyondFiles(command))
      return { kind: 'refused', reason: `${argv[0]} would write a file that the file boundary refuses` };
    commands.push({ planned, env, redirects });
  }
  const plan: StepPlan = { kind: 'pipeline', commands };
  return { kind: 'run', plan };
}

function isBeyondFiles({ isBeyondFiles: isBeyond }: JudgedCommand): boolean {
  return isBeyond === true;
}

/** Whether a file that is not in the workspace may be read for a step: it may where the judgement allowed it. */
export function mayReadOutside({ judgement }: Pick<Prepared, 'judgement'>): (path: string) => boolean {
  return (path) => judgement?.verdict === 'ask' || isInside(path, READABLE);
}
