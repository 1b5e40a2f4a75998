import { expect, it } from 'vitest';
import { isReadAtOnce } from '../../../../src/apps/cli/serve/link-output.ts';

const output = (kind: 'pipe' | 'socket' | 'file') => ({
  dev: 8,
  ino: 42,
  isFIFO: () => kind === 'pipe',
  isSocket: () => kind === 'socket',
});

it.each([
  ['on a terminal', true, output('file'), undefined, true],
  ['in a pipe', false, output('pipe'), undefined, true],
  ['in a pipe of a Node program', false, output('socket'), undefined, true],
  ['in a pipe inside of a unit', false, output('socket'), '8:41', true],
  ['in the journal', false, output('socket'), '8:42', false],
  ['in a file', false, output('file'), undefined, false],
  ['on a closed stream', false, undefined, undefined, false],
])('decides whether a link is printed %s', (_, isTerminal, stdout, journal, expected) => {
  expect(isReadAtOnce(isTerminal, stdout, journal)).toBe(expected);
});
