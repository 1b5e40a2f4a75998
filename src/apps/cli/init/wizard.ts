/** `pincer init` on a terminal: asks for each step without a flag, shows the diff, writes and tests it. */
import type { Surroundings } from '../../init/clients.ts';
import { surveyClient } from '../../init/survey.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import type { Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { type InitAnswer, answerOf, exitCodeOf } from './answer.ts';
import { Cancelled, withoutInterrupt } from './interrupt.ts';
import { type InitPlan, type InitWork, planInit, postureChoice } from './plan.ts';
import { askClient, askHook, askPosture, askScope, confirmed, inLines, lineWidth, type Prompts } from './questions.ts';
import { clientChoices, type InitRequest } from './request.ts';
import { diffsText, doneLines, plannedLines, reportLines, testLines } from './render-answer.ts';

const INTERRUPTED = 130;

/** Ctrl-C before the last question changes nothing. */
export async function runWizard(request: InitRequest, at: Surroundings, output: Output): Promise<number> {
  refuseInsideSession('changing the configuration of a client');
  const prompts = await import('@clack/prompts');
  prompts.intro('pincer init');
  let hasWritten = false;
  try {
    const { asked, work } = await askSteps(prompts, request, at);
    const plan = await planInit(work, at);
    if (!(await agreed(prompts, plan, output))) {
      prompts.outro('nothing was written');
      return 1;
    }
    const { interrupted } = await withoutInterrupt(() => plan.write());
    hasWritten = plan.hasChanges;
    const answer = await answerOf({ ...asked, test: false }, work, plan, plan.hasChanges ? 'written' : 'unchanged', at);
    showAnswer(prompts, answer, output);
    if (interrupted) throw new Cancelled();
    const tested = await test(prompts, asked, work, answer, output);
    prompts.outro(await doneText(work, at));
    return exitCodeOf(asked, tested);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.cancel(hasWritten ? 'stopped; the changes above were written' : 'nothing was written');
    return INTERRUPTED;
  }
}

async function doneText({ client: choices }: InitWork, at: Surroundings): Promise<string> {
  if (choices === undefined) return 'done';
  const { title, program } = choices.client;
  const isThere = (await surveyClient(choices.client, at)).program !== undefined;
  return `done: start ${title}${isThere ? '' : `; its program ${program} is not on PATH`}`;
}

interface Steps {
  readonly asked: InitRequest;
  readonly work: InitWork;
}

async function askSteps(prompts: Prompts, request: InitRequest, at: Surroundings): Promise<Steps> {
  const client = request.client ?? (await askClient(prompts, at, request));
  const scope = client === undefined ? undefined : (request.scope ?? (await askScope(prompts, client)));
  const folder = request.workspace ?? at.folder;
  const posture = request.http === undefined ? await askPosture(prompts, request.posture, folder) : undefined;
  const hook = client === undefined ? false : (request.hook ?? (await askHook(prompts, client, posture?.name)));
  const asked: InitRequest = {
    ...request,
    hook,
    ...(client === undefined ? {} : { client }),
    ...(scope === undefined ? {} : { scope }),
    ...(posture === undefined ? {} : { posture: posture.name }),
  };
  const choices = clientChoices(asked);
  return {
    asked,
    work: {
      folder,
      ...(choices === undefined ? {} : { client: choices }),
      ...(posture === undefined ? {} : { posture: postureChoice(posture.name, posture.probes) }),
    },
  };
}

/** Shows what would be written, and asks for confirmation. */
async function agreed(prompts: Prompts, plan: InitPlan, output: Output): Promise<boolean> {
  if (!plan.hasChanges) {
    prompts.log.info('everything is already set up: nothing to change');
    return true;
  }
  prompts.log.message(diffsText(plan.files, paint(output.colour)).trimEnd());
  prompts.log.info(inLines(plannedLines(plan.files)));
  if (plan.notes.length > 0) prompts.log.info(inLines(plan.notes));
  for (const path of plan.outside) prompts.log.warn(inLines([`a symlink in the project leads outside it, to ${path}`]));
  return confirmed(prompts, 'Write these changes?', plan.outside.length === 0);
}

function showAnswer(prompts: Prompts, { files, warnings = [], posture, ownTools }: InitAnswer, output: Output): void {
  const style = paint(output.colour);
  const done = doneLines(files);
  if (done.length > 0) prompts.log.success(done.join('\n'));
  for (const warning of warnings) prompts.log.warn(inLines([warning]));
  const lines = [
    ...(posture === undefined ? [] : reportLines(posture, style, lineWidth())),
    ...(ownTools === undefined ? [] : [inLines([ownTools])]),
  ];
  if (lines.length > 0) prompts.log.message(lines.join('\n'));
}

/** Makes the test calls if wanted, and adds them to the answer. */
async function test(
  prompts: Prompts,
  { test: given }: InitRequest,
  { folder }: InitWork,
  answer: InitAnswer,
  output: Output,
): Promise<InitAnswer> {
  const { posture } = answer;
  if (posture === undefined) return answer;
  if (!(given ?? (await confirmed(prompts, 'Test it with a harmless command?', true)))) return answer;
  const { testCalls } = await import('./test-calls.ts');
  const { value: calls, interrupted } = await withoutInterrupt(() => testCalls(folder, posture));
  prompts.log.message(testLines(calls, paint(output.colour), lineWidth()).join('\n'));
  if (interrupted) throw new Cancelled();
  return { ...answer, test: calls };
}
