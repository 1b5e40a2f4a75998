/** Random scripts that are accepted, run by the programs of this machine: no file appears, and no program starts. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awkProblem } from '../../../src/policy/scripts/awk.ts';
import { jqProblem } from '../../../src/policy/scripts/jq.ts';
import { sedProblem } from '../../../src/policy/scripts/sed.ts';
import { fc, runs } from '../../support/property.ts';

const SED = [
  'p',
  's/a/b/',
  's/[/]/',
  'e touch z',
  'w z',
  '}',
  '{',
  ';',
  '\n',
  '1',
  '$',
  ',',
  '/a/',
  '\\',
  '[',
  ']',
  '/',
  '|',
  'y/a/b/',
  '#',
  's|a|b|',
  ' ',
  'e',
  'g',
  'I',
  '!',
  'r in',
  'q',
  's,a,touch z,',
  'd',
];
const AWK = [
  '{',
  '}',
  '(',
  ')',
  'print',
  ' > "z"',
  '"z"',
  ' | "touch z"',
  'system("touch z")',
  '/',
  '/a/',
  '[',
  ']',
  ' ',
  ';',
  '\n',
  '$1',
  'x',
  '1',
  '0xf',
  'getline',
  '++',
  'if (1)',
  '#',
  '\\',
  '"',
  ',',
  '?',
  ':',
  'length',
  'BEGIN',
  ' in ',
  '>',
  '<',
  '=',
  '-',
  'printf "%s"',
  'NR',
  '!',
];
const JQ = [
  '.',
  '.a',
  ' ',
  '|',
  ',',
  '"',
  '\\(',
  ')',
  '(',
  '[',
  ']',
  '{',
  '}',
  ':',
  'env',
  '$ENV',
  '$x',
  'if ',
  ' then ',
  ' end',
  'input',
  '#',
  '\n',
  '@sh',
  'def f: ',
  ';',
  'f',
  '1',
  'a',
  '..',
  '?',
  '//',
  'getpath',
  'keys',
];

const LANGUAGES = [
  { program: '/usr/bin/sed', pieces: SED, problem: sedProblem },
  { program: '/usr/bin/awk', pieces: AWK, problem: awkProblem },
  { program: '/usr/bin/jq', pieces: JQ, problem: jqProblem },
] as const;
const SECRET = 'pincer-secret-variable';
/** A script may loop without an end. */
const LONGEST_MS = 2_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-scripts-'));
  writeFileSync(join(folder, 'in'), '{"a": "a/b"}\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(LANGUAGES)('$program', ({ program, pieces, problem }) => {
  it.skipIf(!existsSync(program))('writes no file and shows no variable for a script that is accepted', () => {
    const script = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(script, { minLength: 200, maxLength: 200 }), (scripts) => {
        // Most random scripts are refused; only few of the others are run, because each is a process.
        for (const text of scripts.filter((one) => problem(one) === undefined).slice(0, 3)) {
          accepted++;
          const { stdout } = spawnSync(program, [text, 'in'], {
            cwd: folder,
            encoding: 'utf8',
            timeout: LONGEST_MS,
            maxBuffer: 1 << 20,
            env: { PATH: '/usr/bin:/bin', SECRET },
          });
          expect([text, readdirSync(folder), stdout.includes(SECRET)]).toEqual([text, ['in'], false]);
        }
      }),
      { numRuns: runs(20) },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
