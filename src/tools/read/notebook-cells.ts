/** Converts a Jupyter notebook to text with numbered cells and outputs, and extracts the images of outputs. */
export interface Notebook {
  readonly text: string;
  readonly cells: number;
  readonly pictures: readonly Picture[];
}

export interface Picture {
  /** The line of its placeholder in the text. */
  readonly line: number;
  readonly base64: string;
}

type Json = unknown;

/** Undefined when the text is not a notebook. */
export function parseNotebook(source: string): Notebook | undefined {
  const document = parse(source);
  const cells = member(document, 'cells');
  if (!Array.isArray(cells)) return undefined;
  const writer = new Writer(stringAt(member(member(document, 'metadata'), 'language_info'), 'name') ?? '');
  for (const [i, cell] of cells.entries()) writer.cell(i + 1, cell);
  return { text: writer.lines.map((line) => `${line}\n`).join(''), cells: cells.length, pictures: writer.pictures };
}

class Writer {
  readonly lines: string[] = [];
  readonly pictures: Picture[] = [];
  readonly #language: string;

  constructor(language: string) {
    this.#language = language;
  }

  cell(number: number, cell: Json): void {
    const type = stringAt(cell, 'cell_type') ?? 'unknown';
    const count = member(cell, 'execution_count');
    const about = [
      type === 'code' && this.#language !== '' ? `code, ${this.#language}` : type,
      ...(typeof count === 'number' ? [`run ${count}`] : []),
    ];
    if (this.lines.length > 0) this.lines.push('');
    this.lines.push(`--- Cell ${number} (${about.join(', ')}) ---`);
    this.#text(joined(member(cell, 'source')));
    const outputs = member(cell, 'outputs');
    if (Array.isArray(outputs)) for (const output of outputs) this.#output(number, output);
  }

  #output(cell: number, output: Json): void {
    const type = stringAt(output, 'output_type');
    this.lines.push(`--- Output of cell ${cell}${type === 'stream' || type === undefined ? '' : ` (${type})`} ---`);
    if (type === 'error') {
      const trace = joined(member(output, 'traceback'), '\n');
      this.#text(
        trace === '' ? `${stringAt(output, 'ename') ?? ''}: ${stringAt(output, 'evalue') ?? ''}` : withoutColour(trace),
      );
      return;
    }
    if (type === 'stream') this.#text(withoutColour(joined(member(output, 'text'))));
    const data = member(output, 'data');
    for (const mimeType of PICTURES) this.#picture(mimeType, joined(member(data, mimeType)));
    const text = TEXTS.map((mimeType) => joined(member(data, mimeType))).find((found) => found !== '');
    if (text !== undefined) this.#text(text);
  }

  #picture(mimeType: string, base64: string): void {
    if (base64 === '') return;
    this.lines.push(`[${mimeType}: image ${this.pictures.length + 1}]`);
    this.pictures.push({ line: this.lines.length, base64 });
  }

  #text(text: string): void {
    if (text === '') return;
    for (const line of text.replace(/\r?\n$/u, '').split(/\r?\n/u)) this.lines.push(line);
  }
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** In order of preference; an output may have several. */
const TEXTS = ['text/plain', 'text/markdown', 'text/latex', 'application/json', 'image/svg+xml', 'text/html'];

function parse(source: string): Json {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // not a notebook; it is shown as plain text
  }
}

function member(value: Json, name: string): Json {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, Json>>)[name]
    : undefined;
}

function stringAt(value: Json, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Notebooks store a text as a string or as a list of lines. */
function joined(value: Json, between = ''): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join(between);
  return value === undefined || value === null ? '' : written(value);
}

function written(value: Json): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '[nested too deeply to show]'; // parsed JSON has no cycles, so only its depth can fail
  }
}

function withoutColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
  return text.replace(/\u001b\[[0-9;]*m/gu, '');
}
