// @ts-check
/** Runs programs and names the steps of a long command, one line each. */
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** @typedef {{ code: number, output: string }} RunResult */

/** How often a long step says that it is still at work where no terminal shows a live line. */
const HEARTBEAT_MS = 60_000;

/**
 * Runs a program without a terminal and without input, and keeps all that it prints.
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<RunResult>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 127, output: `${output}${command}: ${error.message}\n` }));
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 128, output: signal ? `${output}${signal}\n` : output }),
    );
  });
}

/**
 * Does one step and prints its line: what, how long, and its output when it failed.
 * @param {string} name @param {() => Promise<RunResult>} work
 * @returns {Promise<boolean>} whether it went well
 */
export async function step(name, work) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  const live = process.stdout.isTTY;
  if (live) process.stdout.write(`…   ${name}`);
  const heartbeat = live
    ? undefined
    : setInterval(() => console.log(`…   ${name.padEnd(12)} ${seconds()} s`), HEARTBEAT_MS);
  const result = await work();
  clearInterval(heartbeat);
  const mark = result.code === 0 ? 'ok ' : 'BAD';
  console.log(`${live ? '\r\u001b[K' : ''}${mark} ${name.padEnd(12)} ${seconds().padStart(6)} s`);
  if (result.code !== 0) {
    const output = result.output.trimEnd();
    console.log(live ? output : stripVTControlCharacters(output)); // some programs colour whatever they print when CI is set
  }
  return result.code === 0;
}
