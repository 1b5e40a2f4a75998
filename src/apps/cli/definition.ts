/** Definition of a command: the single source of its help, argument parsing, shell completions and manual page. */
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../text/nearest-names.ts';
import { type CommandShape, usage } from './arguments.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** What a shell completes an argument or a value with, if that is not a fixed list. */
export type Completion = 'file' | 'folder' | 'command' | 'session' | 'approval';

export interface FlagDefinition {
  /** With its dashes: `--workspace`. */
  readonly name: `--${string}`;
  /** With one dash: `-f`. */
  readonly short?: `-${string}`;
  /** Placeholder of its value: `<dir>`. Absent for a flag without a value. */
  readonly value?: `<${string}>`;
  /** One line for help and manual. Neighbouring flags with equal summaries share one line. */
  readonly summary: string;
  /** Possible values, for completion. */
  readonly values?: readonly string[];
  readonly completes?: Completion;
  readonly mayBeEmpty?: true;
  /** Verbs that accept it (default: all). */
  readonly verbs?: readonly string[];
  /** Accepted, but not in the help: an old name, or one that only programs use. */
  readonly hidden?: true;
}

const FORM = 'print JSON or text (default: text on a terminal, JSON in a pipe)';

export const FORM_FLAGS: readonly FlagDefinition[] = [
  { name: '--json', summary: FORM },
  { name: '--human', summary: FORM },
];

export const RAW_FLAG: FlagDefinition = {
  name: '--raw',
  summary: 'do not filter escape sequences when the output is a terminal',
};

export const DRY_RUN_FLAG: FlagDefinition = {
  name: '--dry-run',
  summary: 'show what would change, without writing',
};

export const QUIET_FLAG: FlagDefinition = {
  name: '--quiet',
  short: '-q',
  summary: 'print only results and errors, no notices',
};

/** One line under "Usage" in the help. */
export interface UsageDefinition {
  /** Without `pincer`: `config get <path>`. */
  readonly line: string;
  readonly summary: string;
}

export interface VerbDefinition {
  /** May consist of several words: `allowlist add`. */
  readonly name: string;
  /** Arguments after the verb. */
  readonly positionals?: readonly string[];
  readonly completes?: Completion | readonly string[];
}

export interface CommandDefinition {
  readonly name: string;
  /** For the list of all commands: imperative, lower case, no full stop. */
  readonly summary: string;
  /** First line of its help (default: `summary`). */
  readonly title?: string;
  readonly usage: readonly UsageDefinition[];
  /** Command lines without `pincer`. A test parses each of them. */
  readonly examples: readonly string[];
  /** Names of its arguments: optional ones in brackets, a repeated last one with `…`; undefined accepts any number. */
  readonly positionals?: readonly string[];
  readonly completes?: Completion | readonly string[];
  /** Possible first arguments: `get`, `set`. */
  readonly verbs?: readonly (string | VerbDefinition)[];
  readonly flags: readonly FlagDefinition[];
  /** Paragraphs after the flags. One with line breaks is printed unchanged. */
  readonly notes?: readonly string[];
  /** Exit codes and their meanings, separated by `; `. */
  readonly exit?: string;
  readonly hidden?: true;
}

/** What the parser accepts for a command, or after one of its verbs. */
export function shapeOf(definition: CommandDefinition, verb?: string): CommandShape {
  const flags = withQuiet(flagsOf(definition, verb));
  const words = verb === undefined ? definition.positionals : verbOf(definition, verb).positionals;
  return {
    command: verb === undefined ? definition.name : `${definition.name} ${verb}`,
    positionals: words ?? ['[argument…]'],
    flags: flags.flatMap(({ name, value }) => (value === undefined ? [name] : [])),
    options: flags.flatMap(({ name, value }) => (value === undefined ? [] : [name])),
    mayBeEmpty: flags.flatMap(({ name, mayBeEmpty }) => (mayBeEmpty === true ? [name] : [])),
    short: Object.fromEntries(flags.flatMap(({ name, short }) => (short === undefined ? [] : [[short, name]]))),
    help: `pincer ${definition.name} --help`,
  };
}

/** Every command accepts `--quiet`, because scripts pass it to all of them. */
function withQuiet(flags: readonly FlagDefinition[]): readonly FlagDefinition[] {
  return flags.some(({ name }) => name === QUIET_FLAG.name) ? flags : [...flags, QUIET_FLAG];
}

export function flagsOf({ flags }: CommandDefinition, verb?: string): readonly FlagDefinition[] {
  return verb === undefined ? flags : flags.filter(({ verbs }) => verbs === undefined || verbs.includes(verb));
}

export function verbsOf({ verbs = [] }: CommandDefinition): readonly VerbDefinition[] {
  return verbs.map((verb) => (typeof verb === 'string' ? { name: verb } : verb));
}

function verbOf(definition: CommandDefinition, name: string): VerbDefinition {
  return verbsOf(definition).find((verb) => verb.name === name) ?? { name };
}

export function unknownVerb(definition: CommandDefinition, verb: string): Fault {
  const names = [...new Set(verbsOf(definition).map(({ name }) => name.split(' ', 1)[0]!))];
  const message = `unknown verb ${JSON.stringify(verb)}${didYouMean(verb, names)}`;
  const hint = `verbs: ${names.join(', ')}; see pincer ${definition.name} --help`;
  return usage({ command: definition.name }, message, hint);
}

/** Width of the help where the terminal width is unknown, and at most. */
const DEFAULT_WIDTH = 100;
const LONGEST_USAGE = 46;
const LONGEST_LABEL = 24;

export function helpOf(definition: CommandDefinition, width = terminalWidth()): string {
  const { name, summary, title = summary, usage, examples, notes = [], exit } = definition;
  const flags = flagRows(definition);
  const usages = usage.map((one) => ({ label: `pincer ${one.line}`, text: one.summary }));
  const parts = [
    `pincer ${name}: ${title}\n`,
    `Usage\n${helpRows(usages, LONGEST_USAGE, width)}`,
    ...(flags.length === 0 ? [] : [`Options\n${helpRows(flags, LONGEST_LABEL, width)}`]),
    ...notes.map((note) => paragraph(note, width)),
    `Examples\n${examples.map((line) => `  pincer ${line}\n`).join('')}`,
    ...(exit === undefined ? [] : [`Exit codes\n${helpRows(exitRows(exit), LONGEST_LABEL, width)}`]),
  ];
  return parts.join('\n');
}

export interface HelpRow {
  readonly label: string;
  readonly text: string;
}

/** The flags as rows. Neighbours with equal texts share a row; flags of some verbs name the verbs. */
export function flagRows({ flags }: CommandDefinition): readonly HelpRow[] {
  const found: HelpRow[] = [];
  for (const flag of flags) {
    if (flag.hidden === true) continue;
    const { name, short, value, values, summary, verbs } = flag;
    const named = short === undefined ? name : `${short}, ${name}`;
    const only = values?.length === 1 ? values[0]! : value;
    const label = only === undefined ? named : `${named} ${only}`;
    const text = verbs === undefined || verbs.length === 0 ? summary : `${verbs.join(', ')}: ${summary}`;
    const last = found.at(-1);
    if (last?.text === text && value === undefined)
      found[found.length - 1] = { label: `${last.label}, ${label}`, text };
    else found.push({ label, text });
  }
  return found;
}

/** `0 done; 1 refused` as rows. A part without a number is a label without text. */
export function exitRows(exit: string): readonly HelpRow[] {
  return exit.split('; ').map((part) => {
    const [, code, text] = /^(\d\S*) (.+)$/u.exec(part) ?? [];
    return code === undefined || text === undefined ? { label: part, text: '' } : { label: code, text };
  });
}

/** Two columns. The text of an overlong label starts on the next line. */
export function helpRows(all: readonly HelpRow[], longest: number, width = terminalWidth()): string {
  const fitting = all.filter(({ label, text }) => text !== '' && label.length <= longest);
  const column = Math.max(fitting.length === 0 ? 18 : 4, ...fitting.map(({ label }) => label.length)) + 2;
  const line = ({ label, text }: HelpRow): string => {
    if (text === '') return `  ${label}\n`;
    const [first = '', ...rest] = wrapped(text, width - column - 2);
    const below = rest.map((part) => `${' '.repeat(column + 2)}${part}\n`).join('');
    if (label.length + 2 <= column) return `  ${label.padEnd(column)}${first}\n${below}`;
    return `  ${label}\n${' '.repeat(column + 2)}${first}\n${below}`;
  };
  return all.map(line).join('');
}

function paragraph(text: string, width: number): string {
  const lines = text.includes('\n') ? text.split('\n') : wrapped(text, width - 2);
  return lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
}

function terminalWidth(): number {
  const { columns } = process.stdout;
  return columns > 0 ? Math.min(Math.max(columns, 60), DEFAULT_WIDTH) : DEFAULT_WIDTH;
}
