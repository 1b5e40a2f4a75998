/** What can stand behind each part of a command line, as every shell needs it. */
import { type CommandDefinition, type Completion, flagsOf, verbsOf } from '../definition.ts';

/** A word that can be completed, and what it means. */
export interface Choice {
  readonly word: string;
  readonly summary: string;
}

/** What a shell completes with: a kind of thing, or these words. */
export type Completes = Completion | readonly string[];

/** A flag as it is typed, and what stands behind it. */
export interface ScopeFlag extends Choice {
  /** Undefined for a flag without a value; `[]` where nothing can be said about the value. */
  readonly value?: Completes;
}

/** A command, or a command and its verb: what can follow. */
export interface Scope {
  /** `approvals allowlist add`; empty for the program itself. */
  readonly path: string;
  /** Commands or verbs. */
  readonly next: readonly Choice[];
  readonly flags: readonly ScopeFlag[];
  readonly words: Completes;
  /** Its first word begins another command line. */
  readonly opens: boolean;
}

const HELP: ScopeFlag = { word: '--help', summary: 'explain it' };

/** The scopes of the whole program. */
export function scopesOf(definitions: readonly CommandDefinition[]): readonly Scope[] {
  const shown = definitions.filter(({ hidden }) => hidden !== true);
  const next = shown.map(({ name, summary }) => ({ word: name, summary }));
  const program: Scope = {
    path: '',
    next: [...next, { word: 'help', summary: 'explain a command' }],
    flags: [HELP, { word: '--version', summary: 'which version this is' }],
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

/** What the help says about a verb. */
function summaryOf({ name, usage }: CommandDefinition, path: string, word: string): string {
  const start = [name, ...(path === '' ? [] : [path]), word].join(' ');
  return usage.find(({ line }) => line === start || line.startsWith(`${start} `))?.summary ?? '';
}

/** In front of a verb only the flags that every verb takes. */
function scopeFlags(definition: CommandDefinition, path: string, hasVerbs: boolean): readonly ScopeFlag[] {
  return flagsOf(definition, hasVerbs ? path : undefined)
    .filter(({ hidden }) => hidden !== true)
    .flatMap(({ name, short, value, values, completes, summary }) => {
      const flag = { summary, ...(value === undefined ? {} : { value: values ?? completes ?? [] }) };
      return [name, ...(short === undefined ? [] : [short])].map((word) => ({ word, ...flag }));
    });
}
