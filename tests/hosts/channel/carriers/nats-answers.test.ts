import { expect, it } from 'vitest';
import { limitedAnswers } from '../../../../src/hosts/channel/carriers/nats.ts';

it('answers each sender once a second, and names the one that floods', () => {
  let now = 0;
  const lines: string[] = [];
  const mayAnswer = limitedAnswers((line) => void lines.push(line), { now: () => now });
  const answers = Array.from({ length: 3_000 }, () => mayAnswer('node one'));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(mayAnswer('node two')).toBe(true);
  expect(lines).toEqual(['node one sends 1000 messages in a second that belong to no open connection']);
  now += 1_000;
  expect([mayAnswer('node one'), mayAnswer('node one')]).toEqual([true, false]);
});

it('answers each sender as often in a second as it may', () => {
  let now = 0;
  const mayAnswer = limitedAnswers(() => undefined, { most: 3, now: () => now });
  const answers = (): number => Array.from({ length: 10 }, () => mayAnswer('node one')).filter(Boolean).length;
  expect([answers(), answers()]).toEqual([3, 0]);
  now += 1_000;
  expect(answers()).toBe(3);
});
