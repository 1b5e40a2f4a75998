import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLookup } from '../../../src/hosts/process/programs/which.ts';
import { findInvalidCharacter } from '../../../src/policy/shell/characters.ts';
import { expandText, expandWord } from '../../../src/policy/steps/expand.ts';
import { WorkBudget } from '../../../src/policy/work-budget.ts';
import { bodiesIn, scanProgram } from '../../../src/policy/steps/scan-program.ts';
import { toSteps } from '../../../src/policy/steps/to-steps.ts';
import { treeAgrees } from '../../../src/policy/steps/tree-agrees.ts';
import type { Lookup } from '../../../src/wire/policy.ts';
import type { Step } from '../../../src/wire/steps.ts';
import { runs, timeoutFor, withSeed } from '../../support/budget.ts';
import { makeFolder } from '../../support/folder.ts';
import { generateProgram, pick } from './generate.ts';

const BASH = '/bin/bash';
const TEXTS = runs(400, 20_000);
const INSERTED = ['"', "'", '\\', '$', ';', '&&', '||', '\n', ' ', '#', '!', '~', '*', '?', '[', ']', 'a', '='];

/** A folder with names for patterns; no name begins with a dash, because those get `./` in front. */
function makeFolders(): string {
  const names = 'b x1 foo B é 日本 .hidden a* sub/ab sub/a/b sub/b/b a/x a/b/0'.split(' ');
  // Deep enough that no `cd ..` leaves it: other tests change the folder of temporary files.
  const depth = 'n/n/n/n/n/n/w';
  const top = makeFolder(Object.fromEntries([...names, 'a b'].map((name) => [`${depth}/${name}`, ''])));
  return join(top, depth);
}

function stepsOf(text: string, home: string): readonly Step[] | undefined {
  if (findInvalidCharacter(text, bodiesIn(text)) !== undefined) return undefined;
  const { program } = scanProgram(text);
  const steps = program === undefined ? undefined : toSteps(text, program, home).steps;
  return steps !== undefined && treeAgrees(text, program!) ? steps : undefined;
}

/** What the programs print; undefined where one is not known here. */
function printed(steps: readonly Step[], top: string, lookup: Lookup): string | undefined {
  let cwd = top;
  let status = 0;
  let out = '';
  for (const { when, does, negate } of steps) {
    if ((when === 'ok' && status !== 0) || (when === 'failed' && status === 0)) continue;
    if (does.kind === 'constant') status = 0;
    if (does.kind === 'folder') {
      const to = expandText(does.to, { lookup, cwd, status, budget: new WorkBudget() });
      if ('problem' in to) return undefined;
      const folder = to.text.startsWith('/') ? to.text : `${cwd}/${to.text}`;
      status = existsSync(`${folder}/.`) ? 0 : 1;
      if (status === 0) cwd = realpathSync(folder);
    }
    if (does.kind === 'pipeline') {
      const [command, ...others] = does.commands;
      if (command === undefined || others.length > 0 || Object.keys(command.env).length > 0) return undefined;
      const argv = command.words.flatMap((word) => {
        const expanded = expandWord(word, { lookup, cwd, status, budget: new WorkBudget() });
        return 'words' in expanded ? expanded.words : ['\u0000'];
      });
      const [name, format, ...args] = argv;
      const [input] = command.redirects;
      if (argv.some((word) => word.startsWith('./-'))) return undefined;
      if (name === 'printf' && format === '%s\\0' && input === undefined)
        out += (args.length === 0 ? [''] : args).map((arg) => `${arg}\0`).join('');
      else if (name === 'cat' && argv.length === 1 && input?.kind === 'text' && command.redirects.length === 1)
        out += input.text;
      else if ((name !== 'true' && name !== 'false') || input !== undefined) return undefined;
      status = name === 'false' ? 1 : 0;
    }
    if (negate === true) status = status === 0 ? 1 : 0;
  }
  return out;
}

/** Bash reads each text in a folder of its own process; a mark precedes the output of each. */
function printedByBash(texts: readonly string[], top: string): readonly string[] {
  const scripts = makeFolder();
  for (const [i, text] of texts.entries()) writeFileSync(join(scripts, `${i}`), text);
  const driver = `for ((i = 0; i < ${texts.length}; i++)); do printf '<mark>%s</mark>' "$i"; IFS= read -r -d '' text < ${scripts}/$i; ( cd ${top}; true; eval "$text" ); done`;
  const { stdout, status } = spawnSync(BASH, ['--norc', '--noprofile', '-c', driver], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: top },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeoutFor(120_000),
    maxBuffer: 1 << 28,
  });
  expect(status === 0 || status === 1).toBe(true);
  return stdout
    .toString()
    .split(/<mark>\d+<\/mark>/u)
    .slice(1);
}

describe('the words of steps against bash', () => {
  it.skipIf(!existsSync(BASH))(
    'are the same for every text that is accepted',
    { timeout: timeoutFor(180_000) },
    withSeed((next) => {
      const top = makeFolders();
      const lookup = createLookup({ path: '/usr/bin:/bin', cwd: top, env: { HOME: top } });
      const around = {
        home: top,
        folders: ['sub', '..', 'a/b', '.', 'none', top],
        programs: ['printf', 'printf', 'cat', 'true', 'false'],
        writes: false,
      } as const;
      const expected = new Map<string, string>();
      for (let tries = 0; expected.size < TEXTS && tries < TEXTS * 50; tries++) {
        const { text } = generateProgram(next, around);
        const at = Math.floor(next() * text.length);
        const changed = next() < 0.5 ? text : text.slice(0, at) + pick(next, INSERTED) + text.slice(at);
        const steps = stepsOf(changed, top);
        const out = steps === undefined ? undefined : printed(steps, top, lookup);
        if (out !== undefined) expected.set(changed, out);
      }
      const texts = [...expected.keys()];
      const real = printedByBash(texts, top);
      const differences = texts.flatMap((text, i) =>
        real[i] === expected.get(text) ? [] : [{ text, ours: expected.get(text), bash: real[i] }],
      );
      expect({ differences: differences.slice(0, 5), count: texts.length }).toEqual({ differences: [], count: TEXTS });
    }),
  );
});
