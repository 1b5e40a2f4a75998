// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a shell replaces them
/** Random compound commands: their text, and the steps that it must mean. */
import type { Redirect, Step, StepWord, WordPart } from '../../../src/wire/steps.ts';

type Next = () => number;

/** What a generated command depends on. */
export interface Surroundings {
  readonly home: string;
  /** Folders for `cd`. */
  readonly folders: readonly string[];
  /** The commands; the words of a `printf` are random. */
  readonly programs: readonly ('printf' | 'true' | 'false' | 'cat' | 'free')[];
  /** Whether output may be redirected to files. */
  readonly writes: boolean;
}

export type GeneratedStep = Pick<Step, 'when' | 'does' | 'negate'>;

interface Piece {
  readonly text: string;
  readonly parts: StepWord;
}

const PLAIN = [
  'a',
  'b',
  'x1',
  'foo',
  'sub/',
  '.',
  '..',
  'é',
  '日本',
  '@',
  '+1',
  '%s',
  'a=b',
  'a~',
  'x:y',
  '-n',
  '--o=v',
  'b',
  ',',
];
const SINGLE = ['', 'a b', '$HOME', '*', '"', '\\', ';', '#', '`id`', '$(id)', '!x', '~', 'é', '[ab]', '\n', '&&', '>'];
/** Not a backslash: before a line end, it would look like a continued line. */
const ESCAPED = [' ', '*', '?', '$', '"', "'", ';', '#', '&', '|', '<', '>', '(', '`', '~', '!', 'a', '[', '{'];
const GLOBS = ['*', '?', '[ab]', '[a-c]', '[0-9x]', '*', '*'];
const IN_DOUBLE: readonly (readonly [string, string])[] = [
  ['a', 'a'],
  [' ', ' '],
  ['*', '*'],
  ["'", "'"],
  ['\\"', '"'],
  ['\\$', '$'],
  ['\\\\', '\\'],
  ['\\`', '`'],
  ['\\n', '\\n'],
  ['$ ', '$ '],
  ['~', '~'],
  ['#', '#'],
  [';', ';'],
  ['é', 'é'],
];

const DOCUMENT = ['"$(cat <<\'T\'\na b\n\nT\n)"', 'a b'] as const;

export function pick<T>(next: Next, list: readonly T[]): T {
  return list[Math.floor(next() * list.length)]!;
}

/** Joins texts, as a scanner does. */
function merged(parts: readonly WordPart[]): StepWord {
  const all: WordPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = { kind: 'text', text: last.text + part.text };
    else if (part.kind !== 'text' || part.text !== '') all.push(part);
  }
  return all;
}

const text = (value: string): WordPart => ({ kind: 'text', text: value });

class Generator {
  readonly #next: Next;
  readonly #around: Surroundings;
  readonly #constants = new Map<string, string>();
  /** A command has `$?` or `$(cat <<…)`, not both. */
  #special: 'status' | 'body' = 'status';
  /** Bodies of here-documents that the next line end needs. */
  #bodies: string[] = [];

  constructor(next: Next, around: Surroundings) {
    this.#next = next;
    this.#around = around;
  }

  program(): { readonly text: string; readonly steps: readonly GeneratedStep[] } {
    let out = '';
    const steps: GeneratedStep[] = [];
    const count = 1 + Math.floor(this.#next() * 5);
    for (let i = 0; i < count; i++) {
      let when: Step['when'] = 'always';
      if (i > 0) {
        when = pick(this.#next, ['always', 'always', 'ok', 'failed'] as const);
        out += when === 'ok' ? this.#gap('&&') : when === 'failed' ? this.#gap('||') : this.#end();
      }
      const step = this.#step(when);
      out += step.text;
      steps.push({ when, does: step.does, ...(step.negate === true ? { negate: true } : {}) });
    }
    return { text: this.#bodies.length === 0 ? out : `${out}\n${this.#lines()}`, steps };
  }

  #gap(operator: string): string {
    if (this.#next() < 0.15) return ` ${operator} # ${operator} comment\n${this.#lines()} `;
    return pick(this.#next, [` ${operator} `, operator, `\t${operator}`]);
  }

  #end(): string {
    const text = pick(this.#next, ['; ', ';', ' ;', '\n', '\n\n', ' # x; y\n', '; # "\n']);
    return text.includes('\n') ? text.replace('\n', `\n${this.#lines()}`) : text;
  }

  #lines(): string {
    const lines = this.#bodies.map((body) => `${body}\n`).join('');
    this.#bodies = [];
    return lines;
  }

  #step(when: Step['when']): { readonly text: string; readonly does: Step['does']; readonly negate?: boolean } {
    const chance = this.#next();
    if (chance < 0.2 && when === 'always') return this.#constant();
    if (chance < 0.35) {
      const folder = pick(this.#next, this.#around.folders);
      return { text: `cd ${folder}`, does: { kind: 'folder', to: [text(folder)] } };
    }
    const negate = this.#next() < 0.15;
    const first = this.#command();
    const commands = [first.command];
    let out = first.text;
    if (this.#around.writes && this.#next() < 0.3) {
      const isBoth = this.#next() < 0.3;
      out += this.#gap(isBoth ? '|&' : '|');
      const second = this.#command();
      if (isBoth)
        commands[0] = { ...first.command, redirects: [...first.command.redirects, { kind: 'copy', from: 2, to: 1 }] };
      commands.push(second.command);
      out += second.text;
    }
    return { text: negate ? `! ${out}` : out, does: { kind: 'pipeline', commands }, negate };
  }

  #constant(): { readonly text: string; readonly does: Step['does'] } {
    const name = pick(this.#next, ['v', 'w', 'FILE', 'x_1']);
    const [rendered, value] = pick(this.#next, [
      ['abc', 'abc'],
      ["'a b'", 'a b'],
      ['"x"y', 'xy'],
      ['~/z', `${this.#around.home}/z`],
      ['a=b', 'a=b'],
      ['é.ts', 'é.ts'],
      ['""', ''],
      ...(this.#bodies.length > 0 ? [] : [DOCUMENT]),
    ] as const);
    this.#constants.set(name, value);
    return { text: `${name}=${rendered}`, does: { kind: 'constant', name, value } };
  }

  #command(): {
    readonly text: string;
    readonly command: Extract<Step['does'], { kind: 'pipeline' }>['commands'][number];
  } {
    const name = pick(this.#next, this.#around.programs);
    let out: string = name === 'free' ? pick(this.#next, ['ls', 'git', './x']) : name;
    const words: StepWord[] = [[text(out)]];
    this.#special = this.#bodies.length > 0 ? 'status' : pick(this.#next, ['status', 'body']);
    const redirects: Redirect[] = [];
    let env = {};
    if (name === 'printf') {
      out += " '%s\\0'";
      words.push([text('%s\\0')]);
    }
    if (name === 'free' && this.#next() < 0.2) {
      out = `LANG=C ${out}`;
      env = { LANG: 'C' };
    }
    const count = name === 'printf' || name === 'free' ? Math.floor(this.#next() * 4) : 0;
    for (let i = 0; i < count; i++) {
      const word = this.#word();
      out += `${pick(this.#next, [' ', '  ', '\t'])}${word.text}`;
      words.push(word.parts);
    }
    if (name === 'cat') {
      const input = this.#input();
      out += input.text;
      redirects.push(input.redirect);
    }
    if (this.#around.writes && this.#next() < 0.4) {
      const output = this.#output();
      out += ` ${output.text}`;
      redirects.push(...output.redirects);
    }
    return { text: out, command: { words, env, redirects } };
  }

  #input(): { readonly text: string; readonly redirect: Redirect } {
    if (this.#next() < 0.4) {
      const word = this.#quoted();
      return { text: ` <<< ${word.text}`, redirect: { kind: 'text', text: `${word.value}\n` } };
    }
    const tag = pick(this.#next, ['E', 'EOF', 'X-1']);
    const isQuoted = tag === 'X-1' || this.#next() < 0.6;
    const strips = this.#next() < 0.3;
    const lines = isQuoted
      ? ['$x `id` \\', "it's", '', '\ta "b"', `${tag} `]
      : ['plain "x"', '', "\tit's", '# no comment'];
    const body = lines.filter(() => this.#next() < 0.5);
    this.#bodies.push([...body, strips ? `\t${tag}` : tag].join('\n'));
    const opening = `${strips ? '<<-' : '<<'}${pick(this.#next, ['', ' '])}`;
    const value = body.map((line) => `${strips ? line.replace(/^\t+/u, '') : line}\n`).join('');
    return {
      text: ` ${opening}${isQuoted ? pick(this.#next, [`'${tag}'`, `"${tag}"`]) : tag}`,
      redirect: { kind: 'text', text: value },
    };
  }

  #output(): { readonly text: string; readonly redirects: readonly Redirect[] } {
    const file = [text('/dev/null')];
    return pick<{ readonly text: string; readonly redirects: readonly Redirect[] }>(this.#next, [
      { text: '2>&1', redirects: [{ kind: 'copy', from: 2, to: 1 }] },
      { text: '>&2', redirects: [{ kind: 'copy', from: 1, to: 2 }] },
      { text: '2>/dev/null', redirects: [{ kind: 'output', from: 2, append: 'no', file }] },
      { text: '>> /dev/null', redirects: [{ kind: 'output', from: 1, append: 'yes', file }] },
      { text: '1> "out file"', redirects: [{ kind: 'output', from: 1, append: 'no', file: [text('out file')] }] },
      {
        text: '&>/dev/null',
        redirects: [
          { kind: 'output', from: 1, append: 'no', file },
          { kind: 'copy', from: 2, to: 1 },
        ],
      },
    ]);
  }

  #quoted(): { readonly text: string; readonly value: string } {
    const value = pick(this.#next, SINGLE);
    return { text: `'${value}'`, value };
  }

  #word(): Piece {
    const count = 1 + Math.floor(this.#next() * 3);
    let out = '';
    const parts: WordPart[] = [];
    if (this.#next() < 0.08) {
      out = pick(this.#next, ['~/', '~']);
      parts.push(text(`${this.#around.home}${out.slice(1)}`));
      if (out === '~') return { text: out, parts };
    }
    for (let i = 0; i < count; i++) {
      const piece = this.#piece();
      out += piece.text;
      parts.push(...piece.parts);
    }
    return { text: out, parts: merged(parts) };
  }

  #piece(): Piece {
    switch (Math.floor(this.#next() * 9)) {
      case 0: {
        const { text: rendered, value } = this.#quoted();
        return { text: rendered, parts: [text(value)] };
      }
      case 1: {
        const value = pick(this.#next, ESCAPED);
        return { text: `\\${value}`, parts: [text(value)] };
      }
      case 2: {
        const glob = pick(this.#next, GLOBS);
        return { text: glob, parts: [{ kind: 'glob', text: glob }] };
      }
      case 3:
        return this.#variable();
      case 4:
      case 5:
        return this.#double();
      default: {
        const value = pick(this.#next, PLAIN);
        return { text: value, parts: [text(value)] };
      }
    }
  }

  #variable(): Piece {
    const [name, value] = pick(this.#next, [['HOME', this.#around.home] as const, ...this.#constants]);
    const isWord = value !== '' && !/[\s*?[\]\\]/u.test(value);
    const chance = this.#next();
    if (chance < 0.2 && this.#special === 'status') return { text: '$?', parts: [{ kind: 'status' }] };
    if (chance < 0.4) return { text: '${PWD}', parts: [{ kind: 'folder', unquoted: true }] };
    return isWord ? { text: `\${${name}}`, parts: [text(value)] } : { text: `"$${name}"`, parts: [text(value)] };
  }

  #double(): Piece {
    let out = '';
    const parts: WordPart[] = [];
    for (let i = Math.floor(this.#next() * 4); i > 0; i--) {
      const chance = this.#next();
      if (chance < 0.1 && this.#special === 'status') {
        out += '$?';
        parts.push({ kind: 'status' });
      } else if (chance < 0.2) {
        out += '${PWD}';
        parts.push({ kind: 'folder' });
      } else if (chance < 0.3) {
        const [name, value] = pick(this.#next, [['HOME', this.#around.home] as const, ...this.#constants]);
        out += `\${${name}}`;
        parts.push(text(value));
      } else if (chance < 0.35 && this.#special === 'body') {
        out += "$(cat <<'T'\nit's \"$x\" )\n\nT\n)";
        parts.push(text('it\'s "$x" )'));
      } else {
        const [rendered, value] = pick(this.#next, IN_DOUBLE);
        out += rendered;
        parts.push(text(value));
      }
    }
    return { text: `"${out}"`, parts };
  }
}

/** The same program for the same numbers. */
export function generateProgram(
  next: Next,
  around: Surroundings,
): { readonly text: string; readonly steps: readonly GeneratedStep[] } {
  return new Generator(next, around).program();
}
