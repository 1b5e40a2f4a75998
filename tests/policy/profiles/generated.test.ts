/** Options that no profile lists, made from those that it lists: an abbreviation, a value where none follows, another letter. */
import { describe, expect, it } from 'vitest';
import { matchCall } from '../../../src/policy/grammar/match.ts';
import { FAMILIES } from '../../../src/policy/profiles/index.ts';
import type { Profile, SubcommandProfile } from '../../../src/wire/profile.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%';

interface Case {
  readonly profile: Profile;
  readonly words: readonly string[];
  readonly own: SubcommandProfile;
}

const CASES = FAMILIES.flatMap(({ programs }) =>
  Object.entries(programs).flatMap(([name, profile]): readonly (readonly [string, Case])[] => [
    ...(profile.subcommands === undefined ? [[name, { profile, words: [], own: profile }] as const] : []),
    ...Object.entries(profile.subcommands ?? {}).map(
      ([subcommand, own]) => [`${name} ${subcommand}`, { profile, words: subcommand.split(' '), own }] as const,
    ),
  ]),
).filter(([, { profile, own }]) => (own.grammar ?? profile.grammar) !== 'plain');

function optionsOf({ flags = [], valued = {}, optional = {} }: SubcommandProfile): ReadonlySet<string> {
  return new Set([...flags, ...Object.keys(valued), ...Object.keys(optional)]);
}

/** Beginnings of listed options that are not listed themselves. Each program has `--version` and `--help`. */
function abbreviations(own: SubcommandProfile): readonly string[] {
  const listed = optionsOf(own);
  return [...listed]
    .filter((name) => name.startsWith('--'))
    .flatMap((name) => Array.from({ length: name.length - 3 }, (_, i) => name.slice(0, i + 3)))
    .filter((name) => !listed.has(name) && name !== '--version' && name !== '--help');
}

describe.each(CASES)('%s', (_, { profile, words, own }) => {
  const isRefused = (...args: readonly string[]): boolean => 'refused' in matchCall(profile, [...words, ...args]);
  const grammar = own.grammar ?? profile.grammar;

  it('refuses each abbreviation of its options, also with a value', () => {
    for (const name of abbreviations(own))
      expect([name, isRefused(name), isRefused(`${name}=x`)]).toEqual([name, true, true]);
  });

  it('refuses a value of an option that has none', () => {
    for (const name of (own.flags ?? []).filter((flag) => flag.startsWith('-')))
      expect([name, isRefused(`${name}=x`)]).toEqual([name, true]);
  });

  it('refuses letters that it does not list, alone and in a cluster', () => {
    const listed = optionsOf(own);
    const unlisted = [...LETTERS].filter(
      (letter) => !listed.has(`-${letter}`) && !(own.count === true && /\d/.test(letter)),
    );
    const [flag] =
      grammar === 'words' || grammar === 'goflag' ? [] : (own.flags ?? []).filter((name) => /^-[a-zA-Z]$/.test(name));
    for (const letter of unlisted) {
      const [alone, clustered] = [`-${letter}`, `${flag ?? '-'}${letter}`];
      expect([alone, isRefused(alone)]).toEqual([alone, true]);
      if (!listed.has(clustered)) expect([clustered, isRefused(clustered)]).toEqual([clustered, true]);
    }
  });

  it('refuses an option that no program has', () => {
    for (const name of ['--pincer-unknown', '--pincer-unknown=x', '--no-pincer-unknown'])
      expect([name, isRefused(name)]).toEqual([name, true]);
  });
});
