import { describe, expect, it } from 'vitest';
import { endTime } from '../../../../src/page/screens/approvals/entry-end.ts';
import {
  alwaysRefusal,
  FOLDED_LENGTH,
  FOLDED_LINES,
  folded,
  foldedEnd,
  isFoldable,
  nodeRefusal,
} from '../../../../src/page/screens/approvals/limits.ts';
import { approvalExample } from '../../approval-example.ts';

const { binding } = approvalExample('aaaaaaaa');
const LONG = 'x'.repeat(FOLDED_LENGTH + 1);

describe('a request that is too long to be shown at once', () => {
  it.each([
    ['its command', { command: LONG }],
    ['the lines of its command', { command: `echo hello${'\n'.repeat(FOLDED_LINES)}` }],
    ['a variable', { env: { A: LONG } }],
    ['many variables', { env: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`V${i}`, '1'])) }],
    ['an argument', { programs: [{ real: '/bin/x', identity: '', argv: ['x', LONG] }] }],
  ])('is folded because of %s', (_, changes) => {
    expect(isFoldable(approvalExample('aaaaaaaa', { binding: { ...binding, ...changes } }))).toBe(true);
  });

  it('is not folded below that', () => {
    expect(isFoldable(approvalExample('aaaaaaaa', { binding: { ...binding, command: LONG.slice(1) } }))).toBe(false);
  });
});

it('shows the end of a command that empty lines would move off the screen', () => {
  const command = `echo hello${'\n'.repeat(3800)}rm -rf ~`;
  expect([folded(command).trim(), foldedEnd(command)]).toEqual(['echo hello', 'rm -rf ~']);
});

describe('what an answer may not do', () => {
  it('stores nothing where nothing may be stored', () => {
    expect(alwaysRefusal(approvalExample('aaaaaaaa'))).toContain('can be allowed once');
    expect(alwaysRefusal(approvalExample('aaaaaaaa', { wouldStore: [{ pattern: '/usr/bin/git' }] }))).toBeUndefined();
  });

  it('names the setting of the node that stores nothing', () => {
    const approval = approvalExample('aaaaaaaa', { node: { id: 'n', name: 'build-1', answers: 'once' } });
    expect(alwaysRefusal(approval)).toBe('Node build-1 lets this gateway allow single runs only (node.answers).');
  });

  it.each([
    ['none', true, true],
    ['once', false, true],
    ['always', false, false],
  ] as const)('respects a node with the answers %s', (answers, once, always) => {
    const approval = approvalExample('aaaaaaaa', { node: { id: 'n', name: 'build-1', answers } });
    expect([nodeRefusal(approval, false) !== undefined, nodeRefusal(approval, true) !== undefined]).toEqual([
      once,
      always,
    ]);
  });
});

it('ends an entry after an hour, at midnight, or never', () => {
  const now = new Date(2026, 10, 18, 15, 40).getTime();
  expect(endTime('never', now)).toBeUndefined();
  expect(endTime('hour', now)).toBe(now + 3_600_000);
  expect(endTime('tonight', now)).toBe(new Date(2026, 10, 19).getTime());
});
