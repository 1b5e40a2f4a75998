import { describe, expect, it } from 'vitest';
import { asBlock, shellWord, tour, tourInReadme } from '../../scripts/tour.mjs';
import { readText, root } from '../house/sources.ts';

describe('the tour', () => {
  it('stands in the README exactly as the program prints it', () => {
    expect(tourInReadme(readText('README.md')), 'npm run build && npm run tour').toBe(asBlock(tour(root)));
  });

  it.each([
    ['oc://a.md/tools/gh', 'oc://a.md/tools/gh'],
    ['oc://a.jsonl/$last', "'oc://a.jsonl/$last'"],
    ["it's", "'it'\\''s'"],
    ['', "''"],
  ])('spells %j for a shell as %s', (argument, word) => {
    expect(shellWord(argument)).toBe(word);
  });
});
