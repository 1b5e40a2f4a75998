/** What is known to be good about a program: every option it may have, by exact name. What is not listed asks. */
import {
  type Infer,
  array,
  boolean,
  integer,
  literal,
  object,
  oneOf,
  partial,
  record,
  type Schema,
  string,
} from './schema.ts';

/** What a call does, from harmless to dangerous. */
export const CALL_CLASSES = ['read', 'workspace', 'git-local', 'project', 'network', 'system'] as const;
export const callClass = oneOf(CALL_CLASSES);
export type CallClass = Infer<typeof callClass>;

/**
 * How a program turns words into options. `getopt`: GNU, options anywhere before `--`, clusters, `--name=value`. `posix`: the same,
 * but options end at the first operand. `git`: as `getopt`, after a subcommand. `goflag`: `-x` and `--x` are equal, and options end
 * at the first operand. `words`: each option is one whole word, without clusters and `=` (`find`, `test`, `ps`). `plain`: each
 * argument is text.
 */
export const GRAMMARS = ['getopt', 'posix', 'git', 'goflag', 'words', 'plain'] as const;

/**
 * The kind of a value or operand: `text`; `num`; `in` (a file that is read); `wout` (a file that is written through the
 * boundary); `moved` (both); `rev` (a git revision or path); `archive` (`in` without a colon); `pattern` (text; as an operand it is absent where an
 * option of kind `pattern` or `patterns` gave it); `patterns` (a file of them); `sed`, `awk`, `jq` (a script that its own grammar
 * must accept, absent as an operand like `pattern`); `command` (a program with its arguments: the rest of the words, or in `words`
 * all up to `;` or `+`); `enum a b` (one of these words); `none` (no value may follow: `-i` of sed); `format` (text
 * that begins with `+`); `url` (an address that begins with `http://` or `https://`); `ref` (a name without
 * `:`, `+` or `..`); `list a b` (some of these words, with commas between them); `folder` (as `in`, and the paths of the other words
 * are relative to it); `module` (text, and all words after it are operands).
 */
const KIND = String.raw`(?:text|num|in|wout|moved|rev|archive|pattern|patterns|sed|awk|jq|command|none|format|url|ref|folder|module|(?:enum|list)(?: [^\s,]+)+)`;
/** Several kinds, separated by commas, are several words: `--arg` of jq is `text,text`. */
const valueKind = string({ max: 2048, pattern: new RegExp(`^${KIND}(?:,${KIND})*$`, 'u') });
/** At most one kind of a list ends with `*`: it may repeat, and the kinds after it are those of the last operands. */
const operandKind = string({ max: 2048, pattern: new RegExp(`^${KIND}\\*?$`, 'u') });

const members = {
  /** Exact names of options without a value. */
  flags: array(string()),
  /** Options with a value: the rest of a cluster, after `=`, or the next word. */
  valued: record(valueKind),
  /** Options with an optional value: after `=`, or for a short one the rest of its cluster. */
  optional: record(valueKind),
  /** Kinds in order. More operands than kinds ask. */
  operands: array(operandKind),
  /** The operands where one of these options is given. */
  operandsWith: record(array(operandKind)),
  /** The class where one of these options is given; the highest of several. */
  classWith: record(callClass),
  /** One of these options must be given. */
  requires: array(string()),
  /** Fewer operands ask. */
  minOperands: integer({ min: 0 }),
  /** `-5` means a count. */
  count: boolean(),
  /** The first word may be a cluster without a dash: `tar tf x`. */
  bundled: boolean(),
  /** Options with which it reads what links in folders point to. */
  follows: array(string()),
  /** It does so for every folder that it is given. */
  opensFolders: literal(true),
  /** No option of it runs a program, writes or loads: it may follow `xargs` and `find -exec`. */
  anyArguments: boolean(),
  /** One of its options reads a file of further names: behind `xargs`, names follow `--` or come from `find`. */
  filesFrom: literal(true),
  /** It prints only names that exist below the folders that it was given; with `listsWith`, only where one of these options is given. */
  lists: boolean(),
  listsWith: array(string()),
  /** With one of these options it prints other text, too, so it does not count as listing. */
  listsNotWith: array(string()),
  /** A word that begins with `@` names a file with further words: it asks. */
  responseFiles: literal(true),
  /** It takes no commands from keys. Absent: it gets no terminal. */
  terminal: literal('safe'),
  /** It takes no commands from its input. Absent, also for its program: behind a pipe it asks. */
  stdin: literal('data'),
  /** Further variables that a call may set for it. */
  env: array(string()),
  /** Options and variables that are added to each call. */
  forced: partial({ argv: array(string()), env: record(string()) }),
  /** Examples, which a test judges. */
  pass: array(string()),
  ask: array(string()),
};

const variant = object({}, { class: callClass, grammar: oneOf(GRAMMARS), ...members });

/**
 * One program. With `subcommands`, its first operand chooses one, or its first two: of `remote` and `remote show` the longer name
 * decides. Then `flags` and `valued` are those before it, and `requires` is about a call without a subcommand.
 */
export const profile = object(
  { grammar: oneOf(GRAMMARS), class: callClass },
  { ...members, subcommands: record(variant as Schema<Infer<typeof variant>>) },
);
export type Profile = Infer<typeof profile>;
export type SubcommandProfile = Infer<typeof variant>;
