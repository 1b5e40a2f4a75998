import { describe, expect, it } from 'vitest';
import { asksForHelp, type CommandShape, readArguments, wantsJson } from '../../../src/apps/cli/arguments.ts';
import { faultOf } from '../../support/fault.ts';

const SHAPE: CommandShape = {
  command: 'edit',
  positionals: ['file', '[text]'],
  flags: ['--json', '--all'],
  options: ['--old', '--new'],
  mayBeEmpty: ['--new'],
};

describe('the arguments of a command', () => {
  it('are separated from flags and options, in any order', () => {
    expect(readArguments(SHAPE, ['--all', 'a.txt', '--old=x=y', '--new', '', '-'])).toEqual({
      positionals: ['a.txt', '-'],
      flags: new Set(['all']),
      options: { old: 'x=y', new: '' },
    });
  });

  it('may start with dashes after --', () => {
    expect(readArguments(SHAPE, ['a.txt', '--', '--json']).positionals).toEqual(['a.txt', '--json']);
  });

  it('accept a value that looks like a flag', () => {
    expect(readArguments(SHAPE, ['a.txt', '--old', '--json']).options).toEqual({ old: '--json' });
  });

  it.each([
    [[], 'edit: the argument <file> is missing'],
    [['a', 'b', 'c'], 'edit: unexpected argument "c"'],
    [['a', '--frob'], 'edit: unknown option --frob'],
    [['a', '-x'], 'edit: unknown option -x'],
    [['a', '--json=1'], 'edit: --json takes no value'],
    [['a', '--odl', 'x'], 'edit: unknown option --odl; did you mean --old'],
    [['a', '--jsn'], 'edit: unknown option --jsn; did you mean --json'],
    [['a', '--jsno=1'], 'edit: unknown option --jsno=1; did you mean --json'],
    [['a', '--old'], 'edit: --old needs a value'],
    [['a', '--old', ''], 'edit: --old needs a value'],
    [['a', '--old='], 'edit: --old needs a value'],
    [['a', '--old', 'x', '--old', 'y'], 'edit: --old is given twice'],
    [['a', '--new', '', '--new', 'y'], 'edit: --new is given twice'],
  ])('are refused as %j', (argv, message) => {
    expect(faultOf(() => readArguments(SHAPE, argv))).toEqual({
      code: 'USAGE_ARGUMENTS',
      message,
      hint: 'see pincer edit --help',
    });
  });
});

it('recognizes --help, --json and --human only before --', () => {
  expect([asksForHelp(['a', '-h']), asksForHelp(['a', '--help']), asksForHelp(['--', '--help'])]).toEqual([
    true,
    true,
    false,
  ]);
  expect(wantsJson(['--json'], true)).toBe(true);
  expect(wantsJson(['--', '--json'], true)).toBe(false);
  expect(wantsJson([], false)).toBe(true);
  expect(wantsJson(['--human'], false)).toBe(false);
});
