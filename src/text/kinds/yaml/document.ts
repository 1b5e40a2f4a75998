import { JsonObject, type JsonValue } from '../../json/value.ts';
import type { Change, Document, Insertion, Leaf, NewStep, NewValue, Problem, Slot } from '../../kind.ts';
import { insertChild } from './insert.ts';
import { childPlace, childPlaces, DOCUMENTS, documentsPlace, rootPlace, type YamlPlace } from './place.ts';
import { plainNumber } from './plain-scalar.ts';
import { leafOf, scalarOf } from './rows.ts';
import { removePlace } from './remove.ts';
import type { ParsedYaml, YamlSource } from './yaml-source.ts';
import { EMPTY, columnOf, MAP, SCALAR, SEQ, type Tree } from './tree.ts';
import { writeValue } from './write.ts';

export interface YamlOptions {
  /** Every scalar is a string leaf with its unchanged text, as in Markdown frontmatter. */
  readonly scalarsAreStrings?: boolean;
}

export class YamlDocument implements Document<YamlPlace>, YamlSource {
  readonly kind = 'yaml';
  readonly text: string;
  readonly tree: Tree;
  readonly problems: readonly Problem[];
  readonly root: YamlPlace;
  readonly asStrings: boolean;
  readonly read: (text: string) => ParsedYaml;

  constructor(text: string, read: (text: string) => ParsedYaml, options: YamlOptions = {}) {
    const { tree, problems } = read(text);
    this.text = text;
    this.read = read;
    this.tree = tree;
    this.problems = problems;
    this.asStrings = options.scalarsAreStrings === true;
    this.root = rootPlace(tree);
  }

  get expandedLength(): number {
    return this.text.length + this.tree.added;
  }

  children(place: YamlPlace, _slot: Slot): Iterable<YamlPlace> {
    return childPlaces(this.tree, place);
  }

  child(place: YamlPlace, _slot: Slot, name: string, quoted: boolean): YamlPlace | undefined {
    if (name === DOCUMENTS && !quoted && place.up === undefined) return documentsPlace(this.tree, place);
    return childPlace(this.tree, place, name);
  }

  probe(place: YamlPlace, key: string): Leaf | undefined {
    return this.leafAt(place, [key]) ?? (key.includes('.') ? this.leafAt(place, key.split('.')) : undefined);
  }

  leaf(place: YamlPlace): Leaf {
    return leafOf(this.tree, place.target, this.asStrings);
  }

  value(place: YamlPlace): JsonValue {
    if (place.row < 0) return [...this.children(place, 'item')].map((child) => this.value(child));
    const type = this.tree.type(place.target);
    if (type === SEQ) return [...this.children(place, 'item')].map((child) => this.value(child));
    if (type === MAP) {
      return new JsonObject([...this.children(place, 'item')].map((child) => [child.name, this.value(child)] as const));
    }
    const { type: leafType, text } = scalarOf(this.tree, place.target);
    if (this.asStrings || leafType === 'string') return text;
    if (leafType === 'null') return null;
    return leafType === 'boolean' ? text.toLowerCase() === 'true' : plainNumber(text);
  }

  raw(place: YamlPlace): string {
    if (place.row >= 0 && this.tree.type(place.target) === SCALAR) return this.leaf(place).valueText;
    if (place.up === undefined) return this.text;
    const source = this.text.slice(place.start, place.end);
    // A block also keeps the indentation of its first line, so that it is valid YAML.
    const isBlock = place.row >= 0 && this.tree.isBlockCollection(place.target);
    return isBlock ? ' '.repeat(columnOf(this.text, place.start)) + source : source;
  }

  write(place: YamlPlace, value: NewValue): Change {
    return writeValue(this, place, value);
  }

  container(place: YamlPlace): string | undefined {
    if (place.row < 0) return undefined;
    const type = this.tree.type(place.target);
    // An empty value takes a first key or item; an empty document only a key.
    if (type === MAP || (type === SCALAR && this.tree.style(place.target) === EMPTY)) return 'yaml-map';
    return type === SEQ ? 'yaml-seq' : undefined;
  }

  insert(place: YamlPlace, _slot: Slot, where: Insertion, rest: readonly NewStep[], value: NewValue): Change {
    return insertChild(this, place, where, rest, value);
  }

  remove(place: YamlPlace): Change {
    return removePlace(this, place);
  }

  private leafAt(place: YamlPlace, path: readonly string[]): Leaf | undefined {
    let at: YamlPlace | undefined = place;
    for (const name of path) {
      at = at && childPlace(this.tree, at, name);
    }
    return at?.shape === 'leaf' ? this.leaf(at) : undefined;
  }
}
