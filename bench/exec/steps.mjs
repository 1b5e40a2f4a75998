// @ts-check
/**
 * usage: node steps.mjs MODULE RUNNER FOLDER ROUNDS
 * Compound commands as steps, each judged again when it starts, against one launch of `true` and against bash; prints
 * milliseconds as JSON.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const [module = '', runner = '', folder = '', rounds = '20'] = process.argv.slice(2);
const { createLauncher, createLookup, createStepFiles, judgeStep, localFiles, scanProgram, stepLauncher, toSteps } =
  await import(module);
const launcher = createLauncher({ runtimeDir: join(folder, 'run'), runner });
const workspace = join(folder, 'workspace');
mkdirSync(workspace, { recursive: true });
const PATH = '/usr/bin:/bin';
const rules = {
  allowlist: [],
  deny: [],
  safeBins: [],
  safeBinProfiles: {},
  safeBinTrustedDirs: [],
  strictInlineEval: false,
  starter: 'workspace',
};
let count = 0;

/** @param {(listener: object, session: string) => Promise<unknown>} launch */
function toItsEnd(launch) {
  return new Promise((resolve, reject) => {
    launch({ output: () => true, exited: resolve }, `bench-${count++}`).catch(reject);
  });
}

const base = { cwd: workspace, env: { PATH }, streams: 'merged', stdin: 'closed' };

/** @param {string} file */
function alone(file) {
  const stages = [{ file: realpathSync(file), argv: [file] }];
  return toItsEnd((listener, session) => launcher.launch({ ...base, session, stages }, listener));
}

/** @param {any} step @param {{ cwd: string, status: number }} now */
function judge(step, { cwd, status }) {
  const lookup = createLookup({ path: PATH, cwd, workspace });
  const { kind, commands } = judgeStep(step, { rules, lookup, cwd, status });
  return { kind: 'run', plan: { kind, commands } };
}

/** @param {string} command */
function inSteps(command) {
  const { steps } = toSteps(command, scanProgram(command).program, '/');
  const stateDir = join(folder, 'state');
  const files = () =>
    createStepFiles({ cwd: workspace, mayReadOutside: () => false, files: localFiles({ cwd: workspace, stateDir }) });
  const { launch } = stepLauncher({ runner: launcher, steps, command, judge, stateDir, files });
  return toItsEnd((listener, session) => launch({ ...base, session, stages: [] }, listener));
}

/** @param {string} command */
function inBash(command) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['-c', command], { env: { PATH }, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', resolve);
  });
}

const TEN = Array.from({ length: 10 }, () => 'true').join('; ');
const LONG = Array.from({ length: 5 }, () => 'sleep 0.1').join(' && ');
/** @type {Record<string, () => Promise<unknown>>} */
const WORK = {
  alone: () => alone('/bin/true'),
  ten: () => inSteps(TEN),
  long: () => inSteps(LONG),
  bash: () => inBash(LONG),
};
/** @type {Record<string, number[]>} */
const times = {};
for (let round = -2; round < Number(rounds); round++) {
  for (const [name, work] of Object.entries(WORK)) {
    const begin = performance.now();
    await work();
    if (round >= 0) (times[name] ??= []).push(performance.now() - begin);
  }
}
await launcher.close();
const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1];
console.log(JSON.stringify(Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))));
