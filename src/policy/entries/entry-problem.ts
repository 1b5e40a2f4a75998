/** What is wrong with an entry that a person wants to add: it can never match, or it allows more than its text shows. */
import { isInside } from '../../base/inside.ts';
import type { AllowlistEntry, Lookup, Rules } from '../../wire/policy.ts';
import { isGlob } from '../glob.ts';
import { judge } from '../judge.ts';
import { isScriptRunner } from '../programs/interpreters.ts';
import { baseName, namesOf } from '../programs/names.ts';

export interface EntryProblem {
  readonly message: string;
  readonly hint: string;
  /** `wide`: a person may store it after reading what it allows. */
  readonly kind: 'never-matches' | 'wide';
}

export interface EntryPlace {
  readonly lookup: Lookup;
  /** The folder whose files the agent may change; undefined where it is not known. */
  readonly workspace?: string;
}

const NO_RULES: Rules = {
  allowlist: [],
  deny: [],
  safeBins: [],
  safeBinProfiles: {},
  safeBinTrustedDirs: [],
  strictInlineEval: true,
};

/** Undefined where nothing is wrong. */
export function entryProblem(entry: AllowlistEntry, { lookup, workspace }: EntryPlace): EntryProblem | undefined {
  const { pattern } = entry;
  if (!pattern.includes('/'))
    return {
      kind: 'never-matches',
      message: `${JSON.stringify(pattern)} is a bare name, which never matches`,
      hint: `use the path of the program: command -v ${pattern}`,
    };
  if (/^\/[*?/]*$/u.test(pattern) && pattern.includes('*'))
    return {
      kind: 'wide',
      message: `${pattern} matches every program: all commands would run without asking, except those that always ask`,
      hint: 'name one program; to judge no command at all, set tools.exec.security to full',
    };
  const real = isGlob(pattern) ? undefined : lookup.realPath(pattern);
  if (real !== undefined && workspace !== undefined && isInside(real, workspace) && !isInside('/usr/bin', workspace))
    return {
      kind: 'wide',
      message: `${pattern} is inside the workspace: the agent can change the file, and so what runs`,
      hint: `bind the rule to the content: pincer allow '${pattern} *'`,
    };
  return sampleProblem(entry, real, lookup);
}

/** An entry with arguments that still asks when it is called with exactly these. */
function sampleProblem(given: AllowlistEntry, real: string | undefined, lookup: Lookup): EntryProblem | undefined {
  const { id: _, ...entry } = given;
  const { pattern, args, cwd = '/' } = entry;
  if (real === undefined || args === undefined || !PLAIN.test(pattern)) return undefined;
  for (const prefix of args) {
    if (prefix.trim() === '' || !PLAIN_WORDS.test(prefix)) continue;
    const { verdict, reason } = judge(`${pattern} ${prefix}`, { ...NO_RULES, allowlist: [entry] }, lookup, cwd);
    if (verdict !== 'allow')
      return {
        kind: 'never-matches',
        message: `${baseName(pattern)} ${prefix} would still ask with this entry: ${reason}`,
        hint: `store a rule for the whole command: pincer allow '${baseName(pattern)} ${prefix}'`,
      };
  }
  return undefined;
}

const PLAIN = /^\/[\w@%+=:,./-]+$/u;
const PLAIN_WORDS = /^[\w@%+=:,./ -]+$/u;

/** What an entry without arguments allows, where its pattern does not show it. */
export function entryRemark(
  { pattern, args, argv, argPattern, words }: AllowlistEntry,
  lookup: Lookup,
): string | undefined {
  if ([args, argv, argPattern, words].some((limit) => limit !== undefined)) return undefined;
  const binary = lookup.find(pattern);
  if (binary === undefined || ![...namesOf(pattern, binary)].some((name) => isScriptRunner(name))) return undefined;
  const name = baseName(pattern);
  return `${name} runs any script file, also one that the agent has written; for one script: pincer allow '${name} script *'`;
}
