/** JSON output of the path verbs: two spaces of indentation, undefined members omitted. */
import { toJson } from '../../../text/json/data.ts';
import { writeJson } from '../../../text/json/value.ts';

export function renderJson(answer: object): string {
  return `${writeJson(toJson(answer), { indent: '  ' })}\n`;
}

export function renderJsonLine(answer: object): string {
  return `${writeJson(toJson(answer), { indent: '' })}\n`;
}
