// @ts-check
/** Measuring whole processes: ours and peers interleaved in one run, in a clean environment. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ name: string, command: readonly string[], before?: () => void, environment?: Record<string, string> }} Contestant
 * @typedef {{ name: string, min: number, median: number, rss: number }} Timing
 */

/** Whether a program is on this machine. @param {string} program */
export function has(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/**
 * Runs every contestant so many times, taking turns; times in milliseconds, the largest memory in megabytes.
 * @param {readonly Contestant[]} contestants
 * @param {{ rounds: number, cwd: string }} options
 * @returns {Map<string, Timing>}
 */
export function race(contestants, { rounds, cwd }) {
  const home = join(cwd, '.home');
  mkdirSync(home, { recursive: true });
  const sink = openSync('/dev/null', 'w');
  const usage = join(home, 'usage');
  const hasTime = has('/usr/bin/time');
  /** @type {Map<string, number[]>} */
  const times = new Map(contestants.map(({ name }) => [name, []]));
  /** @type {Map<string, number>} */
  const memory = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const { name, command, before, environment } of contestants) {
      before?.();
      const [program = '', ...args] = command;
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...environment };
      const begin = process.hrtime.bigint();
      const ran = spawnSync(program, args, { cwd, env, stdio: ['ignore', sink, 'pipe'] });
      times.get(name)?.push(Number(process.hrtime.bigint() - begin) / 1e6);
      if (ran.status !== 0) throw new Error(`${name} ended with ${ran.status ?? ran.signal}: ${ran.stderr.toString()}`);
      if (round > 0 || !hasTime) continue;
      before?.();
      spawnSync('/usr/bin/time', ['-o', usage, '-f', '%M', program, ...args], {
        cwd,
        env,
        stdio: ['ignore', sink, 'ignore'],
      });
      memory.set(name, Number(readFileSync(usage, 'utf8').trim().split('\n').at(-1)) / 1024);
    }
  }
  closeSync(sink);
  return new Map(
    [...times].map(([name, list]) => {
      const sorted = list.sort((a, b) => a - b);
      return [
        name,
        { name, min: sorted[0] ?? 0, median: sorted[sorted.length >> 1] ?? 0, rss: memory.get(name) ?? Number.NaN },
      ];
    }),
  );
}

/** How many times as long `name` takes as `peer`, by the fastest run of each. @param {Map<string, Timing>} timings @param {string} name @param {string} peer */
export function ratio(timings, name, peer) {
  return (timings.get(name)?.min ?? Number.NaN) / (timings.get(peer)?.min ?? Number.NaN);
}

/** @param {Map<string, Timing>} timings */
export function table(timings) {
  const lines = [...timings.values()].map(
    ({ name, min, median, rss }) =>
      `| ${name} | ${min.toFixed(1)} | ${median.toFixed(1)} | ${Number.isNaN(rss) ? '-' : rss.toFixed(0)} |`,
  );
  return ['| command | min ms | median ms | max MB |', '|---|---:|---:|---:|', ...lines].join('\n');
}
