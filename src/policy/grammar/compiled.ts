/** Profiles prepared for matching, once per profile and only when a call needs it. */
import { CALL_CLASSES, type CallClass, type Profile, type SubcommandProfile } from '../../wire/profile.ts';

export type Grammar = Profile['grammar'];

/** What one program, or one subcommand, may have. */
export interface Compiled {
  readonly grammar: Grammar;
  readonly class: CallClass;
  readonly flags: ReadonlySet<string>;
  /** Kinds of the values that follow, one per word. */
  readonly valued: ReadonlyMap<string, readonly string[]>;
  readonly optional: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  /** Options end at the first operand. */
  readonly stopsAtOperand: boolean;
  readonly data: SubcommandProfile;
}

const programs = new WeakMap<Profile, Compiled>();
const subcommands = new WeakMap<SubcommandProfile, Compiled>();

export function compiled(profile: Profile): Compiled {
  let found = programs.get(profile);
  if (found === undefined) programs.set(profile, (found = compile(profile, profile)));
  return found;
}

/** A subcommand has the grammar and class of its program, unless it has its own. */
export function compiledSubcommand(profile: Profile, name: string): Compiled | undefined {
  if (profile.subcommands === undefined || !Object.hasOwn(profile.subcommands, name)) return undefined;
  const data = profile.subcommands[name]!;
  let found = subcommands.get(data);
  if (found === undefined) subcommands.set(data, (found = compile(data, profile)));
  return found;
}

function compile(data: SubcommandProfile, program: Profile): Compiled {
  const { flags = [], valued = {}, optional = {}, operands = [] } = data;
  const grammar = data.grammar ?? program.grammar;
  const hasSubcommands = data === program && program.subcommands !== undefined;
  return {
    grammar,
    class: data.class ?? program.class,
    flags: new Set(flags),
    valued: new Map(Object.entries(valued).map(([name, kinds]) => [name, kinds.split(',')])),
    optional: new Map(Object.entries(optional)),
    operands,
    stopsAtOperand: grammar === 'posix' || hasSubcommands || operands.includes('command'),
    data,
  };
}

/** The highest class of the given options that choose one, or else the usual class. */
export function classOf({ class: usual, data }: Compiled, options: ReadonlySet<string>): CallClass {
  const chosen = Object.entries(data.classWith ?? {}).flatMap(([option, one]) => (options.has(option) ? [one] : []));
  return chosen.length === 0 ? usual : highest(chosen);
}

export function highest(classes: readonly CallClass[]): CallClass {
  return CALL_CLASSES[Math.max(0, ...classes.map((one) => CALL_CLASSES.indexOf(one)))]!;
}
