/** Finds options with which an ordinary program runs another one, or writes a file that is not named as its output. */
import { type Finding, inlineCode, programFlag } from './finding.ts';
import { type ToolFlags, toolFlags } from './tool-flags.ts';

export function flagFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  for (const name of names) {
    const flags = toolFlags(name);
    if (flags === undefined) continue;
    if (flags.readsCommands === true && args.length === 0)
      return inlineCode(0, `${name} without arguments reads commands from its input`);
    const found = findFlag(flags, args);
    if (found !== undefined)
      return programFlag(found.word, `${found.what} of ${name} can run a program or write a file`);
  }
  return undefined;
}

const NO_FILE = new Set(['-', '/dev/null', '/dev/stdout', '/dev/stderr']);

/** The first argument with such a flag; indexes start at 1. */
export function findFlag(
  flags: ToolFlags,
  args: readonly string[],
): { readonly word: number; readonly what: string } | undefined {
  const { short = '', valued = '', like, operands } = flags;
  const long = flags.long?.split(' ') ?? [];
  const harmless = flags.harmless?.split(' ') ?? [];
  const exact = flags.words?.split(' ') ?? [];
  const valueWords = flags.valueWords?.split(' ') ?? [];
  let operandsSeen = 0;
  let ended = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (exact.includes(name)) return { word: i + 1, what: `the argument ${name}` };
    if (like?.test(arg) === true) return { word: i + 1, what: `the argument ${arg}` };
    if (!ended && flags.toOutput !== undefined) {
      const target = targetOf(flags.toOutput, arg, args[i + 1], valued);
      if (target !== undefined && !NO_FILE.has(target)) return { word: i + 1, what: `the option ${name}` };
    }
    if (!ended && arg === '--') ended = true;
    else if (!ended && arg.startsWith('--')) {
      const given = name.slice(2);
      if (!harmless.includes(given) && long.some((option) => option.startsWith(given)))
        return { word: i + 1, what: `the option ${name}` };
      if (
        equals < 0 &&
        valueWords.includes(arg) &&
        args[i + 1]?.startsWith('-') === false &&
        like?.test(args[i + 1]!) !== true
      )
        i++;
    } else if (!ended && arg.startsWith('-') && arg.length > 1) {
      const cluster = readCluster(arg.slice(1), short, valued);
      if (cluster === 'found') return { word: i + 1, what: `the option ${arg}` };
      // An argument that looks like an option is checked as one, even where it should be a value.
      const takesNext = cluster === 'takes-next' || valueWords.includes(arg);
      if (takesNext && args[i + 1]?.startsWith('-') === false && like?.test(args[i + 1]!) !== true) i++;
    } else if (
      i === 0 &&
      flags.bundled === true &&
      /^[A-Za-z]+$/.test(arg) &&
      [...arg].some((letter) => short.includes(letter))
    )
      return { word: 1, what: `the option ${arg}` };
    else if (flags.operandLike?.test(arg) === true || (operands !== undefined && ++operandsSeen > operands))
      return { word: i + 1, what: `the operand ${JSON.stringify(arg)}` };
  }
  return undefined;
}

/** Reads `-abcVALUE`: whether a letter is a flag, and whether the next argument is a value. */
function readCluster(cluster: string, short: string, valued: string): 'found' | 'takes-next' | 'plain' {
  for (let i = 0; i < cluster.length; i++) {
    if (short.includes(cluster[i]!)) return 'found';
    if (valued.includes(cluster[i]!)) return i + 1 === cluster.length ? 'takes-next' : 'plain';
  }
  return 'plain';
}

/** The file in `-oFILE`, `-so FILE`, `--output FILE` or `--output=FILE`. */
function targetOf(toOutput: string, arg: string, next: string | undefined, valued: string): string | undefined {
  const [letter = '', long = ''] = toOutput.split(' ');
  const equals = arg.indexOf('=');
  const name = equals < 0 ? arg : arg.slice(0, equals);
  if (name.length > 3 && `--${long}`.startsWith(name)) return equals < 0 ? (next ?? '') : arg.slice(equals + 1);
  if (!arg.startsWith('-') || arg.startsWith('--')) return undefined;
  for (let i = 1; i < arg.length; i++) {
    if (arg[i] === letter) return i + 1 < arg.length ? arg.slice(i + 1) : (next ?? '');
    if (valued.includes(arg[i]!)) return undefined;
  }
  return undefined;
}
