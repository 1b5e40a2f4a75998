/** The JSON that a program reads: two blanks of indentation, a newline at the end, absent members left out. */
import { toJson } from '../../../text/json/data.ts';
import { writeJson } from '../../../text/json/value.ts';

export function renderJson(answer: object): string {
  return `${writeJson(toJson(answer), { indent: '  ' })}\n`;
}

export function renderJsonLine(answer: object): string {
  return `${writeJson(toJson(answer), { indent: '' })}\n`;
}
