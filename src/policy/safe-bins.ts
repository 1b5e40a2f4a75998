/** Safe bins: filters that may run without an allowlist entry while their arguments limit them to standard input. */
import type { Binary, Rules, SafeBinProfile } from '../wire/policy.ts';
import { isCarrier } from './programs/carriers.ts';
import { isInterpreter } from './programs/interpreters.ts';
import { baseName, plainName } from './programs/names.ts';
import { isInTrustedFolder } from './programs/trusted-programs.ts';
import { WRAPPERS } from './programs/wrappers.ts';
import { builtInProfile, type Profile } from './safe-bin-profiles.ts';

/** Programs whose arguments are code or commands. */
const NEVER_SAFE = new Set('jq awk gawk mawk nawk sed git find tar tee xargs env'.split(' '));

export type SafeBinAnswer =
  | { readonly safe: true; readonly name: string }
  | { readonly safe: false; readonly reason: string; readonly word: number; readonly hint: string };

/** Whether a call is safe; undefined where the program is not in `safeBins`. */
export function judgeSafeBin(binary: Binary, args: readonly string[], rules: Rules): SafeBinAnswer | undefined {
  const name = baseName(binary.path);
  if (!rules.safeBins.includes(name)) return undefined;
  const no = (
    reason: string,
    word = 0,
    hint = `add an allowlist entry for ${binary.real} if ${name} may do more`,
  ): SafeBinAnswer => ({ safe: false, reason, word, hint });
  const given = Object.hasOwn(rules.safeBinProfiles, name) ? rules.safeBinProfiles[name] : undefined;
  const never = whyNeverSafe(name, given !== undefined);
  if (never !== undefined)
    return no(
      never,
      0,
      isProgramInArguments(name) ? undefined : `describe its options in tools.exec.safeBinProfiles.${name}`,
    );
  if (baseName(binary.real) !== name) return no(`${binary.path} resolves to ${binary.real}`);
  if (!isInTrustedFolder(binary, rules))
    return no(
      `${binary.real} is not in a trusted folder`,
      0,
      'name its folder in tools.exec.safeBinTrustedDirs, or use the one of the system',
    );
  if (binary.writable) return no(`${binary.real} is writable by other users`);
  const builtIn = builtInProfile(name);
  const profile = given === undefined ? builtIn! : combine(given, builtIn);
  const problem = checkArguments(name, args, profile);
  return problem === undefined ? { safe: true, name } : no(problem.reason, problem.word);
}

/** Why a name in `safeBins` has no effect. */
export function whyNeverSafe(name: string, hasProfile: boolean): string | undefined {
  if (name === '' || name.includes('/')) return 'it must be the name of a program without its folder';
  if (isProgramInArguments(name)) return `${name} can never be a safe bin, because its arguments are a program`;
  if (!hasProfile && builtInProfile(name) === undefined)
    return `${name} has no profile, so its arguments cannot be checked`;
  return undefined;
}

function isProgramInArguments(name: string): boolean {
  const plain = plainName(name);
  const names = [name, plain];
  return (
    names.some((one) => NEVER_SAFE.has(one) || isInterpreter(one) || WRAPPERS.has(one)) || isCarrier(new Set(names))
  );
}

/** The operator's profile replaces the built-in one, but a denied option stays denied. */
function combine(given: SafeBinProfile, builtIn: Profile | undefined): Profile {
  return {
    minPositional: given.minPositional ?? 0,
    maxPositional: given.maxPositional ?? builtIn?.maxPositional ?? 0,
    valueFlags: new Set(given.allowedValueFlags ?? builtIn?.valueFlags ?? []),
    flags: new Set(given.allowedFlags ?? builtIn?.flags ?? []),
    optional: builtIn?.optional ?? new Set(),
    denied: new Set([...(given.deniedFlags ?? []), ...(builtIn?.denied ?? [])]),
    numeric: builtIn?.numeric ?? false,
    operandsAreText: builtIn?.operandsAreText ?? false,
    valueLike: builtIn?.valueLike ?? new Map(),
  };
}

interface Problem {
  readonly reason: string;
  readonly word: number;
}

function checkArguments(name: string, args: readonly string[], profile: Profile): Problem | undefined {
  let positional = 0;
  let last = 0;
  let ended = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const word = i + 1;
    if (!ended && arg === '--') {
      ended = true;
      continue;
    }
    if (ended || arg === '-' || !arg.startsWith('-')) {
      if (arg === '-' && !profile.operandsAreText) continue; // standard input by its other name
      if (!profile.operandsAreText && /^[/~.]|[*?[\]/\\]|^[A-Za-z]:/.test(arg))
        return { reason: `${JSON.stringify(arg)} looks like a file, and ${name} may only read its input here`, word };
      positional++;
      last = word;
      if (positional > profile.maxPositional)
        return {
          reason: `the operand ${JSON.stringify(arg)} is a file, and ${name} may only read its input here`,
          word,
        };
      continue;
    }
    const used = arg.startsWith('--') ? longOption(arg, args[i + 1], profile) : cluster(arg, args[i + 1], profile);
    if (typeof used === 'string') return { reason: `the profile of ${name} does not allow the option ${used}`, word };
    i += used;
  }
  if (positional < profile.minPositional)
    return { reason: `${name} needs ${profile.minPositional} operands`, word: last };
  return undefined;
}

/** The number of arguments that the option takes, or its name where it is not allowed. Abbreviations are never guessed. */
function longOption(arg: string, next: string | undefined, profile: Profile): number | string {
  const equals = arg.indexOf('=');
  const name = equals < 0 ? arg : arg.slice(0, equals);
  if (profile.denied.has(name)) return name;
  if (profile.optional.has(name)) return 0;
  if (profile.valueFlags.has(name))
    return equals >= 0 ? taken(name, arg.slice(equals + 1), 0, profile) : taken(name, next, 1, profile);
  return equals < 0 && profile.flags.has(name) ? 0 : name;
}

function cluster(arg: string, next: string | undefined, profile: Profile): number | string {
  if (profile.numeric && /^-\d+$/.test(arg)) return 0;
  for (let i = 1; i < arg.length; i++) {
    const name = `-${arg[i]}`;
    if (profile.denied.has(name)) return name;
    if (profile.valueFlags.has(name))
      return i + 1 < arg.length ? taken(name, arg.slice(i + 1), 0, profile) : taken(name, next, 1, profile);
    if (!profile.flags.has(name)) return name;
  }
  return 0;
}

function taken(name: string, value: string | undefined, words: number, profile: Profile): number | string {
  if (value === undefined) return name;
  return profile.valueLike.get(name)?.test(value) === false ? `${name} with the value ${JSON.stringify(value)}` : words;
}
