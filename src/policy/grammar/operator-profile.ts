/** Profiles that an operator writes in `tools.exec.profiles`. */
import type { Profile } from '../../wire/profile.ts';
import { isCarrier, MULTIPLEXERS, SHELLS } from '../programs/carriers.ts';
import { isInterpreter } from '../programs/interpreters.ts';
import { plainName } from '../programs/names.ts';
import { WRAPPERS } from '../programs/wrappers.ts';
import { profileProblems } from '../profiles/profile-problems.ts';

const problems = new WeakMap<Profile, string | undefined>();

/** Why a profile has no effect; undefined for one that is used. */
export function whyUnused(name: string, profile: Profile): string | undefined {
  const reserved = whyReserved(name);
  if (reserved !== undefined) return reserved;
  if (!problems.has(profile)) problems.set(profile, profileProblems(profile)[0]);
  return problems.get(profile);
}

/** What these programs run is in their arguments, which no list of options can describe. */
function whyReserved(name: string): string | undefined {
  if (name === '' || name.includes('/')) return 'it must be the name of a program without its folder';
  if (name === 'git') return 'git is described by Pincer only, which adds settings to its calls';
  const names = [name, plainName(name)];
  if (names.some((one) => SHELLS.has(one) || MULTIPLEXERS.has(one) || isInterpreter(one)))
    return `${name} runs code from its arguments or its input`;
  return names.some((one) => WRAPPERS.has(one)) || isCarrier(new Set(names))
    ? `${name} starts the program in its arguments`
    : undefined;
}
