import { expect, it } from 'vitest';
import { aboutText, eventLook } from '../../../../src/page/screens/audit/wording.ts';
import type { AuditEntry } from '../../../../src/wire/approval.ts';
import { entryExample } from './entry-example.ts';

it.each<[Partial<AuditEntry>, string]>([
  [{}, ''],
  [{ details: { reason: 'no rule', code: 'allowlist-miss' } }, 'no rule'],
  [{ details: { exitCode: 0 } }, 'code 0'],
  [{ details: { decision: 'deny' }, by: 'page:operator-1' }, 'deny, by page:operator-1'],
  [{ by: 'ann' }, 'by ann'],
  [{ details: { reason: { text: 'an object is not a line' }, action: 'link used' } }, 'link used'],
])('one line about %j is "%s"', (changes, text) => {
  expect(aboutText(entryExample(1, changes))).toBe(text);
});

it('marks what a person should look at, and an event that it does not know looks plain', () => {
  const look = (event: string) => eventLook(entryExample(1, { event: event as AuditEntry['event'] })).tone;
  expect(['denied', 'asked', 'guard-lost', 'started', 'unknown'].map(look)).toEqual([
    'no',
    'ask',
    'no',
    'muted',
    'muted',
  ]);
});
