import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EscapeCase } from './case.ts';
import { edit, move, read, refuses, shows, update, write } from './case.ts';
import { LEXICAL } from './cases/lexical.ts';
import { LINKS } from './cases/links.ts';
import { OTHER_DOORS } from './cases/other-doors.ts';
import { RACES } from './cases/races.ts';
import { SPECIAL } from './cases/special.ts';
import { link, shell } from './ground.ts';
import { JUDGE_MS, judge } from './judge.ts';

const NAIVE = [process.execPath, join(import.meta.dirname, 'fixtures', 'naive.mjs')];

const sentence = ({ what, expect }: EscapeCase): string => `${'refused' in expect ? 'refuses' : 'allows'} ${what}`;

describe('the judge detects a tool without a boundary:', () => {
  it.each([
    ['a read outside', read('../out/secret.txt'), [], 'ESCAPE'],
    ['a write outside', write('../out/new.txt'), [], 'ESCAPE'],
    ['a write through a link', write('l'), [link('l', '{OUT}/secret.txt')], 'ESCAPE'],
    ['a wait for a pipe', read('pipe'), [shell('mkfifo pipe')], 'HANG'],
    ['an answer where a refusal is due', read('d/../in.txt'), [], 'TOO LENIENT'],
    ['a refusal without a code', read('nowhere.txt'), [], 'UNCLEAR'],
    ['a refused change that happened', edit('in.txt', 'INSIDE', 'FAIL AFTER WRITE'), [], 'CHANGED'],
    ['a file moved onto itself and lost', move('in.txt', 'in.txt'), [], 'CHANGED'],
    ['no answer at all', update('in.txt'), [], 'NO ANSWER'],
  ] as const)('%s', async (what, call, plants, verdict) => {
    // Only who waits for ever is cut short: a start may take long on a busy machine.
    const entry = { ...refuses(what, call, ...plants), ...(verdict === 'HANG' ? { timeoutMs: 1000 } : {}) };
    expect((await judge(entry, NAIVE))?.verdict).toBe(verdict);
  });

  it('a refusal where a result is expected', async () => {
    expect((await judge(shows('a file that is not there', read('nowhere.txt')), NAIVE))?.verdict).toBe('TOO STRICT');
  });
});

const families = { LEXICAL, LINKS, SPECIAL, OTHER_DOORS, RACES };

it('has at least 150 cases, each with a unique sentence', () => {
  const sentences = Object.values(families).flat().map(sentence);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences.length).toBeGreaterThanOrEqual(150);
});

describe.each(Object.entries(families))('%s: the program', (_, cases) => {
  for (const entry of cases) {
    it.concurrent(sentence(entry), { timeout: JUDGE_MS }, async ({ expect, skip }) => {
      const verdict = await judge(entry);
      if (verdict === undefined) skip('mounts and devices can be made by root only');
      expect(verdict).toEqual({ verdict: 'ok' });
    });
  }
});
