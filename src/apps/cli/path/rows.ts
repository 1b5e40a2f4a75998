import type { Match } from '../../../text/walk/match.ts';
import type { RowTemplate, RowText } from '../../../text/kinds/jsonl/stream.ts';
import type { FoundMatch } from '../../../tools/path/answer.ts';
import type { Finder } from '../../../tools/path/verbs.ts';
import type { Run } from './command.ts';
import { renderCount, renderFound } from './render-text.ts';
import { Spool } from './spool.ts';

const SEPARATOR = ',\n';

/** The matches of a find. The output starts with their count, so they are spooled until the last one. */
export class Rows {
  readonly #run: Run;
  readonly #pattern: string;
  readonly #spool = new Spool();
  /** On a terminal the arrows are aligned, which needs the longest address. */
  readonly #waiting: FoundMatch[] = [];
  #count = 0;

  constructor(run: Run, pattern: string) {
    this.#run = run;
    this.#pattern = pattern;
  }

  async collect(work: (finder: Finder) => Promise<void>): Promise<void> {
    const take = (found: FoundMatch) => this.#take(found);
    const text = { format: jsonRow, take: (rows: RowText) => this.#takeText(rows) };
    try {
      await work(this.#run.json ? { take, text } : { take });
    } catch (error) {
      this.#spool.close();
      throw error;
    }
  }

  get count(): number {
    return this.#count;
  }

  /** `more`: extra members of the JSON output. */
  show(more: Readonly<Record<string, unknown>> = {}): void {
    const { json, output, style } = this.#run;
    if (json) this.#showJson(more);
    else {
      output.out(renderCount(this.#count, this.#pattern));
      const width = this.#waiting.reduce((most, { path }) => Math.max(most, path.length), 0);
      for (const found of this.#waiting) output.out(renderFound(found, width, style));
      this.#spool.drain((bytes) => output.out(bytes));
    }
  }

  #take(found: FoundMatch): void {
    const { json, output, style } = this.#run;
    this.#count++;
    if (json) this.#spool.add(`${this.#count === 1 ? '' : SEPARATOR}${rowJson(found)}`);
    else if (output.isTerminal) this.#waiting.push(found);
    else this.#spool.add(renderFound(found, 0, style));
  }

  /** Rows that are already JSON, each with a leading comma. */
  #takeText({ count, chunks }: RowText): void {
    let skip = this.#count === 0 ? SEPARATOR.length : 0;
    for (const chunk of chunks) {
      this.#spool.addBytes(chunk.subarray(skip));
      skip = Math.max(0, skip - chunk.length);
    }
    this.#count += count;
  }

  #showJson(more: Readonly<Record<string, unknown>>): void {
    const { output } = this.#run;
    const members = Object.entries(more).map(
      ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')},\n`,
    );
    output.out(
      `{\n  "pattern": ${JSON.stringify(this.#pattern)},\n  "count": ${this.#count},\n${members.join('')}  "matches": [`,
    );
    if (this.#count > 0) output.out('\n');
    this.#spool.drain((bytes) => output.out(bytes));
    output.out(`${this.#count > 0 ? '\n  ' : ''}]\n}\n`);
  }
}

/** Equals `JSON.stringify` with two spaces. Written out for speed, since a find may have millions of rows. */
function rowJson({ path, match }: FoundMatch): string {
  return `    {\n      "path": ${JSON.stringify(path)},\n      "match": {\n${matchJson(match)}\n      }\n    }`;
}

/** The same row as a template for the scanner. The address is split around the line number. */
function jsonRow(head: string, tail: string): RowTemplate {
  const inside = (text: string) => JSON.stringify(text).slice(1, -1);
  const before = [
    `${SEPARATOR}    {\n      "path": "${inside(head)}`,
    { insert: 'line' },
    `${inside(tail)}",\n      "match": {\n`,
  ] as const;
  const behind = [
    `        "line": `,
    { insert: 'line' },
    `,\n        "column": `,
    { insert: 'column' },
    `\n      }\n    }`,
  ] as const;
  return {
    leaf: [
      ...before,
      `        "kind": "leaf",\n        "valueText": "`,
      { insert: 'value' },
      `",\n        "leafType": "`,
      { insert: 'type' },
      `",\n`,
      ...behind,
    ],
    container: [...before, `        "kind": "node",\n        "descriptor": "`, { insert: 'type' }, `",\n`, ...behind],
  };
}

function matchJson(match: Match): string {
  const place = `        "line": ${match.line},\n        "column": ${match.column}`;
  switch (match.kind) {
    case 'leaf':
      return `        "kind": "leaf",\n        "valueText": ${JSON.stringify(match.valueText)},\n        "leafType": "${match.leafType}",\n${place}`;
    case 'insertion-point':
      return `        "kind": "insertion-point",\n        "container": "${match.container}",\n${place}`;
    case 'node':
    case 'root':
      return `        "kind": "${match.kind}",\n        "descriptor": "${match.descriptor}",\n${place}`;
  }
}
