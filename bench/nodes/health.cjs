// @ts-check
/** Loaded before the program: on SIGUSR2 it writes memory and the lag of the event loop since SIGWINCH to a file. */
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

/** @type {import('node:perf_hooks').IntervalHistogram | undefined} Has memory of its own, so it is made when it is asked for. */
let lag;
process.on('SIGWINCH', () => {
  lag ??= monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  lag.reset();
});
process.on('SIGUSR2', () => {
  const ms = (/** @type {number} */ ns) => ns / 1e6 - 10;
  const seen =
    lag === undefined ? undefined : { p50: ms(lag.percentile(50)), p99: ms(lag.percentile(99)), max: ms(lag.max) };
  writeFileSync(
    process.env['BENCH_HEALTH'] ?? '',
    JSON.stringify({ rss: process.memoryUsage.rss() / 2 ** 20, lag: seen }),
  );
});
