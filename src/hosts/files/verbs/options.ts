/** Reads the arguments of a verb: short options in clusters, long ones by their full names, operands anywhere. */

export interface OptionTable {
  /** Options without a value, by letter. */
  readonly flags: string;
  /** Options with a value, by letter. */
  readonly valued?: string;
  /** Full long names, with the letter that means the same. */
  readonly long?: Readonly<Record<string, string>>;
}

export interface Arguments {
  has(letter: string): boolean;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}

/** Why the arguments are invalid, as the program says it. */
export interface UsageProblem {
  readonly usage: string;
}

export function readArguments(args: readonly string[], table: OptionTable): Arguments | UsageProblem {
  const { flags, valued = '', long = {} } = table;
  const found = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === '--') {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (arg === '-' || !arg.startsWith('-')) {
      operands.push(arg);
      continue;
    }
    if (arg.startsWith('--')) {
      const [name, value] = splitOnce(arg.slice(2));
      const letter = long[name];
      if (letter === undefined) return { usage: `unrecognized option '${arg}'` };
      if (!valued.includes(letter)) found.add(letter);
      else if (value !== undefined) values.set(letter, value);
      else if (++i < args.length) values.set(letter, args[i]!);
      else return { usage: `option '--${name}' requires an argument` };
      continue;
    }
    for (let at = 1; at < arg.length; at++) {
      const letter = arg[at]!;
      if (flags.includes(letter)) found.add(letter);
      else if (!valued.includes(letter)) return { usage: `invalid option -- '${letter}'` };
      else {
        const value = at + 1 < arg.length ? arg.slice(at + 1) : args[++i];
        if (value === undefined) return { usage: `option requires an argument -- '${letter}'` };
        values.set(letter, value);
        break;
      }
    }
  }
  return { has: (letter) => found.has(letter), values, operands };
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
