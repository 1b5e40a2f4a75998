import { Fault } from '../../../base/fault.ts';

/** The arguments of a verb, read. */
export interface PathArgs {
  readonly words: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly options: Readonly<Record<string, string | undefined>>;
}

const OUTPUT = ['--json', '--human'];
const TARGET = ['--cwd', '--file', '--kind'];

interface Shape {
  readonly flags: readonly string[];
  readonly options: readonly string[];
  readonly words: readonly string[];
  /** An option that takes the place of the words, and how many of them are still welcome beside it. */
  readonly replaced?: { readonly by: string; readonly most: number };
}

/** What each verb takes; anything else is a usage error. */
export const VERBS: Readonly<Record<string, Shape>> = {
  resolve: { flags: [...OUTPUT, '--raw'], options: TARGET, words: ['oc-path'] },
  find: { flags: [...OUTPUT, '--files'], options: TARGET, words: ['pattern'] },
  set: {
    flags: [...OUTPUT, '--dry-run', '--diff', '--value-json', '--create'],
    options: [...TARGET, '--batch'],
    words: ['oc-path', 'value'],
    replaced: { by: 'batch', most: 0 },
  },
  delete: { flags: [...OUTPUT, '--dry-run', '--diff'], options: TARGET, words: ['oc-path'] },
  validate: { flags: OUTPUT, options: TARGET, words: ['oc-path'] },
  emit: { flags: OUTPUT, options: TARGET, words: ['file'], replaced: { by: 'file', most: 1 } },
  ls: { flags: OUTPUT, options: [...TARGET, '--depth'], words: ['file'], replaced: { by: 'file', most: 1 } },
  watch: { flags: OUTPUT, options: TARGET, words: ['oc-path'] },
};

/** Reads the words and flags of a verb. `--` ends the flags, so a value may begin with a dash. */
export function readArgs(verb: string, argv: readonly string[]): PathArgs {
  const shape = VERBS[verb]!;
  const words: string[] = [];
  const flags = new Set<string>();
  const options: Record<string, string> = {};
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (arg === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (shape.options.includes(name)) {
      const value = equals < 0 ? argv[++i] : arg.slice(equals + 1);
      // An empty value is a variable that was not set; taking it for the working folder would write somewhere else.
      if (value === undefined || value === '') throw usage(verb, `${name} needs a value`);
      options[name.slice(2)] = value;
    } else if (shape.flags.includes(name) && equals < 0) flags.add(name.slice(2));
    // A lone word with a dash in the value's place is the value: `set oc://c.json/n -5`.
    else if (arg.startsWith('--') || (/^-./.test(arg) && !isValue(verb, words, arg)))
      throw usage(verb, `unknown option ${arg}`, hintFor(verb, words));
    else words.push(arg);
  }
  checkWords(verb, shape, words, flags, options);
  return { words, flags, options };
}

function isValue(verb: string, words: readonly string[], arg: string): boolean {
  return verb === 'set' && words.length === 1 && arg !== '-h';
}

function checkWords(
  verb: string,
  shape: Shape,
  words: readonly string[],
  flags: ReadonlySet<string>,
  options: Readonly<Record<string, string>>,
): void {
  const { replaced } = shape;
  const isReplaced = replaced !== undefined && options[replaced.by] !== undefined;
  const missing = shape.words[words.length];
  if (missing !== undefined && !isReplaced) throw usage(verb, `the argument <${missing}> is missing`);
  if (flags.has('files')) return; // the pattern and any number of files, which find tells apart
  const most = isReplaced ? replaced.most : shape.words.length;
  if (words.length > most) throw usage(verb, `unexpected argument ${JSON.stringify(words[most])}`);
}

/** Where the value should stand, an unknown option may be meant as the value. */
function hintFor(verb: string, words: readonly string[]): string {
  return verb === 'set' && words.length === 1 ? `a value that begins with -- stands behind a lone --; ${HELP}` : HELP;
}

const HELP = 'see pincer path --help';

function usage(verb: string, message: string, hint = HELP): Fault {
  return new Fault('USAGE_ARGUMENTS', `path ${verb}: ${message}`, { hint });
}
