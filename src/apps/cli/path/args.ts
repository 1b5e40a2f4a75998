import { type ParsedArguments, type FlagShape, splitArguments, usage } from '../arguments.ts';

const OUTPUT = ['--json', '--human', '--quiet'];
const TARGET = ['--cwd', '--file', '--kind'];
/** These verbs also work on the files of a node. */
const PLACED = [...TARGET, '--node'];

interface VerbShape {
  readonly flags: readonly string[];
  readonly options: readonly string[];
  readonly positionals: readonly string[];
  /** An option that replaces the positionals, and how many are still accepted with it. */
  readonly replaced?: { readonly by: string; readonly most: number };
}

export const VERBS: Readonly<Record<string, VerbShape>> = {
  resolve: { flags: [...OUTPUT, '--raw'], options: PLACED, positionals: ['oc-path'] },
  find: { flags: [...OUTPUT, '--files'], options: PLACED, positionals: ['pattern'] },
  set: {
    flags: [...OUTPUT, '--dry-run', '--diff', '--value-json', '--create'],
    options: [...PLACED, '--batch'],
    positionals: ['oc-path', 'value'],
    replaced: { by: 'batch', most: 0 },
  },
  delete: { flags: [...OUTPUT, '--dry-run', '--diff'], options: PLACED, positionals: ['oc-path'] },
  validate: { flags: OUTPUT, options: TARGET, positionals: ['oc-path'] },
  emit: { flags: OUTPUT, options: TARGET, positionals: ['file'], replaced: { by: 'file', most: 1 } },
  ls: { flags: OUTPUT, options: [...TARGET, '--depth'], positionals: ['file'], replaced: { by: 'file', most: 1 } },
  watch: { flags: OUTPUT, options: TARGET, positionals: ['oc-path'] },
};

/** Parses the arguments of a verb. */
export function readArgs(verb: string, argv: readonly string[]): ParsedArguments {
  const { flags, options, ...shape } = VERBS[verb]!;
  const command: FlagShape = {
    command: `path ${verb}`,
    flags,
    options,
    help: HELP,
    short: { '-q': '--quiet' },
    ...(verb === 'set' ? DASHED_VALUE : {}),
  };
  const args = splitArguments(command, argv);
  checkPositionals(command, shape, args);
  return args;
}

const HELP = 'pincer path --help';

/** An argument with one dash at the position of the value is the value: `set oc://c.json/n -5`. */
const DASHED_VALUE: Pick<FlagShape, 'isPositional' | 'hintAfter'> = {
  isPositional: (arg, before) => before.length === 1 && arg !== '-h',
  hintAfter: (before) => (before.length === 1 ? `put -- before a value that starts with --; see ${HELP}` : undefined),
};

function checkPositionals(
  command: FlagShape,
  shape: Pick<VerbShape, 'positionals' | 'replaced'>,
  { positionals, flags, options }: ParsedArguments,
): void {
  const { replaced } = shape;
  const isReplaced = replaced !== undefined && options[replaced.by] !== undefined;
  const missing = shape.positionals[positionals.length];
  if (missing !== undefined && !isReplaced) throw usage(command, `the argument <${missing}> is missing`);
  if (flags.has('files')) return; // any number of globs and the pattern, which find separates
  const most = isReplaced ? replaced.most : shape.positionals.length;
  if (positionals.length > most) throw usage(command, `unexpected argument ${JSON.stringify(positionals[most])}`);
}
