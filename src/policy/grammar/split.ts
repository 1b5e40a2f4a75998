/** Splits the arguments of a call into options with their values, and operands, as its program does. */
import type { Compiled } from './compiled.ts';

/** A value of an option, or an operand. `word` is its index in argv. */
export interface Value {
  readonly kind: string;
  readonly text: string;
  readonly word: number;
  /** The option that it belongs to. */
  readonly option?: string;
}

/** The program and arguments in the value of an option: `-exec` of find. */
export interface CarriedWords {
  readonly word: number;
  readonly words: readonly string[];
}

export interface Split {
  /** Names as the profile writes them. */
  readonly options: ReadonlySet<string>;
  readonly values: readonly Value[];
  readonly operands: readonly { readonly text: string; readonly word: number }[];
  readonly carried: readonly CarriedWords[];
}

export interface Refused {
  readonly word: number;
  readonly reason: string;
  /** The word is code that its grammar does not accept. */
  readonly isCode?: true;
  /** The profile does not have this subcommand. */
  readonly isSubcommand?: true;
}

/** `first` is the index in argv of the first argument. */
export function split(args: readonly string[], first: number, compiled: Compiled): Split | Refused {
  const reader = new Reader(args, first, compiled);
  return reader.read();
}

class Reader {
  readonly #args: readonly string[];
  readonly #first: number;
  readonly #compiled: Compiled;
  readonly #options = new Set<string>();
  readonly #values: Value[] = [];
  readonly #operands: { text: string; word: number }[] = [];
  readonly #carried: CarriedWords[] = [];
  #at = 0;
  /** All further words are operands. */
  #hasEnded = false;

  constructor(args: readonly string[], first: number, compiled: Compiled) {
    this.#args = args;
    this.#first = first;
    this.#compiled = compiled;
  }

  read(): Split | Refused {
    const { grammar, stopsAtOperand, data } = this.#compiled;
    const response = data.responseFiles === true ? this.#args.findIndex((word) => word.startsWith('@')) : -1;
    if (response >= 0) return this.#refuse(response, `${this.#args[response]} names a file with further words`);
    if (data.bundled === true && this.#args[0]?.startsWith('-') === false) {
      const refused = this.#bundle(this.#args[0]);
      if (refused !== undefined) return refused;
    }
    this.#hasEnded = grammar === 'plain';
    for (; this.#at < this.#args.length; this.#at++) {
      const arg = this.#args[this.#at]!;
      if (this.#hasEnded) this.#operand(arg);
      else if (grammar === 'words') {
        const refused = this.#word(arg);
        if (refused !== undefined) return refused;
      } else if (arg === '--') this.#hasEnded = true;
      else if (arg === '-' || !arg.startsWith('-')) {
        this.#operand(arg);
        if (stopsAtOperand) this.#hasEnded = true;
        else if (grammar === 'goflag') {
          const late = this.#args.findIndex((word, i) => i > this.#at && word.length > 1 && word.startsWith('-'));
          if (late >= 0) return this.#refuse(late, `${this.#args[late]} follows an operand, where it is no option`);
          this.#hasEnded = true;
        }
      } else {
        const refused =
          grammar === 'goflag' ? this.#goFlag(arg) : arg.startsWith('--') ? this.#long(arg) : this.#cluster(arg);
        if (refused !== undefined) return refused;
      }
    }
    return { options: this.#options, values: this.#values, operands: this.#operands, carried: this.#carried };
  }

  #refuse(at: number, reason: string): Refused {
    return { word: this.#first + Math.min(at, this.#args.length - 1), reason };
  }

  #unlisted(option: string): Refused {
    return this.#refuse(this.#at, `the option ${option} is not known to be harmless, or is abbreviated`);
  }

  #operand(text: string): void {
    this.#operands.push({ text, word: this.#first + this.#at });
  }

  #value(option: string, kind: string, text: string): void {
    this.#values.push({ kind, text, word: this.#first + this.#at, option });
    if (kind === 'module') this.#hasEnded = true;
  }

  /** The next words are the values. */
  #following(option: string, kinds: readonly string[]): Refused | undefined {
    for (const kind of kinds) {
      if (kind === 'command') return this.#command(option);
      const text = this.#args[this.#at + 1];
      if (text === undefined) return this.#refuse(this.#at, `the option ${option} has no value`);
      // Git has options whose value may be missing in one version and not in another.
      if (this.#compiled.grammar === 'git' && text.startsWith('--'))
        return this.#refuse(this.#at + 1, `${text} may be an option`);
      this.#at++;
      this.#value(option, kind, text);
    }
    return undefined;
  }

  /** Up to `;`, or to `+` behind `{}`. */
  #command(option: string): Refused | undefined {
    const from = this.#at + 1;
    const end = this.#args.findIndex(
      (word, i) => i >= from && (word === ';' || (word === '+' && this.#args[i - 1] === '{}')),
    );
    if (end <= from) return this.#refuse(this.#at, `the command of ${option} has no end`);
    this.#carried.push({ word: this.#first + from, words: this.#args.slice(from, end) });
    this.#at = end;
    return undefined;
  }

  #long(arg: string): Refused | undefined {
    const { flags, valued, optional } = this.#compiled;
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const kinds = valued.get(name);
    const kind = optional.get(name);
    this.#options.add(name);
    if (equals < 0) {
      if (flags.has(name) || kind !== undefined) return undefined;
      return kinds === undefined ? this.#unlisted(name) : this.#following(name, kinds);
    }
    const only = kinds?.length === 1 ? kinds[0] : kind;
    if (only === undefined || only === 'command') return this.#unlisted(arg);
    this.#value(name, only, arg.slice(equals + 1));
    return undefined;
  }

  #cluster(arg: string): Refused | undefined {
    const { flags, valued, optional, data } = this.#compiled;
    if (data.count === true && /^-\d+$/.test(arg)) return undefined;
    if (arg.length > 2 && (flags.has(arg) || valued.has(arg))) {
      this.#options.add(arg);
      return flags.has(arg) ? undefined : this.#following(arg, valued.get(arg)!);
    }
    for (let i = 1; i < arg.length; i++) {
      const name = `-${arg[i]}`;
      const rest = arg.slice(i + 1);
      const kinds = valued.get(name);
      const kind = optional.get(name);
      this.#options.add(name);
      if (kinds !== undefined) {
        if (rest === '') return this.#following(name, kinds);
        if (kinds.length > 1 || kinds[0] === 'command') return this.#unlisted(arg);
        this.#value(name, kinds[0]!, rest);
        return undefined;
      }
      if (kind !== undefined && rest !== '') {
        this.#value(name, kind, rest);
        return undefined;
      }
      if (kind === undefined && !flags.has(name)) return this.#unlisted(arg.length === 2 ? arg : `${name} in ${arg}`);
    }
    return undefined;
  }

  #goFlag(arg: string): Refused | undefined {
    const { flags, valued, optional } = this.#compiled;
    const equals = arg.indexOf('=');
    const name = `-${(equals < 0 ? arg : arg.slice(0, equals)).replace(/^--?/, '')}`;
    this.#options.add(name);
    const kinds = valued.get(name);
    if (equals < 0) {
      if (flags.has(name)) return undefined;
      return kinds === undefined ? this.#unlisted(arg) : this.#following(name, kinds);
    }
    const kind = kinds?.length === 1 ? kinds[0] : optional.get(name);
    if (kind === undefined) return this.#unlisted(arg);
    this.#value(name, kind, arg.slice(equals + 1));
    return undefined;
  }

  #word(arg: string): Refused | undefined {
    const { flags, valued } = this.#compiled;
    const kinds = valued.get(arg);
    if (kinds === undefined && !flags.has(arg)) {
      if (arg.length > 1 && arg.startsWith('-')) return this.#unlisted(arg);
      this.#operand(arg);
      return undefined;
    }
    this.#options.add(arg);
    return kinds === undefined ? undefined : this.#following(arg, kinds);
  }

  /** `tf x`: the letters first, then their values in order. */
  #bundle(letters: string): Refused | undefined {
    const { flags, valued } = this.#compiled;
    for (const letter of letters) {
      const name = `-${letter}`;
      const kinds = valued.get(name);
      if (kinds === undefined && !flags.has(name)) return this.#unlisted(letters);
      this.#options.add(name);
      const refused = kinds === undefined ? undefined : this.#following(name, kinds);
      if (refused !== undefined) return refused;
    }
    this.#at++;
    return undefined;
  }
}
