import { expect, it } from 'vitest';
import { limitedAnswers } from '../../../../src/hosts/channel/carriers/nats.ts';

it('answers each sender once a second, and names the one that floods', () => {
  let now = 0;
  const lines: string[] = [];
  const mayAnswer = limitedAnswers(
    (line) => void lines.push(line),
    () => now,
  );
  const answers = Array.from({ length: 3_000 }, () => mayAnswer('node one'));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(mayAnswer('node two')).toBe(true);
  expect(lines).toEqual(['node one sends 1000 messages in a second for a connection that has ended']);
  now += 1_000;
  expect([mayAnswer('node one'), mayAnswer('node one')]).toEqual([true, false]);
});
