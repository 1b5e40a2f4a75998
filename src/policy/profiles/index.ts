/** Which profile a program has. */
import type { Profile } from '../../wire/profile.ts';
import type { Family } from './family.ts';
import { ARCHIVES } from './archives.ts';
import { BUILD } from './build.ts';
import { CONTAINERS } from './containers.ts';
import { FILES } from './files.ts';
import { GIT } from './git.ts';
import { GO } from './go.ts';
import { JAVASCRIPT } from './javascript.ts';
import { NETWORK } from './network.ts';
import { PYTHON } from './python.ts';
import { RUST } from './rust.ts';
import { SCRIPTED } from './scripted.ts';
import { SEARCH } from './search.ts';
import { SYSTEM_INFORMATION } from './system-information.ts';
import { TEXT_FILTERS } from './text-filters.ts';
import { WORKSPACE } from './workspace.ts';
import { WRAPPERS } from './wrappers.ts';

export const FAMILIES: readonly Family[] = [
  TEXT_FILTERS,
  SEARCH,
  FILES,
  SYSTEM_INFORMATION,
  SCRIPTED,
  ARCHIVES,
  WRAPPERS,
  GIT,
  WORKSPACE,
  JAVASCRIPT,
  PYTHON,
  GO,
  RUST,
  BUILD,
  CONTAINERS,
  NETWORK,
];

const PROFILES: ReadonlyMap<string, Profile> = new Map(FAMILIES.flatMap(profilesOf));

function profilesOf({ programs, aliases = {} }: Family): readonly (readonly [string, Profile])[] {
  const own = Object.entries(programs);
  return [...own, ...Object.entries(aliases).map(([name, program]) => [name, programs[program]!] as const)];
}

/** The profile of a program by its name, also by another name such as `pip3`. */
export function profileOf(name: string): Profile | undefined {
  return PROFILES.get(name);
}
