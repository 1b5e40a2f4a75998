/** The text output of `pincer init`. */
import type { ClientState, FileState } from '../../init/survey.ts';
import type { PostureReport } from '../../posture.ts';
import { wrapped } from '../../terminal/wrapped.ts';
import { type Paint, paint, paintDiff } from '../../terminal/paint.ts';
import { postureLines } from '../../terminal/posture-lines.ts';
import { visible, visibleLine } from '../../terminal/visible.ts';
import type { InitAnswer } from './answer.ts';
import type { PlannedFile } from './plan.ts';
import type { TestCall } from './test-calls.ts';

const DONE = { create: 'created', change: 'changed', delete: 'removed', none: 'unchanged' } as const;
const PLANNED = { create: 'creates', change: 'changes', delete: 'removes', none: 'keeps' } as const;

export function answerText(answer: InitAnswer, title: string | undefined, remove: boolean, colour: boolean): string {
  const { status, files, notes } = answer;
  const style = paint(colour);
  const noteLines = notes.map((note) => `note: ${visibleLine(note)}\n`).join('');
  const after = afterText(answer, style);
  if (status === 'unchanged') return `${unchangedText(files, title, remove)}${remove ? noteLines : ''}${after}`;
  if (status === 'written') return `${diffsText(files, style)}\n${doneLines(files).join('\n')}\n${noteLines}${after}`;
  const need = answer.hint === undefined ? '' : `${answer.hint}\n`;
  return `${diffsText(files, style)}\n${plannedLines(files).join('\n')}\n${noteLines}${after}${need}`;
}

/** Warnings, the posture, the client's own tools, the test calls. */
export function afterText({ status, posture, ownTools, warnings = [], test = [] }: InitAnswer, style: Paint): string {
  return [
    ...warnings.map((warning) => style.warning(`warning: ${visibleLine(warning)}`)),
    ...(posture === undefined ? [] : postureStatusLines(reportLines(posture, style), status)),
    ...(ownTools === undefined ? [] : [visibleLine(ownTools)]),
    ...testLines(test, style),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Before the write, the posture is the current one and not the one in the diff above. */
function postureStatusLines([first = '', ...rest]: readonly string[], status: InitAnswer['status']): readonly string[] {
  return status === 'written' || status === 'unchanged' ? [first, ...rest] : [`now: ${first}`, ...rest];
}

function unchangedText(files: readonly PlannedFile[], title: string | undefined, remove: boolean): string {
  if (title === undefined) return 'the posture is already set: nothing to change\n';
  if (remove) return `pincer is not configured in ${title} here: nothing to remove\n`;
  const paths = files.map(({ path }) => `  ${visible(path)}\n`).join('');
  return `pincer is already configured in ${title}: nothing to change\n${paths}`;
}

export function diffsText(files: readonly PlannedFile[], style: Paint): string {
  return files
    .filter(({ action }) => action !== 'none')
    .map(({ diff }) => paintDiff(visible(diff), style))
    .join('\n');
}

/** One line per written file. */
export function doneLines(files: readonly PlannedFile[]): readonly string[] {
  return fileLines(files, DONE);
}

/** One line per file that would be written. */
export function plannedLines(files: readonly PlannedFile[]): readonly string[] {
  return fileLines(files, PLANNED);
}

/** Settings apply beyond the current folder, so their line names the scope. */
function fileLines(files: readonly PlannedFile[], verbs: typeof DONE | typeof PLANNED): readonly string[] {
  return files
    .filter(({ action }) => action !== 'none')
    .map(({ path, linked = path, action, part }) => {
      const scope = part === 'settings' ? ', for all projects of this user' : '';
      return `${verbs[action]} ${visible(linked)}${scope}`;
    });
}

const NO_RULES = 'no rule is stored; commands that no setting allows ask: pincer approvals watch';

/** The posture, and a notice if it asks for almost every command. */
export function reportLines(report: PostureReport, style: Paint, width = Number.POSITIVE_INFINITY): readonly string[] {
  const asks = report.kind === 'judged' && report.rules === 0;
  return [...postureLines(report, style, width), ...(asks ? wrapped(NO_RULES, width) : [])];
}

export function surveyText(clients: readonly ClientState[]): string {
  const lines = clients.flatMap(({ name, title, program, found, files }) => {
    const configured = files.filter(({ entry, problem }) => entry !== undefined || problem !== undefined);
    const state = program ?? (found ? 'configured, but its program is not on PATH' : 'not found');
    return [
      `${name.padEnd(12)} ${title.padEnd(12)} ${visible(state)}`,
      ...configured.map((file) => `  ${fileStateText(file)}`),
    ];
  });
  return `${lines.join('\n')}\n\nadd pincer with pincer init <client>, remove it with pincer init <client> --remove\n`;
}

function fileStateText({ path, part, scope, problem, inactive }: FileState): string {
  if (problem !== undefined) return `? ${visible(problem)}`;
  if (inactive !== undefined) return `! ${visible(`${inactive.why}: ${inactive.fix}`)} (${scope}): ${visible(path)}`;
  return `pincer is configured (${part === 'hook' ? 'hook' : 'server'}, ${scope}): ${visible(path)}`;
}

const OUTCOMES = {
  ran: 'ran and printed',
  asked: 'asked a person:',
  refused: 'was refused:',
  failed: 'failed:',
} as const;

/** The test calls; `init` denies its own approval request. */
export function testLines(
  calls: readonly TestCall[],
  style: Paint,
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  return calls.flatMap(({ command, outcome, text }) => {
    const end = outcome === 'asked' ? '; pincer init denied it' : '';
    const shown = outcome === 'ran' ? JSON.stringify(text) : text;
    const lines = wrapped(`test: the command ${command} ${OUTCOMES[outcome]} ${visibleLine(shown)}${end}`, width);
    return outcome === 'failed' ? lines.map((line) => style.bad(line)) : lines;
  });
}
