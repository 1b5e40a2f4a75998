/** Whether the profile of a program accepts a call, and what the call then does. Whatever the profile does not list is refused. */
import type { CallClass, Profile, SubcommandProfile } from '../../wire/profile.ts';
import { type Compiled, classOf, compiled, compiledSubcommand } from './compiled.ts';
import { type Problem, problemOfValue } from './kinds.ts';
import { type CarriedWords, type Refused, type Split, split, type Value } from './split.ts';

/** A file that the call names. */
export interface FileUse {
  /** `folder`: the paths of other words are relative to it. */
  readonly use: 'in' | 'wout' | 'rev' | 'folder';
  readonly path: string;
  /** Its index in argv. */
  readonly word: number;
}

export interface AcceptedCall {
  readonly class: CallClass;
  readonly files: readonly FileUse[];
  /** Names of options as the profile writes them. */
  readonly options: ReadonlySet<string>;
  readonly values: readonly Value[];
  /** The kind of each word that is a value or an operand, by its index in argv. */
  readonly kinds: ReadonlyMap<number, string>;
  /** Programs that it starts, with their arguments. */
  readonly carried: readonly CarriedWords[];
  /** It, or a program that it starts for files that it finds, reads what links in folders point to. */
  readonly follows: boolean;
  /** It prints only names below the folders that it was given. */
  readonly lists: boolean;
  readonly profile: SubcommandProfile;
}

export type CallMatch = AcceptedCall | { readonly refused: Refused };

/** Kinds that are absent as operands where an option gave one. */
const GIVEN_BY: Readonly<Record<string, readonly string[]>> = {
  pattern: ['pattern', 'patterns'],
  sed: ['sed'],
  awk: ['awk'],
  jq: ['jq'],
};

/** Matches the arguments of a program. `first` is the index in argv of the first one. */
export function matchCall(profile: Profile, args: readonly string[], first = 1): CallMatch {
  const program = compiled(profile);
  if (isInformation(profile, args)) return { ...NOTHING, profile };
  if (profile.subcommands === undefined) return matchWords(program, args, first);
  const before = split(args, first, program);
  if ('reason' in before) return { refused: before };
  const [subcommand] = before.operands;
  if (subcommand === undefined)
    return profile.requires === undefined
      ? {
          refused: {
            word: first - 1,
            reason: 'without a subcommand it is not known to be harmless',
            isSubcommand: true,
          },
        }
      : matchWords(program, args, first);
  const problem = valuesProblem(before.values);
  if (problem !== undefined) return { refused: problem };
  const after = matchSubcommand(profile, args.slice(subcommand.word - first), subcommand.word);
  return 'refused' in after ? after : { ...after, files: [...before.values.flatMap(fileOf), ...after.files] };
}

/** A program that reads prints its version or its options, whatever else it could do. */
function isInformation({ class: usual, grammar }: Profile, args: readonly string[]): boolean {
  return (
    usual === 'read' && grammar !== 'plain' && args.length === 1 && (args[0] === '--version' || args[0] === '--help')
  );
}

const NOTHING = {
  class: 'read',
  files: [],
  options: new Set<string>(),
  values: [],
  kinds: new Map<number, string>(),
  carried: [],
  follows: false,
  lists: false,
} as const;

/** Matches a subcommand with its arguments. Of `remote` and `remote show`, the longer name decides. */
export function matchSubcommand(profile: Profile, words: readonly string[], first: number): CallMatch {
  const [name = '', next] = words;
  const longer = next === undefined ? undefined : compiledSubcommand(profile, `${name} ${next}`);
  if (longer !== undefined) return matchWords(longer, words.slice(2), first + 2);
  const found = compiledSubcommand(profile, name);
  if (found === undefined)
    return {
      refused: { word: first, reason: `${JSON.stringify(name)} is not known to be harmless`, isSubcommand: true },
    };
  return matchWords(found, words.slice(1), first + 1);
}

function matchWords(call: Compiled, args: readonly string[], first: number): CallMatch {
  const words = split(args, first, call);
  if ('reason' in words) return { refused: words };
  const { options, values, operands, carried } = words;
  const { data } = call;
  const kinds = operandKinds(call, options, values);
  if (kinds === undefined) return { refused: { word: first - 1, reason: 'its options contradict each other' } };
  const placed = place(operands, kinds);
  if ('reason' in placed) return { refused: placed };
  if (operands.length < (data.minOperands ?? (kinds.includes('command') ? 1 : 0)))
    return { refused: { word: first - 1, reason: 'without further words it does something else' } };
  if (data.requires?.some((option) => options.has(option)) === false)
    return { refused: { word: first - 1, reason: `it needs one of ${data.requires.join(', ')}` } };
  const all = [...values, ...placed.values];
  const problem = valuesProblem(all);
  if (problem !== undefined) return { refused: problem };
  return {
    class: classOf(call, options),
    files: all.flatMap(fileOf),
    options,
    values: all,
    kinds: new Map(all.map(({ word, kind }) => [word, kind])),
    carried: [...carried, ...placed.carried],
    follows:
      data.opensFolders === true ||
      data.follows?.some((option) => options.has(option)) === true ||
      (carried.length > 0 && !isOnlyFiles(words)),
    lists:
      (data.lists === true || data.listsWith?.some((option) => options.has(option)) === true) &&
      data.listsNotWith?.some((option) => options.has(option)) !== true,
    profile: data,
  };
}

/** Operators with which `-type f` does not decide about all files, and options with which it is about what links point to. */
const LOOSENING = ['!', '-not', '-o', '-or', ',', '(', '-L', '-H'];

/** Whether find starts its programs for regular files only: `-type f` comes before them, and nothing else decides. */
function isOnlyFiles({ options, values, carried }: Split): boolean {
  const type = values.find(({ option, text }) => option === '-type' && text === 'f');
  return (
    type !== undefined && carried.every(({ word }) => word > type.word) && !LOOSENING.some((name) => options.has(name))
  );
}

/** The kinds of operands; undefined where two options ask for different ones. */
function operandKinds(
  { operands, data }: Compiled,
  options: ReadonlySet<string>,
  values: readonly Value[],
): readonly string[] | undefined {
  const chosen = Object.entries(data.operandsWith ?? {}).flatMap(([option, kinds]) =>
    options.has(option) ? [kinds] : [],
  );
  if (chosen.some((kinds) => kinds.join(',') !== chosen[0]!.join(','))) return undefined;
  const given = new Set(values.map(({ kind }) => kind));
  return (chosen[0] ?? operands).filter((kind) => GIVEN_BY[kind]?.some((one) => given.has(one)) !== true);
}

/** Gives each operand its kind. The kind with `*` takes what the others leave. */
function place(
  operands: readonly { readonly text: string; readonly word: number }[],
  kinds: readonly string[],
): { readonly values: readonly Value[]; readonly carried: readonly CarriedWords[] } | Refused {
  const many = kinds.findIndex((kind) => kind.endsWith('*'));
  const command = kinds.indexOf('command');
  const values: Value[] = [];
  for (const [i, { text, word }] of operands.entries()) {
    if (i === command) return { values, carried: [{ word, words: operands.slice(i).map((operand) => operand.text) }] };
    const fromEnd = kinds.length - (operands.length - i);
    const at = many < 0 || i < many ? i : Math.max(many, fromEnd);
    const kind = kinds[at];
    if (kind === undefined)
      return { word, reason: `the operand ${JSON.stringify(text)} is one more than is known to be harmless` };
    values.push({ kind: kind.endsWith('*') ? kind.slice(0, -1) : kind, text, word });
  }
  return { values, carried: [] };
}

function valuesProblem(values: readonly Value[]): Refused | undefined {
  for (const value of values) {
    const problem: Problem | undefined = problemOfValue(value.kind, value.text);
    if (problem !== undefined)
      return {
        word: value.word,
        reason: `${value.option === undefined ? '' : `${value.option}: `}${problem.reason}`,
        ...(problem.isCode === true ? { isCode: true } : {}),
      };
  }
  return undefined;
}

/** `-` is the input or output of the call. */
function fileOf({ kind, text, word }: Value): readonly FileUse[] {
  if (text === '-') return [];
  if (kind === 'in' || kind === 'patterns' || kind === 'archive') return [{ use: 'in', path: text, word }];
  if (kind === 'moved')
    return [
      { use: 'in', path: text, word },
      { use: 'wout', path: text, word },
    ];
  return kind === 'wout' || kind === 'rev' || kind === 'folder' ? [{ use: kind, path: text, word }] : [];
}
