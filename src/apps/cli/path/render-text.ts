/** Text output of the path verbs. */
import type { FoundMatch, ResolveAnswer, ValidateAnswer } from '../../../tools/path/answer.ts';
import type { Match } from '../../../text/walk/match.ts';
import type { Paint } from '../../terminal/paint.ts';
import { visible } from '../../terminal/visible.ts';

export function renderMatch(match: Match, style: Paint): string {
  const at = style.quiet(`@ L${match.line}`);
  switch (match.kind) {
    case 'leaf':
      return `leaf ${at}: ${style.value(visible(JSON.stringify(match.valueText)))} ${style.quiet(`(${match.leafType})`)}`;
    case 'node':
      return `node ${at} [${visible(match.descriptor)}]`;
    case 'insertion-point':
      return `insertion-point ${at} [${visible(match.container)}]`;
    case 'root':
      return `root ${at}`;
  }
}

export function renderResolve(answer: ResolveAnswer, style: Paint): string {
  return answer.resolved
    ? `${renderMatch(answer.match, style)}\n`
    : `${style.bad('not found:')} ${visible(answer.ocPath)}\n`;
}

/** `width` aligns the arrows on a terminal. */
export function renderFound(found: FoundMatch, width: number, style: Paint): string {
  const path = visible(found.path) + ' '.repeat(Math.max(0, width - found.path.length));
  return `  ${style.address(path)}  →  ${renderMatch(found.match, style)}\n`;
}

export function renderCount(count: number, pattern: string): string {
  if (count === 0) return `0 matches for ${visible(pattern)}\n`;
  return `${count === 1 ? '1 match' : `${count} matches`} for ${visible(pattern)}:\n`;
}

export function renderValidate(answer: ValidateAnswer, style: Paint): string {
  if (!answer.valid) {
    const hint = answer.hint === undefined ? '' : `hint: ${answer.hint}\n`;
    return `${style.bad('INVALID:')} ${answer.code}: ${visible(answer.message)}\n${hint}`;
  }
  const lines = Object.entries(answer.structure).map(([slot, text]) => `  ${`${slot}:`.padEnd(9)}${visible(text)}\n`);
  return `${style.good('valid:')} ${visible(answer.ocPath)}\n${lines.join('')}`;
}
