/**
 * What a command is, said once: its help, its arguments, the completions of shells and its page in the manual all come from
 * this one value.
 */
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../text/nearest-names.ts';
import { type CommandShape, usage } from './arguments.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** What a shell completes a word or a value with, where that is no list of words. */
export type Completion = 'file' | 'folder' | 'command' | 'session' | 'approval';

/** One flag, or one option with a value. */
export interface FlagDefinition {
  /** With its dashes: `--workspace`. */
  readonly name: `--${string}`;
  /** Another name with one dash: `-f`. */
  readonly short?: `-${string}`;
  /** What stands behind it, in the form `<dir>`; a flag without it has no value. */
  readonly value?: `<${string}>`;
  /** One line for help and manual. Flags beside each other with the same line share it. */
  readonly summary: string;
  /** The words that its value may be, for completion. */
  readonly values?: readonly string[];
  /** What a shell completes its value with, where that is no list of words. */
  readonly completes?: Completion;
  readonly mayBeEmpty?: true;
  /** The verbs that take it (default: all of them). */
  readonly verbs?: readonly string[];
  /** Understood, but in no help: an old name, or one that only programs say. */
  readonly hidden?: true;
}

const FORM = 'the form of the answer (human on a terminal, JSON in a pipe)';

/** The form of the answer, which most commands can be asked for. */
export const FORM_FLAGS: readonly FlagDefinition[] = [
  { name: '--json', summary: FORM },
  { name: '--human', summary: FORM },
];

/** Foreign output without the filter. */
export const RAW_FLAG: FlagDefinition = {
  name: '--raw',
  summary: 'do not filter escape sequences when the output is a terminal',
};

/** Nothing beside results and errors. */
export const QUIET_FLAG: FlagDefinition = {
  name: '--quiet',
  short: '-q',
  summary: 'no notices, only results and errors',
};

/** One way to call the command, as a line of its own in the help. */
export interface UsageDefinition {
  /** Everything behind `pincer`: `config get <path>`. */
  readonly line: string;
  readonly summary: string;
}

/** One verb with words of its own. */
export interface VerbDefinition {
  /** As it is typed; several words for a verb of a verb: `allowlist add`. */
  readonly name: string;
  /** The words behind it. */
  readonly positionals?: readonly string[];
  /** What a shell completes these with: a kind of thing, or a list of words. */
  readonly completes?: Completion | readonly string[];
}

/** A command, or a verb of one. */
export interface CommandDefinition {
  /** As it is typed: `config`. */
  readonly name: string;
  /** A few words for the list of all commands: lower case, no full stop. */
  readonly summary: string;
  /** The head of its help, where that says more than the list. */
  readonly title?: string;
  readonly usage: readonly UsageDefinition[];
  /** Command lines that work as they are, without `pincer`; a test reads each. */
  readonly examples: readonly string[];
  /** The words that it takes: those in brackets may be left out, a last one with `…` may be many; undefined for any number. */
  readonly positionals?: readonly string[];
  /** What a shell completes its words with: a kind of thing, or a list of words. */
  readonly completes?: Completion | readonly string[];
  /** The verbs that its first word may be: `get`, `set`. */
  readonly verbs?: readonly (string | VerbDefinition)[];
  readonly flags: readonly FlagDefinition[];
  /** Paragraphs behind the flags; one with line breaks stands as it is. */
  readonly notes?: readonly string[];
  /** What its exit codes mean, in one line. */
  readonly exit?: string;
  /** Not in the list of all commands. */
  readonly hidden?: true;
}

/** What the command line of a command may hold; with a verb, what stands behind that verb. */
export function shapeOf(definition: CommandDefinition, verb?: string): CommandShape {
  const flags = withQuiet(flagsOf(definition, verb));
  const words = verb === undefined ? definition.positionals : verbOf(definition, verb).positionals;
  return {
    command: verb === undefined ? definition.name : `${definition.name} ${verb}`,
    positionals: words ?? ['[word…]'],
    flags: flags.flatMap(({ name, value }) => (value === undefined ? [name] : [])),
    options: flags.flatMap(({ name, value }) => (value === undefined ? [] : [name])),
    mayBeEmpty: flags.flatMap(({ name, mayBeEmpty }) => (mayBeEmpty === true ? [name] : [])),
    short: Object.fromEntries(flags.flatMap(({ name, short }) => (short === undefined ? [] : [[short, name]]))),
    help: `pincer ${definition.name} --help`,
  };
}

/** Every command takes `--quiet`, whether it has notices to leave out or not: scripts pass it to all of them. */
function withQuiet(flags: readonly FlagDefinition[]): readonly FlagDefinition[] {
  return flags.some(({ name }) => name === QUIET_FLAG.name) ? flags : [...flags, QUIET_FLAG];
}

/** The flags that a verb takes; all of them without one. */
export function flagsOf({ flags }: CommandDefinition, verb?: string): readonly FlagDefinition[] {
  return verb === undefined ? flags : flags.filter(({ verbs }) => verbs === undefined || verbs.includes(verb));
}

/** The verbs of a command, each with what stands behind it. */
export function verbsOf({ verbs = [] }: CommandDefinition): readonly VerbDefinition[] {
  return verbs.map((verb) => (typeof verb === 'string' ? { name: verb } : verb));
}

function verbOf(definition: CommandDefinition, name: string): VerbDefinition {
  return verbsOf(definition).find((verb) => verb.name === name) ?? { name };
}

/** A verb that the command does not have. */
export function unknownVerb(definition: CommandDefinition, verb: string): Fault {
  const names = [...new Set(verbsOf(definition).map(({ name }) => name.split(' ', 1)[0]!))];
  const message = `there is no verb ${JSON.stringify(verb)}${didYouMean(verb, names)}`;
  const all = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return usage({ command: definition.name }, message, `it is ${all}; see pincer ${definition.name} --help`);
}

/** How wide a help is where nobody says how wide the terminal is. */
const USUAL_WIDTH = 100;
const LONGEST_USAGE = 46;
const LONGEST_LABEL = 24;

/** The help of a command, as `--help` shows it. */
export function helpOf(definition: CommandDefinition, width = terminalWidth()): string {
  const { name, summary, title = summary, usage, examples, notes = [], exit } = definition;
  const flags = flagRows(definition);
  const usages = usage.map((one) => ({ label: `pincer ${one.line}`, text: one.summary }));
  const parts = [
    `pincer ${name}: ${title}\n`,
    helpRows(usages, LONGEST_USAGE, width),
    ...(flags.length === 0 ? [] : [helpRows(flags, LONGEST_LABEL, width)]),
    ...notes.map((note) => paragraph(note, width)),
    `Examples\n${examples.map((line) => `  pincer ${line}\n`).join('')}`,
    ...(exit === undefined ? [] : [paragraph(exit, width)]),
  ];
  return parts.join('\n');
}

/** A row of a help or a manual. */
export interface HelpRow {
  readonly label: string;
  readonly text: string;
}

/** The flags of a command as rows: those that share a line stand together, and those of some verbs name them. */
export function flagRows({ flags }: CommandDefinition): readonly HelpRow[] {
  const found: HelpRow[] = [];
  for (const flag of flags) {
    if (flag.hidden === true) continue;
    const { name, short, value, values, summary, verbs } = flag;
    const named = short === undefined ? name : `${short}, ${name}`;
    const only = values?.length === 1 ? values[0]! : value;
    const label = only === undefined ? named : `${named} ${only}`;
    const text = verbs === undefined ? summary : `${verbs.join(', ')}: ${summary}`;
    const last = found.at(-1);
    if (last?.text === text && value === undefined)
      found[found.length - 1] = { label: `${last.label}, ${label}`, text };
    else found.push({ label, text });
  }
  return found;
}

/** Two columns; a label that is too long for the first has its text below it. */
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

/** A terminal as wide as it is, within what can be read; a pipe gets the usual width. */
function terminalWidth(): number {
  const { columns } = process.stdout;
  return columns > 0 ? Math.min(Math.max(columns, 60), USUAL_WIDTH) : USUAL_WIDTH;
}
