/** Which profile a program has. */
import type { Profile } from '../../wire/profile.ts';
import type { Family } from './family.ts';
import { SEARCH } from './search.ts';
import { TEXT_FILTERS } from './text-filters.ts';

export const FAMILIES: readonly Family[] = [TEXT_FILTERS, SEARCH];

const PROFILES: ReadonlyMap<string, Profile> = new Map(FAMILIES.flatMap(profilesOf));

function profilesOf({ programs, aliases = {} }: Family): readonly (readonly [string, Profile])[] {
  const own = Object.entries(programs);
  return [...own, ...Object.entries(aliases).map(([name, program]) => [name, programs[program]!] as const)];
}

/** The profile of a program by its name, also by another name such as `pip3`. */
export function profileOf(name: string): Profile | undefined {
  return PROFILES.get(name);
}
