// @ts-check
/**
 * usage: node output.mjs MODULE RUNNER FOLDER PRODUCER MEGABYTES SESSIONS LOG_BYTES|naive
 * Each of so many sessions prints so many megabytes with PRODUCER, a program that takes a count of megabytes. What arrives goes into the
 * logs of real sessions; `naive` is what programs do without them: spawn, and a string that keeps its last 200,000 characters. Prints
 * MB/s, the largest memory and the lag of the event loop as JSON.
 */
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const [module = '', runner = '', folder = '', producer = '', megabytes = '4096', count = '1', kind = ''] =
  process.argv.slice(2);
const file = realpathSync(producer);
const { createLauncher, createSessions } = await import(module);

/** @returns {{ session: (i: number) => Promise<number>, close: () => Promise<void> }} */
function ours() {
  const launcher = createLauncher({ runtimeDir: join(folder, 'run'), runner });
  const sessions = createSessions(launcher, { folder: join(folder, 'logs'), maxLogBytes: Number(kind) });
  return {
    async session() {
      const launch = {
        stages: [{ file, argv: ['producer', megabytes] }],
        cwd: '/',
        env: {},
        streams: 'merged',
        stdin: 'closed',
      };
      const start = {
        launch,
        caller: { agent: 'bench' },
        command: 'producer',
        host: 'gateway',
        timeout: 0,
        background: true,
      };
      const session = await sessions.start(start);
      return (await session.ended()).bytes;
    },
    async close() {
      await sessions.close();
      await launcher.close();
    },
  };
}

/** @returns {{ session: (i: number) => Promise<number>, close: () => Promise<void> }} */
function naive() {
  return {
    session: () =>
      new Promise((resolve) => {
        let bytes = 0;
        let text = '';
        const child = spawn(file, [megabytes], { stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout.setEncoding('latin1');
        child.stdout.on('data', (part) => {
          bytes += part.length;
          text = (text + part).slice(-200_000);
        });
        child.on('close', () => resolve(text.length > 0 ? bytes : 0));
      }),
    close: async () => undefined,
  };
}

const { session, close } = kind === 'naive' ? naive() : ours();
const lag = monitorEventLoopDelay({ resolution: 5 });
await session(-1); // everything is loaded and compiled
let memory = 0;
const watch = setInterval(() => {
  memory = Math.max(memory, process.memoryUsage.rss());
}, 50);
lag.enable();
const begin = performance.now();
const all = await Promise.all(Array.from({ length: Number(count) }, (_, i) => session(i)));
const seconds = (performance.now() - begin) / 1000;
lag.disable();
clearInterval(watch);
const total = all.reduce((sum, bytes) => sum + bytes, 0) / (1 << 20);
await close();
console.log(
  JSON.stringify({
    megabytes: total,
    rate: total / seconds,
    memory: Math.max(memory, process.memoryUsage.rss()) / (1 << 20),
    lag: lag.percentile(99) / 1e6,
  }),
);
