/** The sentence about an agent's commands and files, for a person. */
import type { Posture } from '../../wire/posture.ts';
import type { PostureReport } from '../posture.ts';
import { type Paint, paint } from './paint.ts';
import { visibleLine } from './visible.ts';
import { wrapped } from './wrapped.ts';

/** The parts of a posture that are shown. */
type Shown = Pick<Posture, 'commands' | 'change' | 'limits'> & Pick<PostureReport, 'files' | 'hint'>;

/** The lines; in red where commands are not judged on this machine, with the command line that changes it. */
export function postureLines(
  { commands, files, limits, change, hint }: Shown,
  style: Paint,
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const lines = wrapped(visibleLine(commands), width);
  return [
    ...(change === undefined ? lines : lines.map((line) => style.bad(line))),
    // A command is pasted: it has a line of its own, whole.
    ...(change === undefined ? [] : ['to change that:', `  ${change}`]),
    ...(hint === undefined ? [] : wrapped(`hint: ${visibleLine(hint)}`, width)),
    ...(files === undefined ? [] : wrapped(visibleLine(files), width)),
    ...(limits === undefined ? [] : wrapped(visibleLine(limits), width)),
  ];
}

/** The same as one text. */
export function postureText(posture: Shown, colour: boolean): string {
  return postureLines(posture, paint(colour)).join('\n');
}

/** What an approvals file that cannot be used does to commands: nothing, where they are not judged. */
export function brokenText(broken: string, { isJudged }: Pick<Posture, 'isJudged'>): string {
  const effect = isJudged ? 'everything is denied' : 'if commands were judged, everything would be denied';
  return `exec-approvals.json is not used, and ${effect}: ${broken}`;
}
