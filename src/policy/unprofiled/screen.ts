/**
 * The screen for calls of a program without a profile: it finds arguments that may name a program, contain code, or name a file
 * that a program loads. It is not a boundary, because nobody has described what these arguments mean.
 */
import type { Lookup } from '../../wire/policy.ts';
import { isShellOrInterpreter } from '../programs/carriers.ts';
import { baseName } from '../programs/names.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/u));

/** Parts of option names by which programs take commands, code, settings or libraries. */
const OPTION_PARTS = set(`
  rsh exec execute command commands cmd shell script scripts plugin plugins conf config configuration configfile cfg eval evaluate run runner program
  programs prog binary pager editor hook hooks load loader library lib libs module modules preload init initfile rc rcfile startup helper filter filters
  handler wrapper interpreter engine provider trigger action actions notify callback macro macros askpass viewer browser terminal extension
  extensions addon addons spawn launch invoke start system code preprocessor postprocessor proxy-command lua perl python ruby tcl js
  javascript driver agent daemon listen server rcpath sh bash compiler linker formatter-command open
  pre post before after tool handler alias execpath interactive repl console debugger sudo become connect-program require requires ssh cc cxx extensions
`);
/** An abbreviation of one of these is accepted by many parsers. */
const ABBREVIATED = 'rsh exec execute command cmd shell script plugin config eval program preload interpreter'.split(
  ' ',
);
const SHORTEST_ABBREVIATION = 2;

/** Operands that ask a program to run others, to read commands, or to serve them. */
const VERBS = set(`
  run exec execute shell sh bash cmd command script eval spawn system repl console invoke source interactive login ssh attach serve listen plugin
  plugins hook hooks edit sudo debug start
`);
/** Short options that often take a command. */
const COMMAND_LETTERS = /^-[a-zA-Z]?[ceExXrS]$/u;

/** What an argument may do; `word` counts from 1. */
export interface Screened {
  readonly word: number;
  readonly what: string;
}

/** `isKnown`: a table lists the dangerous options of the program, so the values of the others may be paths. */
export function screen(args: readonly string[], lookup: Lookup, isKnown: boolean): Screened | undefined {
  for (const [i, arg] of args.entries()) {
    const previous = args[i - 1];
    const path = isKnown ? undefined : pathSays(arg, previous);
    const what = optionSays(arg) ?? keySays(arg) ?? valuesSay(arg, previous, lookup) ?? path;
    if (what !== undefined) return { word: i + 1, what };
  }
  return undefined;
}

function optionSays(arg: string): string | undefined {
  const name = /^--?([A-Za-z][\w.-]*)/u.exec(arg)?.[1];
  const isLong = arg.startsWith('--') || (name !== undefined && name.length > 3);
  if (name === undefined || !isLong) return undefined;
  const lower = name.replaceAll(/([a-z])([A-Z])/gu, '$1-$2').toLowerCase();
  if (/^(?:no-.*|dry-run)$/u.test(lower)) return undefined;
  const isShort = (word: string): boolean => word.startsWith(lower) && lower.length >= SHORTEST_ABBREVIATION;
  const says = namesCode(lower) || (arg.startsWith('--') && ABBREVIATED.some(isShort));
  return says ? `the option ${arg.replace(/[=\s].*$/su, '')}` : undefined;
}

/** `ProxyCommand=x` or `pre-up=x`, also behind the letter of an option. */
function keySays(arg: string): string | undefined {
  const [, key] = /^(?:-[A-Za-z])?([A-Za-z][\w.:-]*)=/u.exec(arg) ?? [];
  if (key === undefined) return undefined;
  const lower = key.replaceAll(/([a-z])([A-Z])/gu, '$1-$2').toLowerCase();
  return namesCode(lower) ? `the setting ${key}` : undefined;
}

/** Whether the name of an option or a setting says that its value is a program, code or settings. */
function namesCode(lower: string): boolean {
  return (
    lower
      .split(/[-_.:]/u)
      .some((part) => OPTION_PARTS.has(part) || /^(?:exec|plug|script|config|cmd|command)/u.test(part)) ||
    /(?:cmd|command|exec|script|shell|hook|program|plugin|eval)$/u.test(lower)
  );
}

function valuesSay(arg: string, previous: string | undefined, lookup: Lookup): string | undefined {
  if (isVerb(arg)) return `the word ${arg}`;
  if (previous === '--' && isProgram(arg, lookup)) return `the program ${JSON.stringify(arg)}`;
  if (previous !== undefined && COMMAND_LETTERS.test(previous) && isProgram(arg, lookup))
    return `the program ${JSON.stringify(arg)}`;
  for (const value of valuesOf(arg)) {
    const what = valueSays(value, lookup);
    if (what !== undefined) return `${what} ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** A path as the value of an option. */
function pathSays(arg: string, previous: string | undefined): string | undefined {
  const isValue = previous?.startsWith('-') === true && previous !== '--';
  const value = /^-[^=]*=(.*)$/su.exec(arg)?.[1] ?? (isValue ? arg : undefined);
  return value !== undefined && OUTSIDE.test(value) ? `the path ${value}` : undefined;
}

/** `run`, `exec-file`, or text that begins with `.shell` or `/exec`. */
function isVerb(arg: string): boolean {
  const [first = '', ...rest] = arg.toLowerCase().split(/\s+/u);
  if (rest.length > 0 && VERBS.has(first.replace(/^[./\\!:]+/u, ''))) return true;
  return rest.length === 0 && /^[a-z-]+$/u.test(first) && (VERBS.has(first) || VERBS.has(first.split('-')[0]!));
}

/** The word, what follows each `=`, `:` or `,` in it, and what follows the letter of a short option. */
function valuesOf(arg: string): readonly string[] {
  const values = new Set([arg]);
  if (/^-[A-Za-z0-9].+/su.test(arg)) values.add(arg.slice(2));
  for (const match of arg.matchAll(/[=:,]/gu)) values.add(arg.slice(match.index + 1));
  return [...values].filter((value) => value !== '');
}

function valueSays(value: string, lookup: Lookup): string | undefined {
  const text = value.replace(/^["'\s]+/u, '');
  if (SHELL_TEXT.test(text)) return 'the shell text';
  if (CODE.test(text)) return 'the code';
  if (CARRYING_ADDRESS.test(text)) return 'the address';
  const [first = '', ...rest] = text.split(/\s+/u);
  if (isProgramPath(first, lookup) || isInterpreterName(first)) return 'the program';
  if (rest.length > 0 && isProgram(first, lookup)) return 'the command';
  if (LOADED_FILE.test(text)) return 'the library';
  if (SETTINGS_FILE.test(text)) return 'the settings file';
  if (/[/\\]/u.test(text) && VERBS.has(baseName(text).toLowerCase())) return 'the path';
  return undefined;
}

/** Separators, substitutions, pipes to a program, and the escapes with which programs start a shell. */
const SHELL_TEXT =
  /[;`\n]|\$[({]|[<>]\(|&&|\|\||^\s*\||\|\s*(?:\/|[\w.]*sh\b)|^:?\\?!|^:(?:sh|shell|py|python|lua|perl|ruby|r|w|so|source|e)\b|\s&(?:$|\s)|\/dev\/(?:tcp|udp)\//u;
/** A call, an instruction of a template or of a markup language. */
const CODE =
  /(?:^|[^%\w])[A-Za-z_][\w.:]*\s*\(|^\[[a-z]+ |<\?|<%|\{%|\{\{.*\b(?:exec|shell|system|cmd)\b|\\(?:write18|input)|^\(/u;
const CARRYING_ADDRESS =
  /^(?:exec|system|shell|cmd|proc|ext|lua|python|perl|javascript|js|data|pkcs11|jdbc|fd|unix|pty|open|run|script|jndi|ldap|rmi|macro|vbscript)(?::|::)/iu;
const LOADED_FILE = /\.(?:so|dylib|dll|jar|class|wasm|ko|elf|exe|sh|bash|zsh|lua|tcl|el|vim|scm|awk)(?:\.\d+)*$/iu;
/** A path that does not depend on the folder: a file that somebody else may have written. */
const OUTSIDE = /^(?:\/(?!\/|dev\/null$)|~)/u;
const SETTINGS_FILE = /\.(?:conf|cnf|cfg|config|rc|ini|service|unit|rules)$|(?:^|\/)\.[a-z]+rc$/iu;

function isInterpreterName(word: string): boolean {
  return /^[a-z][\w.+-]*$/u.test(word) && STRONG_NAMES.has(word.replace(/\d+(?:\.\d+)*$/u, ''));
}

/** Shells and interpreters whose names are no ordinary words. */
const STRONG_NAMES = set(`
  sh bash dash ash ksh mksh zsh csh tcsh fish busybox python perl ruby php lua node nodejs tclsh awk gawk mawk sed vim vi nvim emacs gdb
  sudo su doas env xargs nohup setsid strace nc ncat netcat socat telnet curl wget ssh script expect bun deno pwsh powershell make npm npx
`);

const PROGRAM_NAME = /^(?:[a-z][\w+-]+(?:\d\.\d+)?|\S*\/\S*)$/u;

function isProgramPath(word: string, lookup: Lookup): boolean {
  if (!word.includes('/')) return false;
  return /(?:^|\/)s?bin\/[^/]+$/u.test(word) || lookup.find(word) !== undefined;
}

function isProgram(text: string, lookup: Lookup): boolean {
  const [first = ''] = text.split(/\s+/u);
  return PROGRAM_NAME.test(first) && (isShellOrInterpreter(first) || lookup.find(first) !== undefined);
}
