/** Characters that no command may contain, checked before parsing. */
import { type HiddenCharacter, hiddenCharacters } from '../../base/hidden-characters.ts';
import { type Refusal, shownCharacter } from './refusal.ts';
import type { Span } from '../../wire/policy.ts';
import { forAgent } from '../hint.ts';

/** A person could not review a longer command. */
export const LONGEST_COMMAND = 10_000;

/** The parser scans the rest of the text at each of these. */
const OPENING = /[({`]/g;
const MOST_OPENING = 300;

/** `bodies` are the lines of here-documents, which are data: their length, brackets and backslashes do not count. */
export function findInvalidCharacter(text: string, bodies: readonly Span[] = []): Refusal | undefined {
  const outside = withoutBodies(text, bodies);
  if (outside.length > LONGEST_COMMAND)
    return {
      code: 'too-long',
      reason: `the command has ${outside.length} characters, more than ${LONGEST_COMMAND}`,
      at: { start: Math.min(LONGEST_COMMAND, text.length), end: text.length },
      ...forAgent('put the text into a file and give its name to the program'),
    };
  const opening = outside.match(OPENING)?.length ?? 0;
  if (opening > MOST_OPENING)
    return {
      code: 'too-long',
      reason: `the command has ${opening} opening brackets, braces and backticks, more than ${MOST_OPENING}`,
      at: { start: 0, end: text.length },
      ...forAgent('put the text into a file and give its name to the program'),
    };
  const continued = outside.includes('\\\n') ? continuedLine(text, bodies) : -1;
  if (continued >= 0)
    return {
      code: 'line-continuation',
      reason: 'a backslash before a line end joins lines, which can hide what a command is',
      at: { start: continued, end: continued + 2 },
      ...forAgent('write the command on one line'),
    };
  const hidden = hiddenCharacters(text).find(({ text: char }) => char !== '\t' && char !== '\n');
  return hidden === undefined ? undefined : invisible(text, hidden);
}

function withoutBodies(text: string, bodies: readonly Span[]): string {
  let outside = '';
  let from = 0;
  for (const { start, end } of bodies) {
    outside += text.slice(from, start);
    from = end;
  }
  return outside + text.slice(from);
}

function continuedLine(text: string, bodies: readonly Span[]): number {
  let at = text.indexOf('\\\n');
  while (bodies.some(({ start, end }) => start <= at && at < end)) at = text.indexOf('\\\n', at + 1);
  return at;
}

function invisible(text: string, { start, end, point }: HiddenCharacter): Refusal {
  const at = { start, end };
  const name = shownCharacter(text, start);
  if (point < 0x20 || (point >= 0x7f && point < 0xa0))
    return {
      code: 'control-character',
      reason: `the control character ${name} is not allowed in a command`,
      at,
      ...forAgent('leave it out; programs that need it can read it from a file'),
    };
  return {
    code: 'invisible-character',
    reason: `the character ${name} cannot be seen or looks like another one`,
    at,
    ...forAgent('leave it out, or write the visible character that is meant'),
  };
}
