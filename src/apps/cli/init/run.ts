/** `pincer init`: adds pincer to the configuration of a client, and sets the posture. */
import { isatty } from 'node:tty';
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { homeFolder } from '../../../config/state.ts';
import type { Surroundings } from '../../init/clients.ts';
import { shapeOf } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { refuseInsideSession } from '../refuse-inside-session.ts';
import { inputLines } from '../input.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { type ParsedArguments, readArguments, wantsJson } from '../arguments.ts';
import { type InitAnswer, answerOf, exitCodeOf } from './answer.ts';
import { definition } from './definition.ts';
import { type InitPlan, type InitWork, planInit, postureChoice, probeBackendsFor } from './plan.ts';
import { clientChoices, type InitRequest, readRequest, refuseWithoutClient } from './request.ts';
import { afterText, answerText, surveyText } from './render-answer.ts';

export function runInit(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const args = readArguments(shapeOf(definition), argv);
    const request = readRequest(args);
    const at: Surroundings = { folder: resolve('.'), home: homeFolder(), env: process.env };
    const out = json ? jsonOutput(output) : output;
    const isSurvey = args.flags.has('list');
    if (!isSurvey && canDraw(json, output) && !NON_INTERACTIVE_FLAGS.some((name) => args.flags.has(name)))
      return (await import('./wizard.ts')).runWizard(request, at, output);
    if (isSurvey || (request.client === undefined && request.posture === undefined)) return survey(args, at, json, out);
    if (request.client === undefined) refuseWithoutClient(args, POSTURE_FLAGS);
    return initByFlags(request, args.flags, { at, json, output: out });
  });
}

/** With these flags there is no wizard. */
const NON_INTERACTIVE_FLAGS = ['yes', 'dry-run', 'remove'];
const FORM_FLAGS = ['json', 'human'];
/** Flags that work without a client. */
const POSTURE_FLAGS = [...FORM_FLAGS, 'posture', 'yes', 'dry-run', 'test', 'no-test', 'workspace'];

async function survey(args: ParsedArguments, at: Surroundings, json: boolean, output: Output): Promise<number> {
  refuseWithoutClient(args, [...FORM_FLAGS, 'list']);
  const { surveyClients } = await import('../../init/survey.ts');
  const clients = await surveyClients(at);
  output.out(json ? `${JSON.stringify({ clients }, null, 2)}\n` : surveyText(clients));
  return 0;
}

interface InitContext {
  readonly at: Surroundings;
  readonly json: boolean;
  readonly output: Output;
}

async function initByFlags(request: InitRequest, flags: ReadonlySet<string>, ways: InitContext): Promise<number> {
  const { at, json, output } = ways;
  const work = await workOf(request, at.folder);
  const first = await planInit(work, at);
  let plan = first;
  const report = async (status: InitAnswer['status']): Promise<number> => {
    const answer = await answerOf(request, work, plan, status, at);
    const { client } = request;
    output.out(
      json ? `${JSON.stringify(answer, null, 2)}\n` : answerText(answer, client?.title, request.remove, output.colour),
    );
    return exitCodeOf(request, answer);
  };
  if (!plan.hasChanges) return report('unchanged');
  if (flags.has('dry-run')) return report('would-change');
  refuseInsideSession('changing the configuration of a client');
  if (!flags.has('yes')) {
    if (!canAsk(json, output)) {
      await report('needs-yes');
      return 4;
    }
    await report('would-change');
    const [ask, done] = request.remove ? ['remove', 'removed'] : ['write', 'written'];
    output.out(`${ask} it? [y/N] `);
    if (!saysYes()) {
      output.out(`nothing was ${done}\n`);
      return 1;
    }
    await plan.write();
    const answer = await answerOf(request, work, plan, 'written', at);
    output.out(`${done}\n${afterText(answer, paint(output.colour))}`);
    return exitCodeOf(request, answer);
  }
  for (let tries = 1; ; tries++) {
    refuseOutside(plan.outside);
    try {
      await plan.write();
      break;
    } catch (error) {
      // The client may write its file at any time: plan again and retry.
      if (tries === MOST_TRIES || !(error instanceof Fault && ['FS_CHANGED', 'FS_EXISTS'].includes(error.code)))
        throw error;
      plan = withWritten(first, await planInit(work, at));
    }
  }
  return report('written');
}

const MOST_TRIES = 5;

/** The new plan, with the settings file as in the first plan, which has already written it. */
function withWritten({ files }: InitPlan, now: InitPlan): InitPlan {
  const settings = files.find(({ part }) => part === 'settings');
  return { ...now, files: now.files.map((file) => (file.part === 'settings' ? (settings ?? file) : file)) };
}

/** Probes the backends only if the posture needs one. */
async function workOf(request: InitRequest, cwd: string): Promise<InitWork> {
  const folder = request.workspace ?? cwd;
  const client = clientChoices(request);
  const { posture: name } = request;
  const probes = name === 'sandboxed' ? await probeBackendsFor(folder) : [];
  return {
    folder,
    ...(client === undefined ? {} : { client }),
    ...(name === undefined ? {} : { posture: postureChoice(name, probes) }),
  };
}

/** With --yes, no person has seen where a symlink of the project leads. */
function refuseOutside([path]: readonly string[]): void {
  if (path === undefined) return;
  throw new Fault('CONFIG_CLIENT_CONFLICT', `a symlink in the project leads outside it, to ${path}`, {
    hint: 'nothing was written; run it in a terminal without --yes to confirm',
    details: { path },
  });
}

/** A question needs a terminal for output and for input. */
function canAsk(json: boolean, output: Output): boolean {
  return !json && output.isTerminal && isatty(0);
}

/** The wizard moves the cursor. */
function canDraw(json: boolean, output: Output): boolean {
  return canAsk(json, output) && process.env['TERM'] !== 'dumb';
}

function saysYes(): boolean {
  for (const { bytes } of inputLines(1 << 10)) return /^\s*y(?:es)?\s*$/iu.test(bytes?.toString() ?? '');
  return false;
}
