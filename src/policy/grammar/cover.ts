/** What covers a call of a program that has a profile: an entry of the allowlist, or `tools.exec.starter`. */
import type { AllowlistEntry, Binary, Lookup, Rules } from '../../wire/policy.ts';
import type { CallClass } from '../../wire/profile.ts';
import { type Finding, profileOption, projectCode } from '../programs/finding.ts';
import { highest } from './compiled.ts';
import type { DescribedCall } from './described-call.ts';
import { isTrusted } from './described.ts';
import { readFinding, writeFinding } from './scope.ts';
import { isInPlace, verbOf } from './verb.ts';

/** The code of a call that its profile allows without an entry. */
export const STARTER = 'starter';

export interface CoverContext {
  readonly rules: Rules;
  readonly lookup: Lookup;
  readonly foreignShell?: boolean | undefined;
  readonly hasVerbs?: boolean | undefined;
}

/** What an entry without arguments allows for a program with a profile. */
const BY_PATH: ReadonlySet<CallClass> = new Set(['read', 'workspace', 'git-local']);

/**
 * Whether an entry that matches a call covers it. One that names all arguments covers it whatever the profile says; one that names
 * some of them, what the profile accepts in any class; one with a class, what it accepts in that class and reads in the workspace.
 */
export function coversByEntry(
  entry: AllowlistEntry,
  described: DescribedCall | undefined,
  { foreignShell, lookup, rules }: Pick<CoverContext, 'foreignShell' | 'lookup' | 'rules'>,
): boolean {
  const { argv, words, shapes, arguments: any, args, argPattern, class: only } = entry;
  if (described === undefined || [argv, any, shapes].some((member) => member !== undefined)) return true;
  const hasFurther = words?.at(-1) === '*';
  if (words !== undefined && !hasFurther) return true;
  const { accepted, runsFile, isUnknownSubcommand } = described;
  const namesSome = hasFurther || args !== undefined || argPattern !== undefined;
  if (runsFile) return true;
  if (accepted === undefined) return namesSome && isUnknownSubcommand === true;
  if (needsForced(described, foreignShell)) return false;
  if (hasFurther && only !== undefined) return highest([accepted.class, only]) === only;
  if (namesSome) return true;
  if (only === undefined) return BY_PATH.has(accepted.class);
  return accepted.class === only && readFinding(accepted, { lookup, cwd: described.folder }, rules) === undefined;
}

/** Why `starter` allows a call, or why it does not although the profile accepts it; undefined where it says nothing about it. */
export function coveredByStarter(
  binary: Binary,
  described: DescribedCall | undefined,
  context: CoverContext,
): { readonly reason: string } | Finding | undefined {
  const { starter = 'none' } = context.rules;
  const accepted = described?.accepted;
  if (starter === 'none' || described === undefined || accepted === undefined || !isTrusted(binary, context.rules))
    return undefined;
  if (needsForced(described, context.foreignShell)) return undefined;
  const writes = accepted.class === 'workspace';
  const verb = context.hasVerbs === true ? verbOf(binary, described, context.rules) : undefined;
  if (writes ? starter !== 'workspace' || verb === undefined : accepted.class !== 'read') return undefined;
  const scope = { lookup: context.lookup, cwd: described.folder };
  const finding =
    readFinding(accepted, scope, context.rules) ??
    (verb === undefined ? undefined : writeFinding(accepted, scope, context.rules, isInPlace(verb)));
  if (finding !== undefined) return finding;
  return {
    reason: writes ? `${described.name} writes only in the workspace here` : `${described.name} only reads here`,
  };
}

/** Why an entry for the program does not cover a call. */
export function notCovered(described: DescribedCall | undefined): Finding | undefined {
  if (described === undefined) return undefined;
  const { accepted, finding, name } = described;
  if (accepted === undefined) return finding;
  if (accepted.class === 'project') return projectCode(0, `${name} runs code of the project here`);
  if (BY_PATH.has(accepted.class)) return profileOption(0, `${name} needs options here that only exec adds`);
  const does = accepted.class === 'network' ? 'uses the network' : 'changes the system';
  return {
    ...profileOption(0, `${name} ${does} here, which an entry without arguments does not allow`),
    code: 'profile-class',
  };
}

/** A shell that Pincer does not start gets no options and variables from profiles. */
function needsForced({ accepted }: DescribedCall, foreignShell: boolean | undefined): boolean {
  return foreignShell === true && accepted?.profile.forced !== undefined;
}
