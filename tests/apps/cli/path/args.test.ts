import { describe, expect, it } from 'vitest';
import { readArgs } from '../../../../src/apps/cli/path/args.ts';
import { faultOf } from '../../../support/fault.ts';

describe('the arguments of a verb', () => {
  it('are positionals, flags and options, in any order', () => {
    expect(readArgs('set', ['--dry-run', 'oc://a.json/b', '--kind=yaml', '--file', 'c', '5'])).toEqual({
      positionals: ['oc://a.json/b', '5'],
      flags: new Set(['dry-run']),
      options: { kind: 'yaml', file: 'c' },
    });
  });

  it.each([
    ['a value that begins with a dash', ['oc://a.json/b', '-5']],
    ['a lone dash', ['oc://a.json/b', '-']],
    ['anything behind --', ['oc://a.json/b', '--', '--help']],
  ])('take %s as a value', (_what, argv) => {
    expect(readArgs('set', argv).positionals.at(-1)).toBe(argv.at(-1));
  });

  it.each([
    ['set', ['--batch', 'changes.jsonl']],
    ['emit', ['--file', 'a.md']],
    ['ls', ['--file', 'a.md']],
    ['find', ['--files', 'oc://*/a', 'a.md', 'b.md', 'c.md']],
  ])('of %s are enough as %j', (verb, argv) => {
    expect(() => readArgs(verb, argv)).not.toThrow();
  });

  it.each([
    ['set', ['oc://a.json/b'], 'path set: the argument <value> is missing'],
    ['set', ['--batch', 'changes.jsonl', 'oc://a.json/b'], 'path set: unexpected argument "oc://a.json/b"'],
    ['set', ['oc://a.json/b', '1', '2'], 'path set: unexpected argument "2"'],
    ['emit', [], 'path emit: the argument <file> is missing'],
    ['find', ['--files'], 'path find: the argument <pattern> is missing'],
    ['find', ['oc://a.md/b', 'a.md'], 'path find: unexpected argument "a.md"'],
    ['resolve', ['oc://a.md/b', '--depth', '1'], 'path resolve: unknown option --depth'],
    ['resolve', ['oc://a.md/b', '--cwd'], 'path resolve: --cwd needs a value'],
    ['resolve', ['oc://a.md/b', '--cwd', 'a', '--cwd', 'b'], 'path resolve: --cwd is given twice'],
    ['resolve', ['oc://a.md/b', '--json=yes'], 'path resolve: --json takes no value'],
  ])('of %s are refused as %j', (verb, argv, message) => {
    expect(faultOf(() => readArgs(verb, argv))).toEqual({
      code: 'USAGE_ARGUMENTS',
      message,
      hint: 'see pincer path --help',
    });
  });
});

it('tells how to write a value that looks like an option', () => {
  expect(faultOf(() => readArgs('set', ['oc://a.json/b', '--- x']))).toEqual({
    code: 'USAGE_ARGUMENTS',
    message: 'path set: unknown option --- x',
    hint: 'put -- before a value that starts with --; see pincer path --help',
  });
});

it.each(['--cwd', '--file', '--kind', '--batch'])(
  'an empty %s is an unset variable, not the working folder',
  (name) => {
    expect(faultOf(() => readArgs('set', ['oc://a.json/b', '5', name, '']))).toMatchObject({
      code: 'USAGE_ARGUMENTS',
      message: `path set: ${name} needs a value`,
    });
    expect(faultOf(() => readArgs('set', ['oc://a.json/b', '5', `${name}=`])).code).toBe('USAGE_ARGUMENTS');
  },
);
