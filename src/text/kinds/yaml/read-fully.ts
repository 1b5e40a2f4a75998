/**
 * The full reader, for texts that the scanner cannot prove: converts the nodes and source tokens of the `yaml` package
 * into rows of the same tree.
 */
import type { Node, Pair } from 'yaml';
import type { Problem } from '../../kind.ts';
import {
  blockScalarSpan,
  entryStart,
  type Item,
  keySpan,
  lastPropEnd,
  seqItems,
  tokenEnd,
  tokensOf,
} from './source-tokens.ts';
import type { YamlLibrary } from './library.ts';
import { shallowTokens, TooDeep } from './nesting.ts';
import type { ParsedYaml } from './yaml-source.ts';
import {
  AFTER,
  ALIAS,
  BLOCK,
  DOUBLE,
  EMPTY,
  END,
  ENTRY,
  FLOW,
  FOLDED,
  LITERAL,
  MAP,
  MAX_DEPTH,
  META,
  NEXT,
  NO_COLON,
  PLAIN,
  placeRoot,
  SCALAR,
  SEQ,
  SINGLE,
  Tree,
} from './tree.ts';

/** The limit for the number of rows with all aliases expanded, against bombs of nested aliases. */
const MAX_EXPANDED = 1_000_000;

const TOO_DEEP = `more than ${MAX_DEPTH} levels, aliases followed`;

const STYLES: Readonly<Record<string, number>> = {
  PLAIN,
  QUOTE_SINGLE: SINGLE,
  QUOTE_DOUBLE: DOUBLE,
  BLOCK_LITERAL: LITERAL,
  BLOCK_FOLDED: FOLDED,
};

export function readFully(text: string, library: YamlLibrary): ParsedYaml {
  if (text.charCodeAt(0) !== 0xfeff) return readBare(text, library);
  // The package counts a byte order mark as a column, so the second line would be less indented than the first.
  const { tree, problems } = readBare(text.slice(1), library);
  return {
    tree: tree.shiftedBy(1, text),
    problems: problems.map((problem) => ({ ...problem, offset: problem.offset + 1 })),
  };
}

function readBare(text: string, library: YamlLibrary): ParsedYaml {
  const reader = new FullReader(text, library);
  try {
    reader.run();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    reader.report(error instanceof TooDeep ? error.offset : 0, parseFailure(error));
  }
  return { tree: reader.tree, problems: reader.problems };
}

class BeyondLimit extends Error {}

/** Parsing never throws: any error of the package becomes a problem. It is only known to throw on deep recursion. */
function parseFailure(error: Error): string {
  if (error instanceof BeyondLimit) return error.message;
  return error instanceof RangeError || error instanceof TooDeep
    ? TOO_DEEP
    : `the YAML parser failed: ${error.message}`;
}

interface Extent {
  readonly size: number;
  readonly height: number;
  /** How much longer the text is with its aliases expanded. */
  readonly added: number;
}

const ONE: Extent = { size: 1, height: 1, added: 0 };

class FullReader {
  readonly tree: Tree;
  readonly problems: Problem[] = [];
  private readonly library: YamlLibrary;
  private readonly text: string;
  private readonly anchors = new Map<string, Node>();
  private readonly rowOf = new Map<Node, number>();
  /** Size and height of each row with its aliases expanded. */
  private readonly extents = new Map<number, Extent>();
  private readonly open = new Set<Node>();
  private readonly waiting: { row: number; name: string; node: Node }[] = [];

  constructor(text: string, library: YamlLibrary) {
    this.text = text;
    this.library = library;
    this.tree = new Tree(text);
  }

  run(): void {
    const composer = new this.library.Composer({
      keepSourceTokens: true,
      uniqueKeys: false,
      version: '1.2',
      merge: false,
      resolveKnownTags: false,
      logLevel: 'silent',
      prettyErrors: false,
    });
    const documents = [...composer.compose(shallowTokens(this.text, this.library))];
    for (const document of documents) {
      for (const { code, message, pos } of document.errors) {
        this.report(pos[0], code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : lowerFirst(message));
      }
    }
    if (this.problems.length > 0) return;
    for (const document of documents) {
      this.anchors.clear();
      const contents = document.contents as Node | null;
      const at = contents?.range?.[0] ?? this.text.length;
      const row = this.tree.add(at, -1, -1, 0, at);
      this.tree.documents.push(row);
      if (contents !== null) this.tree.added += this.build(contents, row, 0).added;
      placeRoot(this.tree, row, contents === null ? -1 : trimmedEnd(this.text, at));
    }
    if (this.tree.documents.length === 0) {
      const row = this.tree.add(0, -1, -1, 0, 0);
      this.tree.documents.push(row);
      placeRoot(this.tree, row, -1);
    }
    this.resolveAliases();
  }

  report(offset: number, message: string): void {
    this.problems.push({ code: 'OC_YAML_PARSE_FAILED', offset, message });
  }

  /** Fills a row from a node; returns its extent. */
  private build(node: Node, row: number, depth: number): Extent {
    const { library, tree } = this;
    const [start = 0, end = 0] = node.range ?? [];
    if (depth >= MAX_DEPTH) throw new BeyondLimit(TOO_DEEP);
    this.rowOf.set(node, row);
    let below: readonly Extent[] = [];
    if (library.isAlias(node)) {
      tree.fill(row, ALIAS, 0, start, end);
      below = this.alias(node.source, row, start);
    } else {
      if (node.anchor) this.anchors.set(node.anchor, node);
      if (library.isScalar(node)) this.scalar(node, row, start, end);
      else {
        this.open.add(node);
        if (library.isMap(node)) below = this.map(node, row, depth);
        else if (library.isSeq(node)) below = this.seq(node, row, depth);
        this.open.delete(node);
      }
    }
    tree.set(row, NEXT, tree.count);
    return this.measure(row, below);
  }

  private measure(row: number, below: readonly Extent[]): Extent {
    let { size, height, added } = ONE;
    for (const part of below) {
      size += part.size;
      added += part.added;
      height = Math.max(height, part.height + 1);
    }
    if (height > MAX_DEPTH) throw new BeyondLimit(TOO_DEEP);
    if (size > MAX_EXPANDED && this.waiting.length > 0) {
      throw new BeyondLimit(`the aliases expand to more than ${MAX_EXPANDED} values`);
    }
    const extent = { size, height, added };
    this.extents.set(row, extent);
    return extent;
  }

  private alias(name: string, row: number, offset: number): readonly Extent[] {
    const node = this.anchors.get(name);
    if (node === undefined) this.report(offset, `the alias *${name} has no anchor &${name} before it`);
    else if (this.open.has(node)) this.report(offset, `the alias *${name} is inside its own anchor`);
    else {
      this.waiting.push({ row, name, node });
      const { size, height, added } = this.extents.get(this.rowOf.get(node) ?? -1) ?? keyExtent(node, this.library);
      const [start = 0, end = 0] = node.range ?? [];
      return [{ size, height, added: added + end - start }];
    }
    return [];
  }

  private scalar(
    node: Node & { value?: unknown; source?: string; type?: string },
    row: number,
    start: number,
    end: number,
  ): void {
    const { tree } = this;
    const style = STYLES[node.type ?? 'PLAIN'] ?? PLAIN;
    if (style === LITERAL || style === FOLDED) {
      const { from, to } = blockScalarSpan(this.text, node, start);
      tree.fill(row, SCALAR, style, from, to);
    } else if (style === PLAIN && start === end) {
      const at = tree.get(row, AFTER);
      tree.fill(row, SCALAR, EMPTY, at, at);
    } else tree.fill(row, SCALAR, style, start, end);
    const { value, source = '' } = node;
    if (value === null || value === undefined) tree.scalars.set(row, { type: 'null', text: source });
    else if (typeof value === 'number' || typeof value === 'bigint')
      tree.scalars.set(row, { type: 'number', text: source });
    else if (typeof value === 'boolean') tree.scalars.set(row, { type: 'boolean', text: source });
    else tree.scalars.set(row, { type: 'string', text: typeof value === 'string' ? value : source });
  }

  private map(node: Node & { items: Pair<unknown, unknown>[]; flow?: boolean }, row: number, depth: number): Extent[] {
    const { tree } = this;
    const [start = 0, end = 0] = node.range ?? [];
    tree.fill(row, MAP, node.flow === true ? FLOW : BLOCK, start, end);
    const below: Extent[] = [];
    for (const pair of node.items) {
      const item = pair.srcToken as Item | undefined;
      const key = pair.key as Node;
      const { from, to } = keySpan(item, key);
      const separator = item?.sep?.find((token) => token.type === 'map-value-ind');
      const after = Math.max(separator ? tokenEnd(separator) : to, lastPropEnd(item?.sep));
      const child = tree.add(entryStart(item, from), from, to, 0, after);
      this.key(key, child, from, to);
      if (separator === undefined) tree.set(child, META, tree.get(child, META) | NO_COLON);
      below.push(pair.value ? this.build(pair.value as Node, child, depth + 1) : this.emptyValue(child));
    }
    if (node.items.length > 0 && (node.flow !== true || this.text[start] !== '{')) this.setBlockSpan(row);
    return below;
  }

  private seq(node: Node & { items: unknown[]; flow?: boolean }, row: number, depth: number): Extent[] {
    const { tree } = this;
    const [start = 0, end = 0] = node.range ?? [];
    tree.fill(row, SEQ, node.flow === true ? FLOW : BLOCK, start, end);
    const below: Extent[] = [];
    const items = seqItems(node.srcToken);
    for (const [index, value] of (node.items as Node[]).entries()) {
      const item = items[index];
      const at = value.range?.[0] ?? start;
      const dash = tokensOf(item?.start).find((token) => token.type === 'seq-item-ind');
      const after = Math.max(dash ? tokenEnd(dash) : at, lastPropEnd(item?.start));
      below.push(this.build(value, tree.add(entryStart(item, at), -1, -1, 0, after), depth + 1));
    }
    if (node.items.length > 0 && node.flow !== true) this.setBlockSpan(row);
    return below;
  }

  /** Sets the span of a collection without brackets: from its first entry to its last value. */
  private setBlockSpan(row: number): void {
    const { tree } = this;
    let last = row + 1;
    for (let next = tree.get(last, NEXT); next < tree.count; next = tree.get(last, NEXT)) last = next;
    tree.fill(row, tree.type(row), tree.style(row), tree.get(row + 1, ENTRY), tree.get(last, END));
  }

  private emptyValue(row: number): Extent {
    this.tree.scalars.set(row, { type: 'null', text: '' });
    return this.measure(row, []);
  }

  /** Sets the name of a child; a key that is a collection is named by its source. */
  private key(key: Node, child: number, from: number, to: number): void {
    const { library, tree, text } = this;
    this.registerAnchors(key);
    let name = text.slice(from, to);
    let scalar: Node | undefined = key;
    if (library.isAlias(key)) {
      scalar = this.anchors.get(key.source);
      if (scalar === undefined) this.report(from, `the alias *${key.source} has no anchor &${key.source} before it`);
    } else if (library.isScalar(key)) {
      tree.set(child, META, tree.get(child, META) | ((STYLES[key.type ?? 'PLAIN'] ?? PLAIN) << 6));
    }
    if (scalar !== undefined && library.isScalar(scalar)) {
      name = scalar.type === 'PLAIN' || typeof scalar.value !== 'string' ? (scalar.source ?? '') : scalar.value;
    }
    tree.keyNames.set(child, name);
    if (library.isAlias(key)) tree.added += name.length;
  }

  private registerAnchors(node: unknown): void {
    const { library } = this;
    if (library.isAlias(node)) return;
    if (library.isScalar(node) || library.isMap(node) || library.isSeq(node)) {
      if (node.anchor) this.anchors.set(node.anchor, node);
      if (library.isScalar(node)) return;
      for (const item of node.items as (Node | Pair)[]) {
        if ('key' in item) {
          this.registerAnchors(item.key);
          this.registerAnchors(item.value);
        } else this.registerAnchors(item);
      }
    }
  }

  /** Sets the target row of each alias. An anchored key has no row yet, and gets one outside all documents. */
  private resolveAliases(): void {
    for (const { row, name, node } of this.waiting) {
      let target = this.rowOf.get(node);
      if (target === undefined) {
        const at = node.range?.[0] ?? 0;
        target = this.tree.add(at, -1, -1, 0, at);
        this.build(node, target, 0);
      }
      this.tree.aliases.set(row, { name, target });
    }
  }
}

/** The extent of an anchored key, which is only read at the end. */
function keyExtent(node: Node, library: YamlLibrary): Extent {
  return library.isScalar(node) ? ONE : { ...ONE, added: Number.POSITIVE_INFINITY };
}

function trimmedEnd(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at - 1) === 32 || text.charCodeAt(at - 1) === 9) at--;
  return at;
}

/** Messages of the package start with a capital; here they follow the line and column. */
function lowerFirst(message: string): string {
  return message.replace(/^[A-Z](?=[a-z])/u, (first) => first.toLowerCase());
}
