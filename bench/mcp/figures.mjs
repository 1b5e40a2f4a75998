// @ts-check
/** Times and rates of calls. */

/** @typedef {{ p50: number, p99: number, rate: number }} Latency */

/** The value below which this part of the sorted times lies. @param {readonly number[]} sorted @param {number} part */
function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Median and minimum. @param {readonly number[]} times */
export function middle(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN };
}

/**
 * Makes so many calls with so many of them under way at the same time; milliseconds, and calls for each second.
 * @param {() => Promise<unknown>} call @param {number} calls @param {number} together @returns {Promise<Latency>}
 */
export async function load(call, calls, together) {
  /** @type {number[]} */
  const times = [];
  let left = calls;
  const worker = async () => {
    while (left-- > 0) {
      const begin = performance.now();
      await call();
      times.push(performance.now() - begin);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: together }, worker));
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), rate: times.length / seconds };
}

/** The best of several blocks: what else runs on the machine only ever slows a block. @param {readonly Latency[]} blocks @returns {Latency} */
export function best(blocks) {
  return {
    p50: Math.min(...blocks.map(({ p50 }) => p50)),
    p99: Math.min(...blocks.map(({ p99 }) => p99)),
    rate: Math.max(...blocks.map(({ rate }) => rate)),
  };
}

/** @param {Latency} latency */
export function shown({ p50, p99, rate }) {
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${rate.toFixed(0)} calls/s`;
}
