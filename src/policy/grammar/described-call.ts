/** What the profile of a program says about a call. */
import type { Binary, Risk, Rules } from '../../wire/policy.ts';
import { type Finding, inlineCode, profileOption, profileSubcommand } from '../programs/finding.ts';
import { globalOptions } from '../programs/git.ts';
import { interpreterFinding, isInterpreter } from '../programs/interpreters.ts';
import { describe } from './described.ts';
import { type AcceptedCall, type CallMatch, matchCall, matchSubcommand } from './match.ts';

/** A call of a program that has a profile. */
export interface DescribedCall {
  /** The program. */
  readonly name: string;
  /** Undefined where the profile does not list all of it. */
  readonly accepted?: AcceptedCall;
  /** Why it is not accepted. */
  readonly finding?: Finding;
  /** The profile does not have its subcommand, so the tables decide about entries with arguments. */
  readonly isUnknownSubcommand?: true;
  /** An interpreter that runs a script file. */
  readonly runsFile: boolean;
  /** What the profile says about the input of the program, where it does not say it about the subcommand. */
  readonly stdin?: 'data';
  /** The folder that its paths start in. */
  readonly folder: string;
}

/** Undefined for a program without a profile. */
export function describedCall(
  binary: Binary,
  args: readonly string[],
  names: ReadonlySet<string>,
  { rules, cwd }: { readonly rules: Pick<Rules, 'profiles'>; readonly cwd: string },
): DescribedCall | undefined {
  const program = describe(binary, rules);
  if (program === undefined) return undefined;
  const { name, profile } = program;
  const runsFile = isInterpreter(name) && interpreterFinding(names, args) === undefined;
  const open = { name, runsFile, ...(profile.stdin === undefined ? {} : { stdin: profile.stdin }) };
  if (profile.grammar !== 'git') return { ...open, folder: cwd, ...resultOf(name, matchCall(profile, args)) };
  const global = globalOptions(args, cwd);
  if ('finding' in global) return { ...open, folder: cwd, finding: global.finding };
  const { at, folder } = global;
  // Git's own options of information, such as `--version`, are checked with the other options before the subcommand.
  const isInformation = at >= args.length && args.length > 0;
  const match = isInformation ? matchCall(profile, ['version']) : matchSubcommand(profile, args.slice(at), at + 1);
  return { ...open, folder, ...resultOf(name, match) };
}

function resultOf(name: string, match: CallMatch): Pick<DescribedCall, 'accepted' | 'finding' | 'isUnknownSubcommand'> {
  if (!('refused' in match)) return { accepted: match };
  const { word, reason, isCode, isSubcommand } = match.refused;
  const text = `${name}: ${reason}`;
  if (isSubcommand === true) return { finding: profileSubcommand(word, text), isUnknownSubcommand: true };
  return { finding: isCode === true ? inlineCode(word, text) : profileOption(word, text) };
}

/** The risk of a call where nothing else raises it. */
export function riskOf(described: DescribedCall | undefined): Risk {
  if (described === undefined) return 'unknown';
  const { accepted, finding, runsFile } = described;
  if (runsFile) return 'project';
  return accepted?.class ?? (finding?.code === 'inline-code' ? 'inline-code' : 'unknown');
}
