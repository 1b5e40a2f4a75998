/** The words, flags and options of a command line. */
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../text/nearest-names.ts';

/** The flags and options of a command; anything else that begins with a dash is a usage error. */
export interface FlagShape {
  /** As it is typed: `call`. */
  readonly command: string;
  readonly flags: readonly string[];
  /** Flags with a value. */
  readonly options: readonly string[];
  /** Options whose value may be empty. For others an empty value is a variable that was not set. */
  readonly mayBeEmpty?: readonly string[];
  /** Short names of flags and options: `-f` for `--follow`. */
  readonly short?: Readonly<Record<string, string>>;
  /** What to type for help, where the command has none of its own. */
  readonly help?: string;
  /** Whether an argument with one dash is a word after these words: a negative number, for example. */
  isPositional?(arg: string, before: readonly string[]): boolean;
  /** What to do about an unknown option after these words, where help is not the best advice. */
  hintAfter?(before: readonly string[]): string | undefined;
}

/** What a command takes; anything else is a usage error. */
export interface CommandShape extends FlagShape {
  /** Names of the words; those in brackets may be left out, and a last one with `…` may be many. */
  readonly positionals: readonly string[];
}

/** The arguments of a command, read; names without their dashes. */
export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

/** Reads the arguments of a command, of which there are as many words as it takes. */
export function readArguments(shape: CommandShape, argv: readonly string[]): ParsedArguments {
  const args = splitArguments(shape, argv);
  const { positionals } = args;
  const missing = shape.positionals.slice(positionals.length).find((name) => !name.startsWith('['));
  if (missing !== undefined) throw usage(shape, `the argument <${missing.replace('…', '')}> is missing`);
  const tooMany = shape.positionals.at(-1)?.includes('…') === true ? undefined : positionals[shape.positionals.length];
  if (tooMany !== undefined) throw usage(shape, `unexpected argument ${JSON.stringify(tooMany)}`);
  return args;
}

/** Tells any number of words from flags and options. `--` ends these, so that a word behind it may begin with a dash. */
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

/** What is wrong with an option that a command does not take like this. */
export function unknownOption({ flags, options }: Pick<FlagShape, 'flags' | 'options'>, arg: string): string {
  const name = arg.split('=', 1)[0]!;
  if (flags.includes(name)) return `${name} takes no value`;
  return `unknown option ${arg}${didYouMean(name, [...flags, ...options])}`;
}

/** A wrong question to this command. */
export function usage({ command, help }: Pick<FlagShape, 'command' | 'help'>, message: string, hint?: string): Fault {
  const advice = hint ?? `see ${help ?? `pincer ${command} --help`}`;
  return new Fault('USAGE_ARGUMENTS', `${command}: ${message}`, { hint: advice });
}

/** Whether the arguments ask for help; behind `--` nothing does. */
export function asksForHelp(argv: readonly string[]): boolean {
  return beforeDoubleDash(argv).some((arg) => arg === '--help' || arg === '-h');
}

/** Whether the answer is JSON: when asked for, or when no person reads it. Good before the arguments are read, too. */
export function wantsJson(argv: readonly string[], isTerminal: boolean): boolean {
  const flags = beforeDoubleDash(argv);
  return flags.includes('--json') || (!flags.includes('--human') && !isTerminal);
}

/** Whether errors and notices are JSON: they go to standard error, so its reader decides where no flag does. */
export function errorsAsJson(argv: readonly string[], output: { readonly errorIsTerminal: boolean }): boolean {
  return wantsJson(argv, output.errorIsTerminal);
}

function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
