// @ts-check
/** Contestants that take turns in one run. */

/**
 * @typedef {() => Promise<unknown>} Work what is timed; a number that it gives is the time that it took itself
 * @typedef {{ min: number, median: number }} Times milliseconds
 */

/**
 * Lets every contestant work so many times, after some turns that do not count.
 * @template {string} Name
 * @param {Readonly<Record<Name, Work>>} contestants
 * @param {number} rounds
 * @param {number} [unheard]
 * @returns {Promise<Record<Name, Times>>}
 */
export async function race(contestants, rounds, unheard = 10) {
  const names = /** @type {Name[]} */ (Object.keys(contestants));
  /** @type {Map<Name, number[]>} */
  const times = new Map(names.map((name) => [name, []]));
  for (let round = -unheard; round < rounds; round++) {
    for (const name of names) {
      const began = performance.now();
      const own = await contestants[name]();
      const took = typeof own === 'number' ? own : performance.now() - began;
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  return /** @type {Record<Name, Times>} */ (
    Object.fromEntries(names.map((name) => [name, figures(times.get(name) ?? [])]))
  );
}

/** @param {readonly number[]} list @returns {Times} */
export function figures(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return { min: sorted[0] ?? Number.NaN, median: sorted[sorted.length >> 1] ?? Number.NaN };
}

/** @param {Times} ours @param {Times} theirs */
export function times(ours, theirs) {
  return `${(ours.median / theirs.median).toFixed(2)} x (fastest ${(ours.min / theirs.min).toFixed(2)} x)`;
}

/** @param {Readonly<Record<string, Times>>} all */
export function shown(all) {
  return Object.entries(all)
    .map(([name, { min, median }]) => `${name} ${median.toFixed(2)} ms (min ${min.toFixed(2)})`)
    .join(', ');
}
