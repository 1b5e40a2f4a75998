/** Transparent wrappers: the command they run is in their arguments and is judged too. Unknown options are never guessed. */

export type Unwrapped =
  | {
      readonly inner: number;
      /** The inner program runs without variables that it would otherwise have. */
      readonly removesVariables?: true;
    }
  /** The wrapper runs nothing. */
  | { readonly runsNothing: true }
  | { readonly refused: number; readonly why: string };

interface WrapperShape {
  readonly flags: readonly string[];
  /** Options with a value; for short ones also in the same argument. */
  readonly values: readonly string[];
  /** Operands before the inner command. */
  readonly operands: readonly RegExp[];
}

const SIGNAL = /^(?:\d{1,2}|(?:SIG)?[A-Z][A-Z0-9+-]{1,9})$/;
const DURATION = /^(?:\d+(?:\.\d*)?|\.\d+)[smhd]?$/;
const SHAPES: Readonly<Record<string, WrapperShape>> = {
  env: { flags: ['-i', '--ignore-environment', '-v', '--debug'], values: ['-u', '--unset'], operands: [] },
  nice: { flags: [], values: ['-n', '--adjustment'], operands: [] },
  nohup: { flags: [], values: [], operands: [] },
  timeout: {
    flags: ['--preserve-status', '--foreground', '-v', '--verbose'],
    values: ['-k', '--kill-after', '-s', '--signal'],
    operands: [DURATION],
  },
  stdbuf: { flags: [], values: ['-i', '--input', '-o', '--output', '-e', '--error'], operands: [] },
};

export const WRAPPERS: ReadonlySet<string> = new Set(Object.keys(SHAPES));

/** The index where the inner command starts in the arguments of a wrapper. */
export function unwrap(name: string, args: readonly string[]): Unwrapped {
  const shape = SHAPES[name]!;
  const { flags, values, operands } = shape;
  let at = 0;
  let removesVariables = false;
  for (; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') {
      at++;
      break;
    }
    if (!arg.startsWith('-')) break;
    if (arg === '-' || (name === 'env' && /^(?:-S|-[a-z]*S|--split|-s$)/.test(arg)))
      return { refused: at, why: `${arg} of ${name} builds another command from its value` };
    if (name === 'env' && /^(?:-i|-u|--ignore|--unset)/.test(arg)) removesVariables = true;
    if (flags.includes(arg)) continue;
    if (args.length === 1 && (arg === '--version' || arg === '--help')) return { runsNothing: true };
    if (name === 'nice' && /^-{1,2}\d{1,2}$/.test(arg)) continue;
    const value = valueOf(arg, args[at + 1], values);
    if (value === undefined) return { refused: at, why: `the option ${arg} of ${name} is not supported here` };
    if (!isPlainValue(name, arg, value.text))
      return { refused: at, why: `${name} does not accept the value ${JSON.stringify(value.text)} here` };
    at += value.words;
  }
  if (name === 'env' && args[at]?.includes('=') === true)
    return { refused: at, why: 'env sets a variable for what it runs; give variables with the parameter env' };
  for (const operand of operands) {
    if (args[at] === undefined) return { runsNothing: true };
    if (!operand.test(args[at]!)) return { refused: at, why: `${name} cannot have ${JSON.stringify(args[at])} here` };
    at++;
  }
  if (at >= args.length) return { runsNothing: true };
  return removesVariables ? { inner: at, removesVariables } : { inner: at };
}

function valueOf(
  arg: string,
  next: string | undefined,
  values: readonly string[],
): { text: string; words: number } | undefined {
  if (values.includes(arg)) return next === undefined ? undefined : { text: next, words: 1 };
  const equals = arg.indexOf('=');
  if (arg.startsWith('--'))
    return equals > 0 && values.includes(arg.slice(0, equals)) ? { text: arg.slice(equals + 1), words: 0 } : undefined;
  return values.includes(arg.slice(0, 2)) ? { text: arg.slice(2), words: 0 } : undefined;
}

function isPlainValue(name: string, arg: string, value: string): boolean {
  if (name === 'env') return /^[A-Za-z_][A-Za-z0-9_]*$/.test(value);
  if (name === 'nice') return /^-?\d{1,2}$/.test(value);
  if (name === 'stdbuf') return /^(?:L|0|\d{1,9}[kKMG]?B?)$/.test(value);
  return /^(?:-s|--signal)/.test(arg) ? SIGNAL.test(value) : DURATION.test(value);
}
