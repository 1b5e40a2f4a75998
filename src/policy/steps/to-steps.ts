/** Turns the tree of a compound command into steps: constants and the home folder are replaced, `cd` becomes a change of folder. */
import type { Redirect, Step, StepCommand, StepWord, WordPart } from '../../wire/steps.ts';
import { whyRefused } from '../environment-names.ts';
import { forAgent } from '../hint.ts';
import type { Refusal, ShellPart, ShellWord } from '../shell/refusal.ts';
import { BUILTINS } from '../shell/reserved.ts';
import { refusalOf } from '../shell/scan-refusals.ts';
import { isConstantName } from './constants.ts';
import { SPLITTING } from './expand.ts';
import type { ShellCommand, ShellPipeline, ShellProgram, ShellRedirect } from './tree.ts';

export type Lowered =
  | { readonly steps: readonly Step[]; readonly refusal?: undefined }
  | { readonly steps?: undefined; readonly refusal: Refusal };

type Read<T> = T | { readonly refusal: Refusal };

export function toSteps(text: string, program: ShellProgram, home: string | undefined): Lowered {
  const lowering = new Lowering(text, home);
  const steps: Step[] = [];
  for (const pipeline of program) {
    const does = lowering.pipeline(pipeline);
    if ('refusal' in does) return does;
    const { start, end } = pipeline.span;
    steps.push({ when: pipeline.when, start, end, does, ...(pipeline.isNegated ? { negate: true } : {}) });
  }
  return { steps };
}

class Lowering {
  readonly #text: string;
  readonly #home: string | undefined;
  readonly #constants = new Map<string, string>();

  constructor(text: string, home: string | undefined) {
    this.#text = text;
    this.#home = home;
  }

  pipeline(pipeline: ShellPipeline): Read<Step['does']> {
    const { commands, operators } = pipeline;
    const [only] = commands;
    if (only!.words.length === 0 && commands.length === 1) return this.#constant(pipeline, only!);
    if (only!.words[0]?.text === 'cd' && commands.length === 1) return this.#folder(only!);
    const lowered: StepCommand[] = [];
    for (const [i, command] of commands.entries()) {
      const one = this.#command(command);
      if ('refusal' in one) return one;
      const redirects: readonly Redirect[] =
        operators[i] === '|&' ? [...one.redirects, { kind: 'copy', from: 2, to: 1 }] : one.redirects;
      lowered.push({ ...one, redirects });
    }
    return { kind: 'pipeline', commands: lowered };
  }

  /** Only what surely runs before its uses is a constant. */
  #constant({ when, isNegated }: ShellPipeline, { assignments }: ShellCommand): Read<Step['does']> {
    const [word] = assignments;
    const { start, end } = assignments[assignments.length - 1]!.span;
    if (assignments.length > 1 || when !== 'always' || isNegated)
      return { refusal: refusalOf('conditional-constant', this.#text, start, end - start) };
    const assigned = this.#assigned(word!);
    if ('refusal' in assigned) return assigned;
    const { name, value } = assigned;
    if (!isConstantName(name)) return { refusal: refusalOf('obeyed-variable', this.#text, start, name.length) };
    this.#constants.set(name, value);
    return { kind: 'constant', name, value };
  }

  #assigned(word: ShellWord): Read<{ readonly name: string; readonly value: string }> {
    const length = word.assigns! + 1;
    const { start } = word.span;
    const [first, ...others] = word.parts;
    const rest = { kind: 'text', text: first!.kind === 'text' ? first!.text.slice(length) : '' } as const;
    // A shell splits and expands no value of an assignment.
    const value = this.#literal([rest, ...others], start + length, word.span.end);
    return typeof value === 'string' ? { name: this.#text.slice(start, start + length - 1), value } : value;
  }

  #folder({ assignments, words, redirects }: ShellCommand): Read<Step['does']> {
    const [cd, word, ...others] = words;
    const extra = assignments[0] ?? redirects[0] ?? others[0] ?? (word === undefined ? cd : undefined);
    if (extra !== undefined)
      return { refusal: refusalOf('cd-form', this.#text, extra.span.start, extra.span.end - extra.span.start) };
    const to = this.#word(word!);
    if ('refusal' in to) return to;
    const [first] = to;
    const isName = to.every(({ kind }) => kind === 'text' || kind === 'folder');
    const isOption = first === undefined || (first.kind === 'text' && /^(?:-|$)/.test(first.text));
    if (isOption || !isName) {
      const { start, end } = word!.span;
      return { refusal: refusalOf('cd-form', this.#text, start, end - start) };
    }
    return { kind: 'folder', to };
  }

  #command({ assignments, words, redirects }: ShellCommand): Read<StepCommand> {
    const env: Record<string, string> = {};
    for (const word of assignments) {
      const assigned = this.#assigned(word);
      if ('refusal' in assigned) return assigned;
      const { name, value } = assigned;
      if (whyRefused(name) !== undefined)
        return { refusal: refusalOf('obeyed-variable', this.#text, word.span.start, name.length) };
      env[name] = value;
    }
    if (words.length === 0) {
      const { start, end } = assignments[0]!.span;
      return { refusal: refusalOf('conditional-constant', this.#text, start, end - start) };
    }
    const parts = words.flatMap((word) => word.parts);
    const status = parts.find((part) => part.kind === 'variable' && part.name === '?');
    // In bash, the substitution changes `$?` for what follows it in the same command.
    if (status?.kind === 'variable' && parts.some(({ kind }) => kind === 'body')) return this.#unknown(status);
    const lowered: StepWord[] = [];
    for (const word of words) {
      const one = this.#word(word);
      if ('refusal' in one) return one;
      lowered.push(one);
    }
    const builtin = this.#builtin(words, lowered);
    if (builtin !== undefined) return { refusal: builtin };
    const placed: Redirect[] = [];
    for (const redirect of redirects) {
      const some = this.#redirect(redirect);
      if ('refusal' in some) return some;
      placed.push(...some);
    }
    return { words: lowered, env, redirects: placed };
  }

  /** The name of a command is text, and no builtin but `:` and `command -v NAME`. */
  #builtin(words: readonly ShellWord[], lowered: readonly StepWord[]): Refusal | undefined {
    const { start, end } = words[0]!.span;
    const name = lowered[0]!.map((part) => ('text' in part ? part.text : '')).join('');
    if (lowered[0]!.some(({ kind }) => kind === 'status'))
      return refusalOf('expansion', this.#text, start, end - start);
    if (!BUILTINS.has(name) || name === ':') return undefined;
    const isSearch = name === 'command' && words.length === 3 && words[1]!.text === '-v';
    if (isSearch && words[2]!.parts.every(({ kind }) => kind === 'text') && /^[^-]/.test(words[2]!.text))
      return undefined;
    return {
      code: 'builtin',
      reason: `${name} is a shell builtin, not a program`,
      at: { start, end },
      ...forAgent(name === 'cd' ? 'write cd as a command of its own, not in a pipe' : 'run the program itself'),
    };
  }

  #redirect({ operator, descriptor, target, body, span }: ShellRedirect): Read<readonly Redirect[]> {
    if (target === undefined) return [{ kind: 'text', text: body ?? '' }];
    const { start, end } = target.span;
    if (operator === '<<<') {
      const parts = target.parts.map((part) =>
        part.kind === 'glob' ? ({ kind: 'text', text: part.text } as const) : part,
      );
      const text = this.#literal(parts, start, end);
      return typeof text === 'string' ? [{ kind: 'text', text: `${text}\n` }] : text;
    }
    const file = this.#word(target);
    if ('refusal' in file) return file;
    if (operator === '>&') {
      const to = target.text === '1' ? 1 : 2;
      return [{ kind: 'copy', from: descriptor ?? 1, to }];
    }
    const isPlain = file.every(({ kind }) => kind === 'text' || kind === 'folder');
    if (!isPlain || file.length === 0)
      return { refusal: refusalOf('redirection-target', this.#text, span.start, span.end - span.start) };
    if (operator === '<') return [{ kind: 'input', file }];
    const append = operator === '>>' ? 'yes' : 'no';
    if (operator === '&>')
      return [
        { kind: 'output', from: 1, append, file },
        { kind: 'copy', from: 2, to: 1 },
      ];
    return [{ kind: 'output', from: descriptor ?? 1, append, file }];
  }

  /** A value that is known now. */
  #literal(parts: readonly ShellPart[], start: number, end: number): string | { readonly refusal: Refusal } {
    let text = '';
    for (const part of parts) {
      const one = this.#part(part, true);
      if ('refusal' in one) return one;
      if (!('text' in one) || one.kind === 'glob')
        return { refusal: refusalOf(one.kind === 'glob' ? 'glob' : 'expansion', this.#text, start, end - start) };
      text += one.text;
    }
    return text;
  }

  #word({ parts }: ShellWord): Read<StepWord> {
    const word: WordPart[] = [];
    for (const part of parts) {
      const one = this.#part(part, false);
      if ('refusal' in one) return one;
      const last = word.at(-1);
      if (one.kind === 'text' && last?.kind === 'text')
        word[word.length - 1] = { kind: 'text', text: last.text + one.text };
      else if (one.kind !== 'text' || one.text !== '') word.push(one);
    }
    return word;
  }

  #part(part: ShellPart, whole: boolean): Read<WordPart> {
    if (part.kind === 'text' || part.kind === 'glob') return part;
    if (part.kind === 'body') return { kind: 'text', text: part.text };
    if (part.kind === 'home')
      return this.#home === undefined ? this.#unknown(part) : { kind: 'text', text: this.#home };
    const { name, quoted } = part;
    const unquoted = !quoted && !whole;
    if (name === '?') return { kind: 'status' };
    if (name === 'PWD') return { kind: 'folder', ...(unquoted ? { unquoted: true } : {}) };
    const text = name === 'HOME' ? this.#home : this.#constants.get(name);
    if (text === undefined) return this.#unknown(part);
    if (!unquoted || (text !== '' && !SPLITTING.test(text))) return { kind: 'text', text };
    const { start, end } = part.span;
    return { refusal: refusalOf('split', this.#text, start, end - start) };
  }

  #unknown({ span: { start, end } }: Extract<ShellPart, { readonly kind: 'variable' | 'home' }>): {
    readonly refusal: Refusal;
  } {
    return { refusal: refusalOf('expansion', this.#text, start, end - start) };
  }
}
