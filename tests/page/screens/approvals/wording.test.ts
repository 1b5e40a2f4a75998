import { expect, it } from 'vitest';
import {
  answeredAgo,
  answeredText,
  askerText,
  outcomeText,
  unansweredText,
} from '../../../../src/page/screens/approvals/wording.ts';
import { approvalExample } from '../../approval-example.ts';

const { judgement } = approvalExample('aaaaaaaa');
const node = { id: 'n', name: 'build-1', answers: 'once' } as const;

it.each([
  ['then denied', { unanswered: 'deny' }],
  ['then askFallback runs it', { unanswered: 'run' }],
  ['then its node decides', { node, unanswered: 'deny' }],
  ['then denied', { judgement: { ...judgement, explicit: true } }],
  ['then askFallback decides', {}],
] as const)('says %j of a request that nobody answers: %j', (text, changes) => {
  expect(unansweredText(approvalExample('aaaaaaaa', changes))).toBe(text);
});

it.each([
  ['user-denied', 'denied'],
  ['user-denied: no, use\nthe other one', 'denied: no, use\nthe other one'],
  ['approval-timeout', 'no answer in time'],
  ['deny-rule', 'the rules forbid it'],
  ['Exec finished (gateway id=a, session=amber-sparrow, code 0)', 'code 0'],
  ['Exec finished (node=web (1) id=a, session=b, lost)', 'lost'],
  ['something else', 'something else'],
])('shows the outcome %j as %j', (outcome, text) => {
  expect(outcomeText(outcome)).toBe(text);
});

it.each([
  ['operator-2 denied this', ' 2 s ago', { state: 'denied', resolvedBy: 'page:operator-2', resolvedAt: 3_000 }],
  ['cli allowed this', '', { state: 'allowed', resolvedBy: 'cli' }],
  ['expired without an answer', ' 5 s ago', { state: 'expired', resolvedAt: 0 }],
  ['the agent took this back', ' 0 s ago', { state: 'cancelled', resolvedAt: 5_000 }],
] as const)('says %j, and when: %j', (text, ago, changes) => {
  const answered = approvalExample('aaaaaaaa', changes);
  expect([answeredText(answered), answeredAgo(answered, 5_000)]).toEqual([text, ago]);
});

it.each([
  ['you', ' at the command line'],
  ['operator', ' by operator'],
] as const)('says who asked as the client %j', (client, text) => {
  expect(askerText(client)).toBe(text);
});
