/**
 * How much work a property, fuzz, race or kill test does. `PINCER_TEST_TIER` selects the tier: `quick`, `usual` (default)
 * or `deep`. `PINCER_TEST_SEED` repeats a run of random tests. This file imports no package: vitest.config.ts reads it.
 */

const TIERS = ['quick', 'usual', 'deep'] as const;
type Tier = (typeof TIERS)[number];

const FEWEST_RUNS = 5;
const QUICK_SHARE = 0.1;
const DEEP_FACTOR = 20;
const DEEP_TIMEOUT_FACTOR = 30;
const LARGEST_SEED = 2 ** 31 - 1;

/** The tier of this process. */
export const TIER = parseTier(process.env['PINCER_TEST_TIER']);

/** The given seed; undefined without `PINCER_TEST_SEED`. */
export const GIVEN_SEED = parseSeed(process.env['PINCER_TEST_SEED']);

/** The seed of the hand-written generators in this process. */
export const SEED = GIVEN_SEED ?? Math.floor(Math.random() * LARGEST_SEED);

/** An unset or empty variable means `usual`. */
export function parseTier(text: string | undefined): Tier {
  const tier = TIERS.find((name) => name === (text || 'usual'));
  if (tier === undefined) throw new Error(`PINCER_TEST_TIER must be one of ${TIERS.join(', ')}, not "${text}"`);
  return tier;
}

/** An unset or empty variable means a random seed. Negative seeds are allowed: fast-check prints them. */
export function parseSeed(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const seed = Number(text);
  if (!/^-?\d+$/u.test(text) || Math.abs(seed) > LARGEST_SEED + 1)
    throw new Error(`PINCER_TEST_SEED must be an integer of 32 bits, not "${text}"`);
  return seed;
}

/** The number of runs in this tier. Give `deep` where 20 times the usual number is too slow. */
export function runs(usual: number, deep = usual * DEEP_FACTOR): number {
  return runsIn(TIER, usual, deep);
}

/** The number of runs in a tier. */
export function runsIn(tier: Tier, usual: number, deep = usual * DEEP_FACTOR): number {
  if (tier === 'deep') return deep;
  if (tier === 'usual') return usual;
  return Math.min(usual, Math.max(FEWEST_RUNS, Math.ceil(usual * QUICK_SHARE)));
}

/** The timeout of a test in this tier. */
export function timeoutFor(usualMs: number): number {
  return TIER === 'deep' ? usualMs * DEEP_TIMEOUT_FACTOR : usualMs;
}

/** A test function that gets random numbers from 0 to 1. Its error says how to repeat them. */
export function withSeed(test: (next: () => number) => void | Promise<void>, seed = SEED): () => Promise<void> {
  return async () => {
    try {
      await test(randomNumbers(seed));
    } catch (error) {
      if (error instanceof Error) error.message += `\nrepeat with PINCER_TEST_SEED=${seed}`;
      throw error;
    }
  };
}

/** A linear congruential generator: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
