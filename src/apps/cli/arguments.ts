/** Parses the arguments, flags and options of a command line. */
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../text/nearest-names.ts';

/** Flags and options that a command accepts; any other argument with a dash is a usage error. */
export interface FlagShape {
  readonly command: string;
  readonly flags: readonly string[];
  readonly options: readonly string[];
  /** Options whose value may be empty. For the others, an empty value is probably an unset shell variable. */
  readonly mayBeEmpty?: readonly string[];
  /** Short names of flags and options: `-f` for `--follow`. */
  readonly short?: Readonly<Record<string, string>>;
  /** Help command to name in hints (default: `pincer <command> --help`). */
  readonly help?: string;
  /** Whether an argument with a dash is a positional one, such as a negative number. */
  isPositional?(arg: string, before: readonly string[]): boolean;
  /** Hint for an unknown option after these positionals, if help is not the best advice. */
  hintAfter?(before: readonly string[]): string | undefined;
}

export interface CommandShape extends FlagShape {
  /** Names of the arguments: optional ones in brackets, a repeated last one with `…`. */
  readonly positionals: readonly string[];
}

/** Names are without their dashes. */
export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** Parses the arguments of a command, and checks the number of positionals. */
export function readArguments(shape: CommandShape, argv: readonly string[]): ParsedArguments {
  const args = splitArguments(shape, argv);
  const { positionals } = args;
  const missing = shape.positionals.slice(positionals.length).find((name) => !name.startsWith('['));
  if (missing !== undefined) throw usage(shape, `the argument <${missing.replace('…', '')}> is missing`);
  const tooMany = shape.positionals.at(-1)?.includes('…') === true ? undefined : positionals[shape.positionals.length];
  if (tooMany !== undefined) throw usage(shape, `unexpected argument ${JSON.stringify(tooMany)}`);
  return args;
}

/** Separates positionals, flags and options. After `--` everything is positional. */
export function splitArguments(shape: FlagShape, argv: readonly string[]): ParsedArguments {
  const positionals: string[] = [];
  const flags = new Set<string>();
  const options: Record<string, string> = {};
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (arg === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const typed = equals < 0 ? arg : arg.slice(0, equals);
    const isShort = typed.startsWith('-') && shape.isPositional?.(arg, positionals) !== true;
    const name = (isShort ? shape.short?.[typed] : undefined) ?? typed;
    if (shape.options.includes(name)) {
      const value = equals < 0 ? argv[++i] : arg.slice(equals + 1);
      if (value === undefined || (value === '' && shape.mayBeEmpty?.includes(name) !== true))
        throw usage(shape, `${typed} needs a value`);
      if (options[name.slice(2)] !== undefined) throw usage(shape, `${typed} is given twice`);
      options[name.slice(2)] = value;
    } else if (shape.flags.includes(name) && equals < 0) flags.add(name.slice(2));
    else if (arg.startsWith('--') || (/^-./u.test(arg) && shape.isPositional?.(arg, positionals) !== true))
      throw usage(shape, unknownOption(shape, arg), shape.hintAfter?.(positionals));
    else positionals.push(arg);
  }
  return { positionals, flags, options };
}

export function unknownOption({ flags, options }: Pick<FlagShape, 'flags' | 'options'>, arg: string): string {
  const name = arg.split('=', 1)[0]!;
  if (flags.includes(name)) return `${name} takes no value`;
  return `unknown option ${arg}${didYouMean(name, [...flags, ...options])}`;
}

export function usage({ command, help }: Pick<FlagShape, 'command' | 'help'>, message: string, hint?: string): Fault {
  const advice = hint ?? `see ${help ?? `pincer ${command} --help`}`;
  return new Fault('USAGE_ARGUMENTS', `${command}: ${message}`, { hint: advice });
}

export function asksForHelp(argv: readonly string[]): boolean {
  return beforeDoubleDash(argv).some((arg) => arg === '--help' || arg === '-h');
}

const FORM_FLAGS = ['--json', '--human', '--quiet', '-q'];

/** The place of the verb; below 0 where there is none. Flags of the output may precede it: `pincer page --json list`. */
export function verbIndex(argv: readonly string[]): number {
  return argv.findIndex((arg) => !FORM_FLAGS.includes(arg));
}

/** Whether to print JSON: with `--json`, or without `--human` in a pipe. Works on unparsed arguments. */
export function wantsJson(argv: readonly string[], isTerminal: boolean): boolean {
  const flags = beforeDoubleDash(argv);
  return flags.includes('--json') || (!flags.includes('--human') && !isTerminal);
}

/** Whether errors and notices are JSON. Without a flag, standard error decides, since they go there. */
export function errorsAsJson(argv: readonly string[], output: { readonly errorIsTerminal: boolean }): boolean {
  return wantsJson(argv, output.errorIsTerminal);
}

function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
