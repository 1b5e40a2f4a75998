// @ts-check
/**
 * A small Node process that starts programs with Node's own `spawn`, as a peer that carries nothing else: what it is sent
 * is started with pipes, and the answer is how many milliseconds went by until all of it was closed.
 */
import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

/** Starts it. */
export function startPeer() {
  const child = fork(self, [], { execArgv: [], env: { PATH: process.env['PATH'] ?? '' } });
  return {
    /** @param {readonly string[]} command @returns {Promise<number>} */
    run: (command) =>
      new Promise((resolve, reject) => {
        child.once('message', (answer) =>
          typeof answer === 'number' ? resolve(answer) : reject(new Error(JSON.stringify(answer))),
        );
        child.send(command);
      }),
    end: () => child.disconnect(),
  };
}

/** How long a program takes, from its start until all of it is closed. @param {readonly string[]} command @returns {Promise<number>} */
export function timed([file = '', ...args]) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(file, args, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (bytes) => (said += bytes));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(`${file} ended with ${code}: ${said}`));
    });
  });
}

if (process.argv[1] === self) {
  process.on('message', (command) => {
    timed(/** @type {string[]} */ (command)).then(
      (took) => process.send?.(took),
      ({ message }) => process.send?.(message),
    );
  });
}
