import { ExactNumber, JsonObject, type JsonValue } from '../../json/value.ts';
import type { BlockLayout, FlowLayout } from './layout.ts';
import { doubleQuoted, type StyledText, styledStrings } from './style.ts';
import { DOUBLE, PLAIN, SINGLE } from './tree.ts';

/** A value without indentation: on one line, a block scalar, or the lines of a block collection. */
export interface Rendered extends StyledText {
  readonly form: 'inline' | 'text' | 'map' | 'seq';
}

/** A value with indentation: the text after the indicator on its line, and the lines after that. */
export interface Placed {
  readonly head: string;
  readonly tail: readonly string[];
}

interface RenderContext {
  readonly layout: BlockLayout;
  readonly anyType: boolean;
  readonly style?: number;
  readonly oneLine?: boolean;
}

export function renderKey(key: string, style: number, inFlow: boolean, anyType: boolean): string {
  const wanted = styledStrings(key, style === SINGLE || style === DOUBLE ? style : PLAIN, { inFlow, anyType, step: 2 });
  const plain = key !== '<<' || style !== PLAIN;
  return (plain ? wanted.find((one) => one.lines.length === 0)?.head : undefined) ?? doubleQuoted(key);
}

/** The candidates for a value in block context, best first. */
export function renderBlock(value: JsonValue, context: RenderContext): Rendered[] {
  const { layout, anyType } = context;
  if (typeof value === 'string') {
    const { style = PLAIN, oneLine = false } = context;
    const styles = styledStrings(value, style, { inFlow: false, anyType, step: layout.step, oneLine });
    return styles.map((one) => ({ ...one, form: one.lines.length > 0 ? 'text' : 'inline' }));
  }
  const bare = bareScalar(value);
  if (bare !== undefined) return [{ form: 'inline', head: bare, lines: [] }];
  if (value instanceof JsonObject ? value.entries.length === 0 : (value as JsonValue[]).length === 0) {
    return [{ form: 'inline', head: value instanceof JsonObject ? '{}' : '[]', lines: [] }];
  }
  // A nested block scalar can fail at the end of the file; then escape its line breaks.
  return [false, true].map((oneLine) => collection(value as JsonObject | JsonValue[], { layout, anyType, oneLine }));
}

function collection(value: JsonObject | JsonValue[], context: RenderContext): Rendered {
  const { layout, anyType } = context;
  if (value instanceof JsonObject) {
    const lines = value.entries.flatMap(([key, item]) => {
      const { head, tail } = underKey(firstBlock(item, context), 0, layout);
      return [`${renderKey(key, PLAIN, false, anyType)}:${head && ` ${head}`}`, ...tail];
    });
    return { form: 'map', head: '', lines };
  }
  const lines = value.flatMap((item) => {
    const { head, tail } = underDash(firstBlock(item, context), 0, ' ', layout);
    return [`- ${head}`, ...tail];
  });
  return { form: 'seq', head: '', lines };
}

function firstBlock(value: JsonValue, context: RenderContext): Rendered {
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    const isEmpty = value instanceof JsonObject ? value.entries.length === 0 : value.length === 0;
    if (!isEmpty) return collection(value, context);
  }
  return renderBlock(value, context)[0]!;
}

export function renderFlow(value: JsonValue, flow: FlowLayout, anyType: boolean): string {
  if (typeof value === 'string') {
    const style = flow.valueStyle;
    return styledStrings(value, style, { inFlow: true, anyType, step: 2 })[0]!.head;
  }
  const bare = bareScalar(value);
  if (bare !== undefined) return bare;
  const { padding } = flow;
  if (value instanceof JsonObject) {
    if (value.entries.length === 0) return '{}';
    const parts = value.entries.map(
      ([key, item]) => `${renderKey(key, flow.keyStyle, true, anyType)}: ${renderFlow(item, flow, anyType)}`,
    );
    return `{${padding}${parts.join(', ')}${padding}}`;
  }
  const items = value as JsonValue[];
  if (items.length === 0) return '[]';
  return `[${padding}${items.map((item) => renderFlow(item, flow, anyType)).join(', ')}${padding}]`;
}

export function underKey(value: Rendered, column: number, layout: BlockLayout): Placed {
  const distance = value.form === 'seq' ? layout.dashStep : layout.step;
  return { head: value.head, tail: indented(value.lines, column + distance) };
}

/** Indents the value of a dash at `column`, with `gap` after the dash. */
export function underDash(value: Rendered, column: number, gap: string, layout: BlockLayout): Placed {
  if (value.form === 'inline' || value.form === 'text') {
    return { head: value.head, tail: indented(value.lines, column + layout.step) };
  }
  const [head = '', ...rest] = value.lines;
  return { head, tail: indented(rest, column + 1 + gap.length) };
}

export function asRoot(value: Rendered, column: number, layout: BlockLayout): Placed {
  if (value.form === 'inline' || value.form === 'text') {
    return { head: value.head, tail: indented(value.lines, column + layout.step) };
  }
  const [head = '', ...rest] = value.lines;
  return { head, tail: indented(rest, column) };
}

function indented(lines: readonly string[], columns: number): string[] {
  const margin = ' '.repeat(columns);
  return lines.map((line) => (line === '' ? '' : margin + line));
}

function bareScalar(value: JsonValue): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}
