/** Random programs of the grammar leave the same output, status and files as with bash. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { scanProgram } from '../../../src/policy/steps/scan-program.ts';
import { toSteps } from '../../../src/policy/steps/to-steps.ts';
import type { Step } from '../../../src/wire/steps.ts';
import { runs, timeoutFor, withSeed } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { makeLauncher } from '../../support/launching.ts';
import { PATH, runSteps } from '../../support/stepping.ts';
import { randomProgram, START_FILES, START_LINKS } from './programs.ts';

const BATCH = 100;
const AT_ONCE = 4;

interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: readonly string[];
  readonly tree: readonly string[];
}

function fill(folder: string): void {
  for (const [name, content] of Object.entries(START_FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content, { mode: 0o644 });
  }
  for (const [name, target] of Object.entries(START_LINKS)) symlinkSync(target, join(folder, name));
}

function treeOf(folder: string, way = ''): readonly string[] {
  return readdirSync(join(folder, way))
    .toSorted()
    .flatMap((name) => {
      const path = `${way}${name}`;
      const stat = lstatSync(join(folder, path));
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(folder, path))}`];
      if (stat.isDirectory()) return [`${path}/ ${mode}`, ...treeOf(folder, `${path}/`)];
      return [`${path} ${mode} ${JSON.stringify(plainErrors(readFileSync(join(folder, path), 'utf8')))}`];
    });
}

/** Who reports an error, and where, differs. */
function plainErrors(text: string): string {
  return text.replaceAll(/(?:\.\.\/\d+\.sh: line \d+: |pincer: )/gu, '');
}

/** Programs of a pipeline report errors in any order. */
function errorLines(text: string): readonly string[] {
  return plainErrors(text).split('\n').toSorted();
}

/** `cp -r d d/e` of GNU copies once before it fails; the verb copies nothing. */
function copiesIntoItself(outcome: Outcome): boolean {
  return JSON.stringify(outcome).includes(', into itself, ');
}

function stepsOf(text: string): readonly Step[] {
  const { program, refusal } = scanProgram(text);
  if (program === undefined) throw new Error(`${JSON.stringify(text)}: ${refusal.reason}`);
  const lowered = toSteps(text, program, '/root');
  if (lowered.steps === undefined) throw new Error(`${JSON.stringify(text)}: ${lowered.refusal.reason}`);
  return lowered.steps;
}

/** One bash runs all programs, each in a subshell and a folder of its own. */
function inBash(programs: readonly string[], folder: string): readonly Outcome[] {
  const script = programs.map((text, i) => {
    writeFileSync(join(folder, `${i}.sh`), `${text}\n`);
    return `(cd ${i} && . ../${i}.sh) > ${i}.out 2> ${i}.err < /dev/null; echo $? > ${i}.status`;
  });
  const { error } = spawnSync('/bin/bash', ['-c', `umask 022\n${script.join('\n')}`], {
    cwd: folder,
    env: { PATH, LC_ALL: 'C' },
  });
  if (error !== undefined) throw error;
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return programs.map((_, i) => ({
    status: Number(read(`${i}.status`)),
    out: plainErrors(read(`${i}.out`)),
    err: errorLines(read(`${i}.err`)),
    tree: treeOf(join(folder, `${i}`)),
  }));
}

test(
  'random programs do what bash does with them',
  withSeed(async (random) => {
    const runner = await makeLauncher();
    const stateDir = makeFolder();
    const start = makeFolder();
    fill(start);
    for (let left = runs(300, 20_000), batch = 0; left > 0; left -= BATCH, batch++) {
      const programs = Array.from({ length: Math.min(BATCH, left) }, () => randomProgram(random));
      const folders = [makeFolder(), makeFolder()] as const;
      for (const folder of folders)
        for (const i of programs.keys())
          cpSync(start, join(folder, `${i}`), { recursive: true, verbatimSymlinks: true });
      const expected = inBash(programs, folders[0]);
      const run = async (text: string, i: number): Promise<Outcome> => {
        const workspace = join(folders[1], `${i}`);
        const session = `same-${process.pid}-${batch}-${i}`;
        const { end } = await runSteps(stepsOf(text), { runner, workspace, stateDir, session });
        const { exit, out, err } = await end;
        const status = exit.kind === 'code' ? exit.code : Number.NaN;
        return { status, out: plainErrors(out), err: errorLines(err), tree: treeOf(workspace) };
      };
      const differences: unknown[] = [];
      for (let from = 0; from < programs.length; from += AT_ONCE) {
        const some = programs.slice(from, from + AT_ONCE);
        const found = await Promise.all(some.map((text, i) => run(text, from + i)));
        for (const [i, outcome] of found.entries()) {
          const bash = expected[from + i]!;
          if (!copiesIntoItself(bash) && !isDeepStrictEqual(outcome, bash))
            differences.push({ text: some[i], steps: outcome, bash });
        }
      }
      expect(differences).toEqual([]);
    }
  }),
  timeoutFor(180_000),
);
