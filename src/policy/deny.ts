/** Deny rules win over everything, and see through whatever carries a command. */
import type { Lookup, Rule } from '../wire/policy.ts';
import { namesOf } from './programs/names.ts';
import { firstOf, isCarrier, isQuestion, SHELLS } from './programs/carriers.ts';
import { WRAPPERS } from './programs/wrappers.ts';
import { denyMatches } from './rule-match.ts';
import { commandsIn } from './shell/commands.ts';

const DEEPEST = 6;
/** Built-ins and programs whose arguments are a command. */
const CARRYING = new Set(
  'command builtin exec eval trap coproc time nohup find fd fdfind git ssh docker podman'.split(' '),
);

/** Of those the ones whose plain arguments name other things than programs. */
const NAMING = new Set('find fd fdfind git'.split(' '));

/** A rule that forbids, and the name that it forbids; or why no answer is possible. */
export interface Denial {
  readonly rule?: Rule;
  readonly name?: string;
  readonly unknown?: string;
}

/** Whether a rule forbids a call or anything that it carries. */
export function denialOf(
  argv: readonly (string | undefined)[],
  rules: readonly Rule[],
  lookup: Lookup,
  depth = 0,
): Denial | undefined {
  const [word] = argv;
  if (rules.length === 0) return undefined;
  if (word === undefined) return { unknown: 'the name of a command is only known when it runs' };
  const args = argv.slice(1);
  const direct = ruleAgainst(word, args, rules, lookup);
  if (direct !== undefined) return { rule: direct, name: word };
  const names = namesOf(word, lookup.find(word));
  if (![...names].some((name) => CARRYING.has(name) || WRAPPERS.has(name)) && !isCarrier(names)) return undefined;
  if (depth >= DEEPEST) return { unknown: 'commands are nested too deeply' };
  const isNaming = firstOf(names, NAMING) !== undefined;
  const shellAt = firstOf(names, SHELLS) !== undefined ? 0 : isNaming ? -1 : argv.findIndex(isShell);
  let unknown =
    shellAt >= 0 && readsInput(argv.slice(shellAt + 1)) ? `${argv[shellAt]} reads commands from its input` : undefined;
  for (const [i, arg] of args.entries()) {
    const inner = arg === undefined ? undefined : carried(arg, args.slice(i + 1), rules, lookup, depth);
    if (inner?.rule !== undefined) return inner;
    unknown ??= arg === undefined ? `an argument of ${word} is only known when it runs` : inner?.unknown;
  }
  return unknown === undefined ? undefined : { unknown };
}

function isShell(word: string | undefined): boolean {
  return word !== undefined && firstOf(namesOf(word, undefined), SHELLS) !== undefined;
}

/** Whether a shell with these arguments takes its commands from what is piped or typed into it: it has no script, and no `-c`. */
function readsInput(args: readonly (string | undefined)[]): boolean {
  if (isQuestion(args)) return false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) return true;
    if (/^-[A-Za-z]*c/.test(arg)) return false;
    if (/^-[A-Za-z]*s/.test(arg)) return true;
    if (/^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/.test(arg)) at++;
    else if (!/^[-+]/.test(arg)) return /^\/(?:dev\/(?:stdin|tty|fd\/)|proc\/)/.test(arg);
  }
  return true;
}

function carried(
  arg: string,
  rest: readonly (string | undefined)[],
  rules: readonly Rule[],
  lookup: Lookup,
  depth: number,
): Denial | undefined {
  const rule = arg.startsWith('-') ? undefined : ruleAgainst(arg, rest, rules, lookup);
  if (rule !== undefined) return { rule, name: arg };
  const text = arg.replace(/^--?[A-Za-z-]+=?/, '');
  return /[\s;|&$`<>()]/.test(text) ? denialInText(text, rules, lookup, depth + 1) : undefined;
}

/** Whether a rule forbids any command of a text that a shell is to run. */
export function denialInText(text: string, rules: readonly Rule[], lookup: Lookup, depth = 0): Denial | undefined {
  if (rules.length === 0) return undefined;
  const { commands, unknown: unread } = commandsIn(text);
  let unknown = unread;
  for (const { words } of commands) {
    const denial = denialOf(words, rules, lookup, depth);
    if (denial?.rule !== undefined) return denial;
    unknown ??= denial?.unknown ?? elusive(words);
  }
  return unknown === undefined ? undefined : { unknown };
}

/** Built-ins after which a name may mean another program. */
function elusive([word]: readonly (string | undefined)[]): string | undefined {
  return word !== undefined && /^(?:\.|source|alias|hash|enable|bind|complete|compgen|mapfile|readarray)$/.test(word)
    ? `${word} can change what later names mean`
    : undefined;
}

function ruleAgainst(
  word: string,
  args: readonly (string | undefined)[],
  rules: readonly Rule[],
  lookup: Lookup,
): Rule | undefined {
  const binary = word === '' ? undefined : lookup.find(word);
  if (binary === undefined) return undefined;
  // A word that is not known could be any: rules about arguments then hold for the program as a whole.
  const known = args.every((arg) => arg !== undefined);
  return rules.find((rule) =>
    known
      ? denyMatches(rule, { binary, args }, lookup)
      : denyMatches({ pattern: rule.pattern }, { binary, args: [] }, lookup),
  );
}
