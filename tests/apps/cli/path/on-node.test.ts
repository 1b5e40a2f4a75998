import { expect, it } from 'vitest';
import { jsonText } from '../../../../src/apps/cli/path/on-node.ts';

it.each([
  ['the spelling of numbers', '{\n  "value": 12345678901234567890, "b": 1.10\n}', undefined],
  ['characters that steer a terminal', '{"a":"\u009b2J\u202e\u{e0041}"}', '{"a":"\\u009b2J\\u202e\\udb40\\udc41"}'],
  ['a text that is no JSON', '\u001b[2J', '"\\u001b[2J"'],
])('prints the answer of a node as JSON: %s', (_, text, printed) => {
  expect(jsonText(text)).toBe(printed ?? text);
  expect(JSON.parse(jsonText(text))).toEqual(printed === undefined ? JSON.parse(text) : JSON.parse(printed));
});
