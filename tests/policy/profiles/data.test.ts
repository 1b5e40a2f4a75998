import { describe, expect, it } from 'vitest';
import { FAMILIES, profileOf } from '../../../src/policy/profiles/index.ts';
import { profileProblems } from '../../../src/policy/profiles/profile-problems.ts';
import { profile } from '../../../src/wire/profile.ts';
import { check } from '../../../src/wire/schema.ts';

const PROGRAMS = FAMILIES.flatMap(({ programs }) => Object.entries(programs));

describe('the data of profiles', () => {
  it.each(PROGRAMS)('%s matches the schema that profiles of operators have', (name, one) => {
    expect(check(profile, one, name)).toEqual(one);
    expect(profileProblems(one)).toEqual([]);
  });

  it.each(PROGRAMS)('%s has examples that pass and examples that ask', (name, one) => {
    const { pass = [], ask = [] } = one;
    expect([name, pass.length >= 2 || pass.length === 0, ask.length >= 3 || one.grammar === 'plain']).toEqual([
      name,
      true,
      true,
    ]);
    for (const command of [...pass, ...ask]) expect(command).toMatch(/^\S/);
  });

  it('describes each program once', () => {
    const all = FAMILIES.flatMap(({ programs, aliases = {} }) => [...Object.keys(programs), ...Object.keys(aliases)]);
    expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
    for (const name of all) expect(profileOf(name)).toBeDefined();
  });

  it('names the versions that were read', () => {
    for (const { title, read } of FAMILIES) expect([title, /\d/.test(read)]).toEqual([title, true]);
  });

  it.each(['constructor', '__proto__', 'toString', 'nothing', ''])('has no profile of %j', (name) => {
    expect(profileOf(name)).toBeUndefined();
  });
});
