/** Offsets from the source tokens of the `yaml` package. */
import type { CST, Node } from 'yaml';

type Token = CST.SourceToken;

export interface Item {
  readonly start?: readonly Token[];
  readonly key?: CST.Token | null;
  readonly sep?: readonly Token[];
  readonly value?: CST.Token;
}

const FILLING = new Set(['space', 'newline', 'comment', 'comma', 'byte-order-mark']);
const PROPS = new Set(['anchor', 'tag']);

export function tokensOf(tokens: readonly Token[] | undefined): readonly Token[] {
  return tokens ?? [];
}

export function tokenEnd(token: Token): number {
  return token.offset + token.source.length;
}

/** The end of the last anchor or tag among the tokens, or -1. */
export function lastPropEnd(tokens: readonly Token[] | undefined): number {
  const last = tokensOf(tokens).findLast((token) => PROPS.has(token.type));
  return last === undefined ? -1 : tokenEnd(last);
}

/** The start of an entry: its `? `, dash, anchor or tag, else its key or value. */
export function entryStart(item: Item | undefined, otherwise: number): number {
  return tokensOf(item?.start).find((token) => !FILLING.has(token.type))?.offset ?? otherwise;
}

/** The span of a key; an empty key is before its `:`. */
export function keySpan(item: Item | undefined, key: Node): { from: number; to: number } {
  if (item?.key) {
    const [from, to] = key.range ?? [0, 0];
    return { from, to };
  }
  const colon = tokensOf(item?.sep).find((token) => token.type === 'map-value-ind')?.offset;
  const at = colon ?? key.range?.[0] ?? 0;
  return { from: at, to: at };
}

export function seqItems(token: CST.Token | undefined): readonly Item[] {
  if (token?.type === 'block-seq') {
    return token.items.filter((item) => item.start.some((part) => part.type === 'seq-item-ind'));
  }
  if (token?.type !== 'flow-collection') return [];
  return (token.items as readonly Item[]).filter(
    (item) => item.value || item.sep || item.key || tokensOf(item.start).some((part) => !FILLING.has(part.type)),
  );
}

/** The span of a block scalar: from its header to its last line of text; with `+`, to the blank lines after it. */
export function blockScalarSpan(text: string, node: Node, start: number): { from: number; to: number } {
  const token = node.srcToken;
  if (token?.type !== 'block-scalar') return { from: start, to: start };
  const header = token.props.find((prop): prop is Token => prop.type === 'block-scalar-header');
  const from = header?.offset ?? token.offset;
  const source = header?.source ?? '|';
  const line = text.indexOf('\n', from);
  if (line < 0) return { from, to: from + source.length };
  const body = text.slice(line + 1, line + 1 + token.source.length);
  const kept = source.includes('+') ? body.replace(/\r?\n$/, '') : body.replace(/(?:^|\r?\n)[ \t\r\n]*$/, '');
  if (body.trim() === '' && !source.includes('+')) return { from, to: from + source.length };
  return { from, to: line + 1 + kept.length };
}
