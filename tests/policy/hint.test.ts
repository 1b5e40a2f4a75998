import { expect, it } from 'vitest';
import { decide } from '../../src/policy/decide.ts';
import { judge } from '../../src/policy/judge.ts';
import { machine, rules } from './machine.ts';

const given = rules({ deny: [{ pattern: '/usr/bin/rm' }], safeBins: ['head'] });
const judged = (command: string) => judge(command, given, machine(), '/home/u');

it.each([
  ['ls; ls', 'agent'],
  ['sh -c ls', 'agent'],
  ['ls', 'operator'],
  ['rm x', 'operator'],
  ['head -n 1 file', 'operator'],
])('the hint about %j is for the %s', (command, hintFor) => {
  expect(judged(command)).toMatchObject({ hint: expect.any(String), hintFor });
});

it('a hint that is replaced or removed takes its addressee with it', () => {
  const { hint, hintFor } = decide({ security: 'deny', ask: 'off' }, judged('ls; ls'));
  expect([hint, hintFor]).toEqual([
    'the operator chooses security in the configuration or the approvals file',
    'operator',
  ]);
  const full = decide({ security: 'full', ask: 'off' }, judge('ls', rules({}), machine(), '/home/u'));
  expect([full.hint, full.hintFor]).toEqual([undefined, undefined]);
});
