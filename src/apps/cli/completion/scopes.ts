/** Completion candidates for each position of a command line, for all shells. */
import { type CommandDefinition, type Completion, flagsOf, verbsOf } from '../definition.ts';

export interface Choice {
  readonly word: string;
  readonly summary: string;
}

/** A kind of candidates, or a fixed list. */
export type Completes = Completion | readonly string[];

export interface ScopeFlag extends Choice {
  /** Undefined for a flag without a value; `[]` for a value without candidates. */
  readonly value?: Completes;
}

/** What can follow a command, or a command and its verb. */
export interface Scope {
  /** `approvals allowlist add`; empty for the program itself. */
  readonly path: string;
  readonly next: readonly Choice[];
  readonly flags: readonly ScopeFlag[];
  readonly words: Completes;
  /** Whether its first argument starts another command line, as for `exec`. */
  readonly opens: boolean;
}

const HELP: ScopeFlag = { word: '--help', summary: 'show help' };

export function scopesOf(definitions: readonly CommandDefinition[]): readonly Scope[] {
  const shown = definitions.filter(({ hidden }) => hidden !== true);
  const next = shown.map(({ name, summary }) => ({ word: name, summary }));
  const program: Scope = {
    path: '',
    next: [...next, { word: 'help', summary: 'show the help of a command' }],
    flags: [HELP, { word: '--version', summary: 'print the version' }],
    words: [],
    opens: false,
  };
  const help: Scope = { path: 'help', next: [], flags: [], words: shown.map(({ name }) => name), opens: false };
  return [program, help, ...shown.flatMap(commandScopes)];
}

function commandScopes(definition: CommandDefinition): readonly Scope[] {
  const { name, completes = [] } = definition;
  const verbs = verbsOf(definition);
  const paths = [...new Set(['', ...verbs.flatMap((verb) => beginnings(verb.name))])];
  return paths.map((path) => {
    const verb = verbs.find((one) => one.name === path);
    const below = verbs.filter((one) => path === '' || one.name.startsWith(`${path} `));
    const nextWords = below.map((one) => one.name.slice(path === '' ? 0 : path.length + 1).split(' ', 1)[0]!);
    const words = path === '' ? completes : (verb?.completes ?? completes);
    return {
      path: path === '' ? name : `${name} ${path}`,
      next: [...new Set(nextWords)].map((word) => ({ word, summary: summaryOf(definition, path, word) })),
      flags: [...scopeFlags(definition, path, verbs.length > 0), HELP],
      words,
      opens: words === 'command' && (path === '' ? definition.positionals : verb?.positionals) === undefined,
    };
  });
}

/** `allowlist`, `allowlist add`. */
function beginnings(verb: string): readonly string[] {
  const words = verb.split(' ');
  return words.map((_, at) => words.slice(0, at + 1).join(' '));
}

/** From the usage lines of the help. */
function summaryOf({ name, usage }: CommandDefinition, path: string, word: string): string {
  const start = [name, ...(path === '' ? [] : [path]), word].join(' ');
  return usage.find(({ line }) => line === start || line.startsWith(`${start} `))?.summary ?? '';
}

/** Before a verb, only flags that every verb accepts. */
function scopeFlags(definition: CommandDefinition, path: string, hasVerbs: boolean): readonly ScopeFlag[] {
  return flagsOf(definition, hasVerbs ? path : undefined)
    .filter(({ hidden }) => hidden !== true)
    .flatMap(({ name, short, value, values, completes, summary }) => {
      const flag = { summary, ...(value === undefined ? {} : { value: values ?? completes ?? [] }) };
      return [name, ...(short === undefined ? [] : [short])].map((word) => ({ word, ...flag }));
    });
}
