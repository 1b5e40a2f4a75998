/** Characters that no command may contain, checked before parsing. */
import { type Refusal, shownCharacter } from './refusal.ts';

/** A person could not review a longer command. */
export const LONGEST_COMMAND = 10_000;

/** The parser scans the rest of the text at each of these. */
const OPENING = /[({`]/g;
const MOST_OPENING = 300;

/** Control characters (not tab, line feed), lookalikes of space and line end, undrawn characters, lone surrogates. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;
const PLAIN = /^[\t\n\x20-\x7e]*$/;
/** A joiner or presentation selector is part of the emoji before it. */
const PICTURE_PARTS =
  /(\p{Extended_Pictographic})(?:\ufe0f|\u200d(?=\p{Extended_Pictographic})|\ufe0f\u200d(?=\p{Extended_Pictographic}))/gu;

export function findInvalidCharacter(text: string): Refusal | undefined {
  if (text.length > LONGEST_COMMAND)
    return {
      code: 'too-long',
      reason: `the command has ${text.length} characters, more than ${LONGEST_COMMAND}`,
      at: { start: LONGEST_COMMAND, end: text.length },
      hint: 'put the text into a file and give its name to the program',
    };
  const opening = text.match(OPENING)?.length ?? 0;
  if (opening > MOST_OPENING)
    return {
      code: 'too-long',
      reason: `the command has ${opening} opening brackets, braces and backticks, more than ${MOST_OPENING}`,
      at: { start: 0, end: text.length },
      hint: 'put the text into a file and give its name to the program',
    };
  const continued = text.indexOf('\\\n');
  if (continued >= 0)
    return {
      code: 'line-continuation',
      reason: 'a backslash before a line end joins lines, which can hide what a command is',
      at: { start: continued, end: continued + 2 },
      hint: 'write the command on one line',
    };
  if (PLAIN.test(text)) return undefined;
  const masked = text.replace(
    PICTURE_PARTS,
    (whole, picture: string) => picture + 'x'.repeat(whole.length - picture.length),
  );
  for (let at = 0; at < masked.length; at++) {
    const point = masked.codePointAt(at)!;
    if (point === 9 || point === 10 || (point >= 0x20 && point < 0x7f)) continue;
    const length = point > 0xffff ? 2 : 1;
    if (INVISIBLE.test(String.fromCodePoint(point))) return invisible(text, at, length, point);
    at += length - 1;
  }
  return undefined;
}

function invisible(text: string, start: number, length: number, point: number): Refusal {
  const at = { start, end: start + length };
  const name = shownCharacter(text, start);
  if (point < 0x20 || (point >= 0x7f && point < 0xa0))
    return {
      code: 'control-character',
      reason: `the control character ${name} is not allowed in a command`,
      at,
      hint: 'leave it out; programs that need it can read it from a file',
    };
  return {
    code: 'invisible-character',
    reason: `the character ${name} cannot be seen or looks like another one`,
    at,
    hint: 'leave it out, or write the visible character that is meant',
  };
}
