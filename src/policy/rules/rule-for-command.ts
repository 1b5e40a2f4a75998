/** The rule that would allow a command which a person typed. */
import type { AllowlistEntry, Binary, Lookup } from '../../wire/policy.ts';
import type { CallClass } from '../../wire/profile.ts';
import type { ObeyedTexts } from '../bindings/found-texts.ts';
import { obeyedTexts } from '../bindings/obeyed-texts.ts';
import { highest } from '../grammar/compiled.ts';
import { describedCall } from '../grammar/described-call.ts';
import { isPackageManager } from '../bindings/package-scripts.ts';
import { isScriptRunner } from '../programs/interpreters.ts';
import { namesOf } from '../programs/names.ts';
import { notFoundHint } from '../hint.ts';

import { findInvalidCharacter } from '../shell/characters.ts';
import { BUILTINS } from '../shell/reserved.ts';
import { scanCommand } from '../shell/scan.ts';
import { patternFor } from './rule-for-call.ts';

export interface RuleOptions {
  readonly cwd: string;
  /** The folder subtree where the rule applies. */
  readonly below: string;
  readonly lookup: Lookup;
  /** Stores no texts: what the command runs may change. */
  readonly isUnbound: boolean;
}

export interface CommandRule {
  readonly entry: AllowlistEntry;
  /** The command that tests the rule: without the last `*`. */
  readonly example: string;
  readonly binary: Binary;
  readonly args: readonly string[];
  /** Absent where nothing but its words decides what the command does. */
  readonly obeyed?: ObeyedTexts;
  /** Why a rule cannot be bound to the texts that decide; the rule is then unbound. */
  readonly unbindable?: string;
}

export interface NoRule {
  readonly refused: string;
  readonly hint: string;
}

/** What a person accepts with each kind of text. */
const CLASS_OF: Readonly<Record<ObeyedTexts['kind'], CallClass>> = {
  'package-scripts': 'project',
  'build-file': 'project',
  script: 'project',
  hooks: 'project',
  remotes: 'network',
};

export function ruleForCommand(said: string, options: RuleOptions): CommandRule | NoRule {
  const { cwd, below, lookup, isUnbound } = options;
  const isOpen = /\s\*\s*$/u.test(said);
  const example = isOpen ? said.replace(/\s\*\s*$/u, '') : said.trim();
  const words = wordsOf(example);
  if ('refused' in words) return words;
  const [word = '', ...args] = words.words;
  if (BUILTINS.has(word)) return refused(`${word} is a shell builtin, not a program`, 'name the program itself');
  const binary = lookup.find(word);
  if (binary === undefined) return refused(`there is no program ${JSON.stringify(word)}`, notFoundHint(word));
  const pattern = patternFor(binary);
  if (pattern === undefined)
    return refused(
      `the path ${binary.real} has wildcards, so a rule for it could match other programs`,
      'rename the file',
    );
  const source = { pattern, said: said.trim() };
  // A path alone is about the program, whatever its arguments.
  if (args.length === 0 && !isOpen && word.startsWith('/'))
    return { entry: { ...source, below }, example, binary, args };
  const obeyed = obeyedTexts({ binary, args }, { cwd, lookup, root: below });
  const entry = { ...source, words: isOpen ? [...args, '*'] : args, below };
  if (obeyed === undefined && isOpen && runsProjectFiles(binary))
    return refused(`${said.trim()} would allow every script, also one that the agent writes later`, NAMED);
  if (obeyed === undefined) return { entry, example, binary, args };
  if ('unbindable' in obeyed) {
    if (!isUnbound) return refused(`the rule cannot be bound: ${obeyed.unbindable}`, UNBOUND);
    return { entry, example, binary, args, unbindable: obeyed.unbindable };
  }
  const bound = isUnbound ? {} : { bound: obeyed.texts };
  // The profile may know of more than the files: `npm install` also uses the network.
  const own = describedCall(binary, args, namesOf(word, binary), { rules: {}, cwd })?.accepted?.class;
  const accepted = highest([CLASS_OF[obeyed.kind], ...(own === undefined ? [] : [own])]);
  return { entry: { ...entry, class: accepted, ...bound }, example, binary, args, obeyed };
}

/** Whether words choose a script that the program runs. */
function runsProjectFiles(binary: Binary): boolean {
  return [...namesOf(binary.path, binary)].some((name) => isScriptRunner(name) || isPackageManager(name));
}

const NAMED = "name the script, as in pincer allow 'npm test -- *'";
const UNBOUND = 'call it in another way, or store the rule without that: --unbound';

function wordsOf(command: string): { readonly words: readonly string[] } | NoRule {
  const invalid = findInvalidCharacter(command);
  if (invalid !== undefined) return refused(invalid.reason, PLAIN);
  const { stages, refusal } = scanCommand(command);
  if (stages === undefined) return refused(refusal.reason, PLAIN);
  const [stage, second] = stages;
  if (second !== undefined)
    return refused('a rule is for one program, not for a pipeline', 'store one rule for each program');
  return { words: (stage?.words ?? []).map(({ text }) => text) };
}

const PLAIN = "a rule is for one program and its words, as in pincer allow 'npm test'";

function refused(reason: string, hint: string): NoRule {
  return { refused: reason, hint };
}
