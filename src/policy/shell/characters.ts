/** Characters that no command may contain, checked before parsing. */
import { type HiddenCharacter, hiddenCharacters } from '../../base/hidden-characters.ts';
import { type Refusal, shownCharacter } from './refusal.ts';
import { forAgent } from '../hint.ts';

/** A person could not review a longer command. */
export const LONGEST_COMMAND = 10_000;

/** The parser scans the rest of the text at each of these. */
const OPENING = /[({`]/g;
const MOST_OPENING = 300;

export function findInvalidCharacter(text: string): Refusal | undefined {
  if (text.length > LONGEST_COMMAND)
    return {
      code: 'too-long',
      reason: `the command has ${text.length} characters, more than ${LONGEST_COMMAND}`,
      at: { start: LONGEST_COMMAND, end: text.length },
      ...forAgent('put the text into a file and give its name to the program'),
    };
  const opening = text.match(OPENING)?.length ?? 0;
  if (opening > MOST_OPENING)
    return {
      code: 'too-long',
      reason: `the command has ${opening} opening brackets, braces and backticks, more than ${MOST_OPENING}`,
      at: { start: 0, end: text.length },
      ...forAgent('put the text into a file and give its name to the program'),
    };
  const continued = text.indexOf('\\\n');
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
