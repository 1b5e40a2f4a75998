/** Finds, adds and removes one member or list element of a JSON, JSONC or JSON5 file, and changes no other byte. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { type Translated, toJsonc } from '../../config/load/source/translate.ts';
import { toJson } from '../../text/json/data.ts';
import { type JsoncPlace, parseJsonc } from '../../text/kinds/jsonc/jsonc.ts';
import type { Change, Document } from '../../text/kind.ts';
import { dominantEol } from '../../text/lines/eol.ts';
import { applySplices } from '../../text/lines/splice.ts';
import {
  conflictAt,
  type EditResult,
  type Editor,
  foreignEntry,
  isBlank,
  syntaxFault,
  syntaxFaultAt,
} from './editor.ts';

type Members = Readonly<Record<string, unknown>>;
type Purpose = 'find' | 'renew' | 'remove';

/** The place and the value of pincer's entry in a document. */
export interface Target {
  /** The path of the entry, or of the list if `inList` is set. */
  readonly at: readonly string[];
  readonly value: Members;
  /** Whether a present entry is pincer's; for lists `find` decides. */
  isOurs?(present: unknown): boolean;
  /** Members that init manages: they are removed if `value` does not contain them. */
  readonly owned?: readonly string[];
  /** The element in the list. Paths start with its index. */
  readonly inList?: {
    /** The path of the entry. */
    find(list: readonly unknown[]): readonly string[] | undefined;
    /** The path of the part to update. */
    renew(list: readonly unknown[]): readonly string[] | undefined;
    /** The new members of that part. */
    over(present: unknown): Members;
    /** The path of the part to remove. */
    remove(list: readonly unknown[]): readonly string[] | undefined;
  };
}

interface Options {
  readonly path: string;
  readonly format: 'jsonc' | 'json5';
  readonly target: Target;
  readonly parse: (text: string) => unknown;
}

/** `parse` is the parser of JSON5, which accepts JSON and JSONC too. */
export function jsonEditor(options: Options): Editor {
  return {
    find(text) {
      if (isBlank(text)) return undefined;
      const view = open(text, options);
      const place = ourPlace(view, options, 'find');
      return place === undefined ? undefined : valueAt(view, place);
    },
    isTaken: (text) => !isBlank(text) && anyPlace(open(text, options), options, 'find') !== undefined,
    put: (text) => put(text, options),
    take(text, made) {
      if (isBlank(text)) return text;
      const view = open(text, options);
      const place = ourPlace(view, options, 'remove');
      if (place === undefined) return text;
      return changed(view, view.document.remove(highest(view, place, made)));
    },
  };
}

interface View {
  readonly source: string;
  readonly seen: Translated;
  readonly document: Document<JsoncPlace>;
  readonly parse: (text: string) => unknown;
}

function open(source: string, { path, format, parse, target }: Options): View {
  const seen = format === 'json5' ? translateToJsonc(source, path, parse) : { text: source, origin: same };
  const document = parseJsonc(seen.text);
  const [problem] = document.problems;
  if (problem !== undefined) throw syntaxFaultAt(path, seen.text, problem.offset, problem.message);
  if (document.container(document.root) !== 'jsonc-object')
    throw conflictAt(
      path,
      seen.text,
      document.root.start,
      'expected an object',
      'correct the file first; nothing was written',
    );
  refuseDuplicates(document, target.at, path);
  return { source, seen, document, parse };
}

const same = (offset: number): number => offset;

function translateToJsonc(source: string, path: string, parse: (text: string) => unknown): Translated {
  // A byte order mark is whitespace in JSON5, and stays.
  try {
    parse(source);
  } catch (error) {
    const {
      lineNumber = 1,
      columnNumber = 1,
      message,
    } = error as { lineNumber?: number; columnNumber?: number; message: string };
    // The message repeats the position at its end; the parser counts the end of a line as column 0 of the next.
    const what = message.replace(/^JSON5: /u, '').replace(/ at \d+:\d+$/u, '');
    throw syntaxFault(path, lineNumber, Math.max(1, columnNumber), what);
  }
  return toJsonc(source, parse);
}

/** Parsers disagree which of two members with one name is effective, so init cannot know which one to change. */
function refuseDuplicates(document: Document<JsoncPlace>, at: readonly string[], path: string): void {
  let place: JsoncPlace | undefined = document.root;
  for (const name of at) {
    if (place === undefined || document.container(place) !== 'jsonc-object') return;
    const [first, second]: JsoncPlace[] = [...document.children(place, 'field')].filter((child) => child.name === name);
    if (second !== undefined)
      throw conflictAt(
        path,
        document.text,
        second.anchor,
        `duplicate member ${JSON.stringify(name)}`,
        'remove one of the two; nothing was written',
      );
    place = first;
  }
}

/** The place of pincer's entry, if there is one. */
function ourPlace(view: View, options: Options, purpose: Purpose): JsoncPlace | undefined {
  const place = anyPlace(view, options, purpose);
  if (place === undefined || options.target.inList !== undefined) return place;
  return options.target.isOurs?.(valueAt(view, place)) === false ? undefined : place;
}

/** The place of any entry with pincer's name; in a list, of pincer's entry only. */
function anyPlace(view: View, { target }: Options, purpose: Purpose): JsoncPlace | undefined {
  const place = follow(view, view.document.root, target.at);
  if (place === undefined || target.inList === undefined) return place;
  const list = valueAt(view, place);
  const inside = Array.isArray(list) ? target.inList[purpose](list) : undefined;
  return inside === undefined ? undefined : follow(view, place, inside);
}

function follow({ document }: View, from: JsoncPlace, names: readonly string[]): JsoncPlace | undefined {
  let place: JsoncPlace | undefined = from;
  for (const name of names) if (place !== undefined) place = document.child(place, 'field', name, true);
  return place;
}

function valueAt({ seen, parse }: View, { start, end }: JsoncPlace): unknown {
  return parse(seen.text.slice(start, end));
}

function put(text: string, options: Options): EditResult {
  const { target, parse } = options;
  if (isBlank(text)) return newDocument(text, options);
  const view = open(text, options);
  const present = ourPlace(view, options, 'renew');
  const value = { json: toJson(target.value) };
  if (present !== undefined) return { text: renewed(view, present, options), made: [] };
  const foreign = target.inList === undefined ? anyPlace(view, options, 'find') : undefined;
  if (foreign !== undefined) throw foreignEntry(options.path, text, offsetIn(view, foreign), target.at);
  const { place, missing, made } = deepest(view, options);
  const list = view.document.container(place) === 'jsonc-array';
  const [first, ...rest] = missing;
  const wrapped = target.inList === undefined || list ? value : { json: toJson([target.value]) };
  const below = rest.map((name) => ({ slot: 'field' as const, name }));
  const where = list ? { at: 'end' as const } : { at: 'key' as const, key: first! };
  const after = changed(view, view.document.insert(place, 'field', where, below, wrapped));
  if (!isDeepStrictEqual(parse(after), edited(parse(text), target)))
    throw new Fault('INTERNAL_ERROR', `the edit of ${options.path} would have a wrong result`, {
      hint: 'nothing was written; please report this with the file',
    });
  return { text: after, made };
}

/** Updates the members that init writes; members that the user added stay, and so do comments. */
function renewed(view: View, present: JsoncPlace, options: Options): string {
  const { target } = options;
  const names = namesOf(present);
  const before = valueAt(view, present);
  const written = target.inList === undefined ? mergeTables(before, target.value) : target.inList.over(before);
  const gone = (target.owned ?? []).filter((name) => !Object.hasOwn(written, name));
  const wanted = { ...(before as Members), ...written, ...Object.fromEntries(gone.map((name) => [name, undefined])) };
  let text = view.source;
  for (const [name, value] of Object.entries(wanted)) {
    const now = open(text, options);
    const entry = follow(now, now.document.root, names)!;
    const member = now.document.child(entry, 'field', name, true);
    if (value === undefined) {
      if (member !== undefined) text = changed(now, now.document.remove(member));
    } else if (member === undefined)
      text = changed(now, now.document.insert(entry, 'field', { at: 'key', key: name }, [], { json: toJson(value) }));
    else if (!isDeepStrictEqual(valueAt(now, member), value))
      text = changed(now, now.document.write(member, { json: toJson(value) }));
  }
  return text;
}

/** The new members of an entry, with members that the user added to its tables, such as further headers. */
function mergeTables(before: unknown, value: Members): Members {
  const entries = Object.entries(value).map(([name, member]) => {
    const old = (before as Members)[name];
    return [name, isTable(old) && isTable(member) ? { ...old, ...member } : member];
  });
  return Object.fromEntries(entries) as Members;
}

function isTable(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The deepest existing place on the path, and the missing rest. */
function deepest(
  view: View,
  { path, target }: Options,
): { place: JsoncPlace; missing: readonly string[]; made: readonly (readonly string[])[] } {
  const { document } = view;
  let place = document.root;
  let known = 0;
  for (const name of target.at) {
    const next = document.child(place, 'field', name, true);
    if (next === undefined) break;
    place = next;
    known++;
    const wanted = known === target.at.length && target.inList !== undefined ? 'jsonc-array' : 'jsonc-object';
    if (document.container(place) !== wanted)
      throw conflictAt(
        path,
        document.text,
        place.start,
        `${target.at.slice(0, known).join('.')} must be ${wanted === 'jsonc-array' ? 'a list' : 'an object'}`,
        'correct the file first; nothing was written',
      );
  }
  const parents = target.inList === undefined ? target.at.length - 1 : target.at.length;
  const made = Array.from({ length: Math.max(0, parents - known) }, (_, i) => target.at.slice(0, known + i + 1));
  return { place, missing: target.at.slice(known), made };
}

function newDocument(blank: string, { target }: Options): EditResult {
  const document = edited({}, target);
  const eol = dominantEol(blank);
  const parents = target.inList === undefined ? target.at.slice(0, -1) : target.at;
  return {
    text: `${blank.startsWith('\uFEFF') ? '\uFEFF' : ''}${JSON.stringify(document, null, 2).replaceAll('\n', eol)}${eol}`,
    made: parents.map((_, i) => parents.slice(0, i + 1)),
  };
}

/** The expected data after the edit. */
function edited(data: unknown, { at, value, inList }: Target): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return inList === undefined ? value : [...((data as unknown[]) ?? []), value];
  const object = (data ?? {}) as Record<string, unknown>;
  return { ...object, [name]: edited(object[name], { at: rest, value, ...(inList === undefined ? {} : { inList }) }) };
}

/** The place itself, or its highest parent that contains nothing else and may be removed. */
function highest(view: View, place: JsoncPlace, made: readonly (readonly string[])[] | undefined): JsoncPlace {
  const { document } = view;
  const parent = place.parent;
  if (parent?.parent === undefined) return place;
  const names = namesOf(parent);
  const ours = made === undefined || made.some((path) => isDeepStrictEqual(path, names));
  if (!ours || [...document.children(parent, 'field')].length !== 1) return place;
  // A comment inside belongs to the user.
  const around = `${document.text.slice(parent.start + 1, place.anchor)}${document.text.slice(place.end, parent.end - 1)}`;
  return /^[\s,]*$/u.test(around) ? highest(view, parent, made) : place;
}

function namesOf(place: JsoncPlace): readonly string[] {
  return place.parent === undefined ? [] : [...namesOf(place.parent), place.name];
}

/** The offset of a place in the file itself. */
function offsetIn({ seen }: View, { anchor }: JsoncPlace): number {
  return seen.origin(anchor);
}

function changed({ source, seen }: View, change: Change): string {
  if (change.ok)
    return applySplices(
      source,
      change.splices.map(({ start, end, text }) => ({ start: seen.origin(start), end: seen.origin(end), text })),
    );
  throw new Fault('INTERNAL_ERROR', `the entry cannot be changed: ${change.detail}`, {
    hint: 'nothing was written; please report this with the file',
  });
}
