// @ts-check
/** Loaded before the program: on SIGUSR2 it writes memory and the lag of the event loop to a file; SIGWINCH starts anew. */
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();
process.on('SIGWINCH', () => lag.reset());
process.on('SIGUSR2', () => {
  const ms = (/** @type {number} */ ns) => ns / 1e6 - 10;
  const seen = { p50: ms(lag.percentile(50)), p99: ms(lag.percentile(99)), max: ms(lag.max) };
  writeFileSync(
    process.env['BENCH_HEALTH'] ?? '',
    JSON.stringify({ rss: process.memoryUsage.rss() / 2 ** 20, lag: seen }),
  );
});
