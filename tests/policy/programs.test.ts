import { describe, expect, it } from 'vitest';
import { judge } from '../../src/policy/judge.ts';
import type { StageReport } from '../../src/wire/policy.ts';
import { ask, machine, rules, SAFE } from './machine.ts';
import { BEYOND_PATH } from './tables/beyond-path.ts';
import { CODE } from './tables/code.ts';
import { FLAGS } from './tables/flags.ts';
import { GIT } from './tables/git.ts';
import { INTERPRETERS } from './tables/interpreters.ts';
import { NETWORK } from './tables/network.ts';
import { ORDINARY_GIT } from './tables/ordinary-git.ts';
import { ORDINARY_MORE } from './tables/ordinary-more.ts';
import { ORDINARY } from './tables/ordinary.ts';
import { PIPES_AND_WRAPPERS } from './tables/pipes.ts';
import { PLAIN } from './tables/plain.ts';
import { SAFE_FILTERS } from './tables/safe.ts';
import { SHELLS } from './tables/shells.ts';
import { EXPANSIONS } from './tables/syntax.ts';
import { WORDS } from './tables/syntax-more.ts';
import { SYSTEM } from './tables/system.ts';
import { TOOLS } from './tables/tools.ts';
import { WRAPPERS } from './tables/wrappers.ts';

/** Each program is allowlisted by its path, and the command still may not run by itself. */
const NEVER_BY_ITSELF = {
  wrapper: WRAPPERS,
  pipes: PIPES_AND_WRAPPERS,
  shell: SHELLS,
  interpreter: INTERPRETERS,
  code: CODE,
  flags: FLAGS,
  tools: TOOLS,
  git: GIT,
  network: NETWORK,
  system: SYSTEM,
};

const ALLOWLISTED =
  'env nice nohup timeout stdbuf python3 node perl ruby php lua awk sed gdb find rg tar sort uniq xxd shuf split tree less date file git npm make docker kubectl curl wget rsync ssh jq cat ls cp mkdir test [ printf echo cut head tail wc diff du df ps uname whoami basename grep man gcc dpkg openssl stat chmod sleep seq id gzip zip unzip ip journalctl systemctl kill';

/** `program,program: command`. */
function split(row: string): { readonly programs: readonly string[]; readonly command: string } {
  const at = row.indexOf(': ');
  return { programs: row.slice(0, at).split(','), command: row.slice(at + 2) };
}

const NOT_ALLOWED = { verdict: expect.stringMatching(/^(?:ask|deny)$/), explained: true };

describe.each(Object.entries(NEVER_BY_ITSELF))('an allowlisted program of the family %s', (_, cases) => {
  it.each(cases)('does not run: %s', (row) => {
    const { programs, command } = split(row);
    const { verdict, reason } = ask(command, [...programs, 'echo']);
    expect({ verdict, explained: reason !== '' }).toEqual(NOT_ALLOWED);
  });
});

describe.each([
  ['expansions', EXPANSIONS],
  ['words', WORDS],
])('a text with %s beside allowlisted programs', (_, cases) => {
  it.each(cases)('does not run: %s', (row) => {
    const { verdict, reason } = ask(JSON.parse(row) as string, ['ls', 'echo']);
    expect({ verdict, explained: reason !== '' }).toEqual(NOT_ALLOWED);
  });
});

describe('an allowlisted program', () => {
  it.each(PLAIN)('runs without asking: %s', (command) => {
    const { verdict, reason } = ask(command, ALLOWLISTED.split(' '));
    expect({ verdict, reason }).toEqual({ verdict: 'allow', reason: expect.any(String) });
  });

  it.each([...ORDINARY, ...ORDINARY_MORE, ...ORDINARY_GIT])('follows its entry: %s', (row) => {
    const { programs, command } = split(row);
    const { verdict, reason } = ask(command, programs);
    expect({ verdict, reason }).toEqual({ verdict: 'allow', reason: expect.any(String) });
  });
});

describe('an entry for a program with a profile', () => {
  it.each(BEYOND_PATH)('does not allow by its path, but by its words: %s', (row) => {
    const { programs, command } = split(row);
    const { verdict, stages } = ask(command, programs);
    const [{ argv, binary }] = stages as [StageReport];
    const entry = { pattern: binary!.real, argv: argv.slice(1) };
    const exact = judge(command, rules({ allowlist: [entry] }), machine(), '/home/u');
    expect([verdict, exact.verdict]).toEqual(['ask', 'allow']);
  });
});

describe('a filter of the list of safe bins', () => {
  it.each(SAFE_FILTERS)('runs without asking: %s', (command) => {
    const { verdict, reason } = ask(command, ['cat', 'ls', 'ps', 'seq', 'find'], [...SAFE, 'sort', 'grep']);
    expect({ verdict, reason }).toEqual({ verdict: 'allow', reason: expect.any(String) });
  });
});
