import { describe, expect, it } from 'vitest';
import { parseSeed, parseTier, runsIn, withSeed } from './budget.ts';

describe('the tier', () => {
  it.each([
    [undefined, 'usual'],
    ['', 'usual'],
    ['quick', 'quick'],
    ['deep', 'deep'],
  ])('of %j is %s', (text, tier) => {
    expect(parseTier(text)).toBe(tier);
  });

  it('is refused when it is unknown', () => {
    expect(() => parseTier('slow')).toThrow('PINCER_TEST_TIER must be one of quick, usual, deep, not "slow"');
  });
});

describe('the number of runs', () => {
  it.each([
    ['quick', 1000, undefined, 100],
    ['quick', 20, undefined, 5],
    ['quick', 3, undefined, 3],
    ['usual', 1000, 5000, 1000],
    ['deep', 1000, undefined, 20_000],
    ['deep', 1000, 5000, 5000],
  ] as const)('in the tier %s for %i runs (deep: %s) is %i', (tier, usual, deep, count) => {
    expect(runsIn(tier, usual, deep)).toBe(count);
  });
});

describe('the seed', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['7', 7],
    ['-2147483648', -2147483648],
  ])('of %j is %s', (text, seed) => {
    expect(parseSeed(text)).toBe(seed);
  });

  it.each(['x', '1.5', '1e3', '4294967296'])('is refused when it is %s', (text) => {
    expect(() => parseSeed(text)).toThrow(`PINCER_TEST_SEED must be an integer of 32 bits, not "${text}"`);
  });

  it('repeats the numbers of a test', async () => {
    const numbers: number[] = [];
    const test = withSeed((next) => void numbers.push(next()), 7);
    await test();
    await test();
    expect(numbers).toEqual([numbers[0], numbers[0]]);
    expect([numbers[0]! >= 0, numbers[0]! < 1]).toEqual([true, true]);
  });

  it('is in the message of a failed test', async () => {
    const test = withSeed(() => {
      throw new Error('it failed');
    }, 7);
    await expect(test()).rejects.toThrow('it failed\nrepeat with PINCER_TEST_SEED=7');
  });
});
