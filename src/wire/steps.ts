/**
 * A compound command that runs without a shell: steps in order, each a pipeline with its redirections. Words are kept as they were
 * written, because file name patterns and `$?` have a value only when the step starts.
 */
import { type Infer, array, integer, literal, object, oneOf, record, string, union } from './schema.ts';

/** The parts of a word, after unquoting. */
export const wordPart = union(
  'kind',
  object({ kind: literal('text'), text: string() }),
  /** An unquoted `*`, `?` or `[…]`. */
  object({ kind: literal('glob'), text: string() }),
  /** `$?` */
  object({ kind: literal('status') }),
  /** `$PWD`; unquoted, a folder with blanks or pattern characters would become other words, so it is refused. */
  object({ kind: literal('folder') }, { unquoted: literal(true) }),
);
export type WordPart = Infer<typeof wordPart>;

export const stepWord = array(wordPart);
export type StepWord = Infer<typeof stepWord>;

const descriptor = integer({ min: 0, max: 2 });

/** One redirection; they apply from left to right. `&> f` is an output of 1 and a copy of it to 2. */
export const redirect = union(
  'kind',
  object({ kind: literal('output'), from: descriptor, append: oneOf(['yes', 'no']), file: stepWord }),
  object({ kind: literal('input'), file: stepWord }),
  /** A here-document or here-string. */
  object({ kind: literal('text'), text: string() }),
  /** `2>&1`: 2 becomes what 1 is. */
  object({ kind: literal('copy'), from: descriptor, to: descriptor }),
);
export type Redirect = Infer<typeof redirect>;

/** One command of a pipeline. */
export const stepCommand = object({
  words: array(stepWord),
  /** Variables in front of the command. */
  env: record(string()),
  redirects: array(redirect),
});
export type StepCommand = Infer<typeof stepCommand>;

export const step = object(
  {
    /** When it runs: always, after success, or after failure of the last step that ran. */
    when: oneOf(['always', 'ok', 'failed']),
    /** The characters of the command that it is. */
    start: integer(),
    end: integer(),
    does: union(
      'kind',
      /** `cd`: later steps run in another folder. */
      object({ kind: literal('folder'), to: stepWord }),
      /** `NAME=text`: its uses are already replaced, so there is nothing to do, with status 0. */
      object({ kind: literal('constant'), name: string(), value: string() }),
      object({ kind: literal('pipeline'), commands: array(stepCommand) }),
    ),
  },
  {
    /** `!` */
    negate: literal(true),
  },
);
export type Step = Infer<typeof step>;

/** Commands that are not started: they are done through the file boundary and the record of changes. */
export const VERBS = ['mkdir', 'touch', 'rm', 'rmdir', 'cp', 'mv', 'tee', 'chmod', 'sed', 'gofmt'] as const;
export const verb = oneOf(VERBS);
export type Verb = Infer<typeof verb>;
