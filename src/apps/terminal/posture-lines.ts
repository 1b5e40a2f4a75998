/** The posture of an agent, for a person. */
import type { Posture } from '../../wire/posture.ts';
import type { PostureReport } from '../posture.ts';
import { type Paint, paint } from './paint.ts';
import { visibleLine } from './visible.ts';
import { wrapped } from './wrapped.ts';

type ShownPosture = Pick<Posture, 'commands' | 'change' | 'limits'> & Pick<PostureReport, 'files' | 'hint'>;

/** In red if commands are not judged on this machine, with the command that changes that. */
export function postureLines(
  { commands, files, limits, change, hint }: ShownPosture,
  style: Paint,
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const lines = wrapped(visibleLine(commands), width);
  return [
    ...(change === undefined ? lines : lines.map((line) => style.bad(line))),
    // The command is on its own line, unwrapped, so that it can be pasted.
    ...(change === undefined ? [] : ['to change that:', `  ${change}`]),
    ...(hint === undefined ? [] : wrapped(`hint: ${visibleLine(hint)}`, width)),
    ...(files === undefined ? [] : wrapped(visibleLine(files), width)),
    ...(limits === undefined ? [] : wrapped(visibleLine(limits), width)),
  ];
}

export function postureText(posture: ShownPosture, colour: boolean): string {
  return postureLines(posture, paint(colour)).join('\n');
}

/** The effect of an unusable approvals file; none if commands are not judged. */
export function brokenText(broken: string, { isJudged }: Pick<Posture, 'isJudged'>): string {
  const effect = isJudged ? 'everything is denied' : 'if commands were judged, everything would be denied';
  return `exec-approvals.json is not used, and ${effect}: ${broken}`;
}
