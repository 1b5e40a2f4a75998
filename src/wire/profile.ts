/** What is known to be good about a program: every option it may have, by exact name. What is not listed asks. */
import { type Infer, array, boolean, literal, object, oneOf, partial, record, type Schema, string } from './schema.ts';

/** What a call does, from harmless to dangerous. */
export const CALL_CLASSES = ['read', 'workspace', 'git-local', 'project', 'network', 'system'] as const;
export const callClass = oneOf(CALL_CLASSES);
export type CallClass = Infer<typeof callClass>;

/** How a program turns words into options. */
export const GRAMMARS = ['getopt', 'git', 'goflag', 'words', 'plain'] as const;

/**
 * The kind of a value or operand: `text`; `num`; `in` (a file that is read); `wout` (a file that is written through the
 * boundary); `rev` (a git revision or path); `archive` (`in` without a colon); `pattern` (text, unless an option gave it);
 * `sed`, `awk`, `jq` (a script that its own grammar must accept); `enum a b` (one of these words).
 */
const valueKind = string({ max: 256, pattern: /^(?:text|num|in|wout|rev|archive|pattern|sed|awk|jq|enum(?: \S+)+)$/u });
/** A kind that may repeat ends with `*`. */
const operandKind = string({
  max: 256,
  pattern: /^(?:text|num|in|wout|rev|archive|pattern|sed|awk|jq|command|enum(?: \S+)+)\*?$/u,
});

const members = {
  /** Exact names of options without a value. */
  flags: array(string()),
  /** Options with a value: the rest of a cluster, after `=`, or the next word. */
  valued: record(valueKind),
  /** Long options whose value is optional and follows `=`. */
  optional: record(valueKind),
  /** Kinds in order. More operands than kinds ask. */
  operands: array(operandKind),
  /** `-5` means a count. */
  count: boolean(),
  /** No option of it runs a program, writes or loads: it may follow `xargs` and `find -exec`. */
  anyArguments: boolean(),
  /** It takes no commands from keys. Absent: it gets no terminal. */
  terminal: literal('safe'),
  /** Its input is only data. Absent: its input is closed. */
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

/** One program. With `subcommands`, its first operand chooses one, and `flags` and `valued` are those before it. */
export const profile = object(
  { grammar: oneOf(GRAMMARS), class: callClass },
  { ...members, subcommands: record(variant as Schema<Infer<typeof variant>>) },
);
export type Profile = Infer<typeof profile>;
export type SubcommandProfile = Infer<typeof variant>;
