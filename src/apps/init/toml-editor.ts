/** Finds, adds, updates and removes one table of a TOML file, such as `[mcp_servers.pincer]`, and changes no other byte. */
import { isDeepStrictEqual } from 'node:util';
import { dominantEol } from '../../text/lines/eol.ts';
import { applySplices, type Splice } from '../../text/lines/splice.ts';
import type { Entry } from './clients.ts';
import { conflictAt, type Editor, foreignEntry, isBlank, syntaxFaultAt } from './editor.ts';
import { scanToml, type Statement, TomlProblem } from './toml-scan.ts';

interface Options {
  readonly path: string;
  /** The name of the table, key by key. */
  readonly at: readonly string[];
  readonly entry: Entry;
  /** Whether a present entry is pincer's. */
  readonly isOurs: (present: unknown) => boolean;
  /** Members that init manages: they are removed if `entry` does not contain them. */
  readonly owned: readonly string[];
}

export function tomlEditor(options: Options): Editor {
  return {
    find(text) {
      const blocks = blocksOf(text, options);
      return options.isOurs(dataOf(blocks)) ? dataOf(blocks) : undefined;
    },
    isTaken: (text) => blocksOf(text, options).length > 0,
    put: (text) => ({ text: put(text, options), made: [] }),
    take(text) {
      const blocks = blocksOf(text, options);
      if (!options.isOurs(dataOf(blocks))) return text;
      return applySplices(
        text,
        blocks.map(({ start, end }) => ({ start: withoutGap(text, start, end), end, text: '' })),
      );
    },
  };
}

function dataOf(blocks: readonly Block[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    blocks.flatMap(({ below, pairs }) =>
      pairs.map(({ keys, value }) => [[...below, ...keys].join('.'), plain(value!)] as const),
    ),
  );
}

/** Strings, lists and booleans that init writes are valid JSON; other values are returned as text. */
function plain(value: string): unknown {
  const literal = /^'([^'\n]+)'$/u.exec(value);
  if (literal !== null) return literal[1];
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function tableText(at: readonly string[], entry: Entry, eol = '\n'): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${valueText(value)}`);
  return [`[${at.map(keyText).join('.')}]`, ...lines, ''].join(eol);
}

function valueText(value: Entry[string]): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(quoted).join(', ')}]`;
  const members = Object.entries(value).map(([key, text]) => `${keyText(key)} = ${quoted(text)}`);
  return `{ ${members.join(', ')} }`;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/u.test(key) ? key : quoted(key);
}

/** A JSON string is a valid TOML string, except for DEL, which JSON does not escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** A header of pincer's table or a subtable, with its pairs. */
interface Block {
  /** The name relative to pincer's table; empty for the table itself. */
  readonly below: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly pairs: readonly Statement[];
}

function put(text: string, options: Options): string {
  const { path, at, entry, isOurs } = options;
  const blocks = blocksOf(text, options);
  const eol = dominantEol(text);
  const [first] = blocks;
  if (first !== undefined) {
    if (!isOurs(dataOf(blocks))) throw foreignEntry(path, text, first.start, at);
    return renewed(text, blocks.find(({ below }) => below.length === 0)!, options);
  }
  const table = tableText(at, entry, eol);
  if (isBlank(text)) return `${text}${table}`;
  const end = text.endsWith('\n') ? '' : eol;
  const gap = /\n[ \t]*\r?\n$/u.test(text) ? '' : eol;
  return `${text}${end}${gap}${table}`;
}

/** Updates the members that init writes; members that the user added stay, and so do comments. */
function renewed(text: string, { end, pairs }: Block, { entry, owned }: Options): string {
  const isMember = ({ keys }: Statement, name: string): boolean => keys.length === 1 && keys[0] === name;
  const splices = pairs.flatMap((pair): readonly Splice[] => {
    const name = owned.find((one) => isMember(pair, one));
    if (name === undefined) return [];
    const wanted = entry[name];
    if (wanted === undefined) return [{ start: pair.start, end: pair.end, text: '' }];
    if (isDeepStrictEqual(plain(pair.value!), wanted)) return [];
    const start = text.indexOf('=', pair.start) + 1;
    const from = text.indexOf(pair.value!, start);
    return [{ start: from, end: from + pair.value!.length, text: valueText(wanted) }];
  });
  const missing = Object.entries(entry).filter(([name]) => !pairs.some((pair) => isMember(pair, name)));
  const eol = dominantEol(text);
  const lines = missing.map(([name, value]) => `${name} = ${valueText(value)}`);
  const isEnded = text[end - 1] === '\n';
  const added = lines.map((line) => (isEnded ? `${line}${eol}` : `${eol}${line}`)).join('');
  return applySplices(text, [...splices, { start: end, end, text: added }]);
}

/** Pincer's table and its subtables. Throws if the entry has another form than a table. */
function blocksOf(text: string, { path, at }: Options): readonly Block[] {
  const blocks: (Block & { end: number; pairs: Statement[] })[] = [];
  let table: readonly string[] = [];
  let block: (typeof blocks)[number] | undefined;
  for (const statement of statementsOf(text, path)) {
    const { kind, keys, start, end } = statement;
    if (kind !== 'pair') {
      table = keys;
      const isOurs = leadsTo(at, keys);
      if (kind === 'list-table' && (isOurs || leadsTo(keys, at)))
        throw foreignForm(path, text, start, `[[${keys.join('.')}]]`);
      block = isOurs ? { below: keys.slice(at.length), start, end, pairs: [] } : undefined;
      if (block !== undefined) blocks.push(block);
    } else if (block !== undefined) {
      block.end = end;
      block.pairs.push(statement);
    } else {
      const whole = [...table, ...keys];
      // An inline table cannot be extended.
      if (leadsTo(at, whole) || leadsTo(whole, at)) throw foreignForm(path, text, start, whole.join('.'));
    }
  }
  return blocks;
}

function statementsOf(text: string, path: string): readonly Statement[] {
  try {
    return scanToml(text);
  } catch (error) {
    if (error instanceof TomlProblem) throw syntaxFaultAt(path, text, error.offset, error.message);
    throw error;
  }
}

/** Whether `below` equals `name` or is a subtable of it. */
function leadsTo(name: readonly string[], below: readonly string[]): boolean {
  return name.every((key, i) => below[i] === key);
}

function foreignForm(path: string, text: string, start: number, what: string) {
  return conflictAt(
    path,
    text,
    start,
    `${what} is written in a form that init does not change`,
    'write it as a separate table, or remove it by hand',
  );
}

/** Removes the empty line before a table at the end of the file, too. */
function withoutGap(text: string, start: number, end: number): number {
  if (!isBlank(text.slice(end))) return start;
  return start - (/(?<=\n)[ \t]*\r?\n$/u.exec(text.slice(0, start))?.[0].length ?? 0);
}
