import { describe, expect, it } from 'vitest';
import type { EscapeCase } from './case.ts';
import { BYTES } from './corners/bytes.ts';
import { ENVELOPE } from './corners/envelope.ts';
import { PLACES } from './corners/places.ts';
import { WHOLE_FILES } from './corners/whole-files.ts';
import { JUDGE_MS, judge } from './judge.ts';

const families = { ENVELOPE, WHOLE_FILES, PLACES, BYTES };
const sentence = ({ what, expect }: EscapeCase): string => `${'refused' in expect ? 'refuses' : 'takes'} ${what}`;

it('has at least 100 corner cases, each with a unique sentence', () => {
  const sentences = Object.entries(families).flatMap(([family, cases]) => cases.map((c) => `${family} ${sentence(c)}`));
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences.length).toBeGreaterThanOrEqual(100);
});

/** A refusal is told and changes nothing; a patch that applies leaves exactly the tree that the corner says. */
describe.each(Object.entries(families))('%s: apply_patch', (_, cases) => {
  for (const entry of cases) {
    it.concurrent(sentence(entry), { timeout: JUDGE_MS }, async ({ expect }) => {
      expect(await judge(entry)).toEqual({ verdict: 'ok' });
    });
  }
});
