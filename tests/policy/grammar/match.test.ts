import { describe, expect, it } from 'vitest';
import { compiled, compiledSubcommand } from '../../../src/policy/grammar/compiled.ts';
import { matchCall, matchSubcommand } from '../../../src/policy/grammar/match.ts';
import { FAMILIES } from '../../../src/policy/profiles/index.ts';
import type { Profile } from '../../../src/wire/profile.ts';

const COPY: Profile = {
  grammar: 'getopt',
  class: 'read',
  flags: ['-a', '-v', '--all', '--verbose'],
  valued: { '-n': 'num', '--lines': 'num', '--arg': 'text,text', '-e': 'pattern' },
  optional: { '--color': 'enum always never', '-i': 'none' },
  operands: ['in*', 'wout'],
  operandsWith: { '-e': ['pattern', 'in*'] },
  classWith: { '--all': 'workspace', '-v': 'network' },
  count: true,
};
const PATTERN: Profile = {
  grammar: 'getopt',
  class: 'read',
  valued: { '-e': 'pattern' },
  operands: ['pattern', 'in*'],
};
const GO: Profile = { grammar: 'goflag', class: 'read', flags: ['-l'], valued: { '-run': 'text' }, operands: ['in*'] };
const FIND: Profile = {
  grammar: 'words',
  class: 'read',
  flags: ['-print', '!'],
  valued: { '-name': 'text', '-exec': 'command' },
  operands: ['in*'],
};
const TAR: Profile = {
  grammar: 'getopt',
  class: 'read',
  flags: ['-t', '-z'],
  valued: { '-f': 'archive' },
  operands: ['text*'],
  requires: ['-t'],
  bundled: true,
};

function summary(profile: Profile, words: string): unknown {
  const match = matchCall(profile, words === '' ? [] : words.split(' '));
  return 'refused' in match
    ? `word ${match.refused.word}`
    : [
        match.class,
        ...match.files.map(({ use, path }) => `${use} ${path}`),
        ...match.carried.map((one) => one.words.join('_')),
      ];
}

describe('a profile', () => {
  it.each<[string, Profile, string, unknown]>([
    ['accepts options anywhere', COPY, 'a -a b', ['read', 'in a', 'wout b']],
    ['gives the last kinds to the last operands', COPY, 'a b c', ['read', 'in a', 'in b', 'wout c']],
    ['reads clusters', COPY, '-an5 a', ['read', 'wout a']],
    ['refuses a cluster with an unlisted letter', COPY, '-ax a', 'word 1'],
    ['reads a value after `=`', COPY, '--lines=5 a', ['read', 'wout a']],
    ['checks values', COPY, '--lines=five a', 'word 1'],
    ['takes the next word as a value', COPY, '-n 5 a', ['read', 'wout a']],
    ['takes two words', COPY, '--arg a -x b', ['read', 'wout b']],
    ['refuses two values in one word', COPY, '--arg=a b', 'word 1'],
    ['refuses a missing value', COPY, 'a --lines', 'word 2'],
    ['refuses a value of a flag', COPY, '--all=x a', 'word 1'],
    ['refuses abbreviations', COPY, '--line=5 a', 'word 1'],
    ['accepts an optional value', COPY, '--color=never a', ['read', 'wout a']],
    ['refuses another optional value', COPY, '--color=x a', 'word 1'],
    ['accepts an option that has no suffix', COPY, '-ai a', ['read', 'wout a']],
    ['refuses its suffix', COPY, '-ia a', 'word 1'],
    ['accepts a count', COPY, '-15 a', ['read', 'wout a']],
    ['ends its options at `--`', COPY, '-- -x', ['read', 'wout -x']],
    ['takes `-` for the standard input', COPY, '- a', ['read', 'wout a']],
    ['has the highest class of its options', COPY, '--all -v a', ['network', 'wout a']],
    ['has other operands with an option', COPY, '-e x a b', ['read', 'in a', 'in b']],
    ['has no operand where an option gave it', PATTERN, '-e x a', ['read', 'in a']],
    ['has the operand otherwise', PATTERN, 'x a', ['read', 'in a']],
    ['of Go accepts one or two dashes', GO, '--run=x -l a', ['read', 'in a']],
    ['of Go refuses an option after an operand', GO, 'a -l', 'word 2'],
    ['of words has no clusters', FIND, '. -printx', 'word 2'],
    ['of words finds commands', FIND, '. -exec grep x {} ; -print', ['read', 'in .', 'grep_x_{}']],
    ['of words ends commands at `{} +`', FIND, '. -exec grep + {} +', ['read', 'in .', 'grep_+_{}']],
    ['of words refuses a command without an end', FIND, '. -exec grep x', 'word 2'],
    ['accepts letters without a dash where it says so', TAR, 'tzf a.tgz', ['read', 'in a.tgz']],
    ['refuses other letters without a dash', TAR, 'xzf a.tgz', 'word 1'],
    ['refuses a host in an archive', TAR, 'tf host:a', 'word 2'],
    ['refuses a call without what it requires', TAR, '-f a', 'word 0'],
    ['refuses a word that begins like an option', PATTERN, 'x a -o', 'word 3'],
  ])('%s', (_, profile, words, expected) => {
    expect(summary(profile, words)).toEqual(expected);
  });
});

describe('every profile', () => {
  const calls = FAMILIES.flatMap(({ programs }) =>
    Object.entries(programs).flatMap(([name, profile]) => [
      { name, profile, sub: [] as readonly string[], call: compiled(profile) },
      ...Object.keys(profile.subcommands ?? {}).map((sub) => ({
        name: `${name} ${sub}`,
        profile,
        sub: sub.split(' '),
        call: compiledSubcommand(profile, sub)!,
      })),
    ]),
  ).filter(({ call }) => call.grammar === 'getopt' || call.grammar === 'posix' || call.grammar === 'git');

  it.each(calls)('$name accepts no beginning of a long option', ({ profile, sub, call }) => {
    const known = new Set([...call.flags, ...call.valued.keys(), ...call.optional.keys()]);
    const long = [...known].filter((name) => name.startsWith('--'));
    const accepted = long.flatMap((name) =>
      Array.from({ length: name.length - 3 }, (_, i) => name.slice(0, i + 3))
        .flatMap((part) =>
          known.has(part) || (sub.length === 0 && /^--(?:help|version)$/.test(part)) ? [] : [part, `${part}=x`],
        )
        .filter((word) => {
          const words = [...sub, word];
          const match = sub.length === 0 ? matchCall(profile, words) : matchSubcommand(profile, words, 1);
          return !('refused' in match);
        }),
    );
    expect(accepted).toEqual([]);
  });
});
