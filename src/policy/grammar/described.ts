/** Which profile describes a program. */
import type { Binary, Rules } from '../../wire/policy.ts';
import type { Profile } from '../../wire/profile.ts';
import { NAMED_BY_CALL } from '../programs/carriers.ts';
import { baseName, folderOf } from '../programs/names.ts';
import { profileOf } from '../profiles/index.ts';
import { whyUnused } from './operator-profile.ts';

export interface DescribedProgram {
  readonly name: string;
  readonly profile: Profile;
}

/** Files of one program under another name. */
const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:mawk|gawk|nawk|original-awk)$/, 'awk'],
  [/^python3\.\d+$/, 'python3'],
  [/^python2\.\d+$/, 'python2'],
  [/^nodejs$/, 'node'],
  [/^npm-cli\.js$/, 'npm'],
  [/^npx-cli\.js$/, 'npx'],
  [/^pip3\.\d+$/, 'pip3'],
];

/** The profile of a program by the name of its file. The operator's profiles replace those that Pincer has. */
export function describe(
  { path, real }: Binary,
  { profiles = {} }: Pick<Rules, 'profiles'>,
): DescribedProgram | undefined {
  const file = baseName(real);
  const name = NAMED_BY_CALL.has(file) ? baseName(path) : file;
  const names = [name, ALIASES.find(([like]) => like.test(name))?.[1]];
  for (const one of names) {
    if (one === undefined) continue;
    const given = Object.hasOwn(profiles, one) ? profiles[one]! : undefined;
    const profile = given !== undefined && whyUnused(one, given) === undefined ? given : profileOf(one);
    if (profile !== undefined) return { name: one, profile };
  }
  return undefined;
}

/** Whether a program is the system's own: only such a file is what its profile says without an entry for it. */
export function isTrusted(binary: Binary, { safeBinTrustedDirs }: Pick<Rules, 'safeBinTrustedDirs'>): boolean {
  const { real, writable, versionSwitch, system } = binary;
  if (writable || versionSwitch !== undefined || NAMED_BY_CALL.has(baseName(real))) return false;
  return system === true || safeBinTrustedDirs.includes(folderOf(real));
}
