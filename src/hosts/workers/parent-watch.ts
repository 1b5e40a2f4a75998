/** Ends this process when its parent has ended, also while it works without a pause and hears nothing. */
import { Worker } from 'node:worker_threads';

/** How often the thread looks, and how many looks without the parent end the process: what it writes may be done by then. */
const EVERY_MS = 500;
const LOOKS = 4;

/** In the thread; `process.ppid` is another one when the parent has ended. */
const WATCH = `
const { workerData: { parent, everyMs, looks } } = require('node:worker_threads');
let missed = 0;
setInterval(() => {
  missed = process.ppid === parent ? 0 : missed + 1;
  if (missed >= looks) process.kill(process.pid, 'SIGKILL');
}, everyMs);
`;

/** Starts the watch; it does not keep the process from ending. */
export function watchParent(parent: number): void {
  const workerData = { parent, everyMs: EVERY_MS, looks: LOOKS };
  const thread = new Worker(WATCH, { eval: true, workerData, env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // Without a thread the process still ends when its work does and the channel is closed.
  thread.once('error', () => {});
  thread.unref();
}
