/**
 * Walks a document of any kind along the steps of an address. Wildcards, unions, predicates, ordinals and positions
 * are implemented here once, over `children`, `child`, `below` and `probe` of the kinds.
 */
import { MAX_TRAVERSAL_DEPTH, OcPathError } from '../address/address.ts';
import { formatSegment } from '../address/format.ts';
import { satisfies } from '../address/predicate.ts';
import type { Step } from '../address/steps.ts';
import type { Sub } from '../address/sub.ts';
import type { Document, Place, Slot } from '../kind.ts';
import { brokenDocument } from './broken.ts';

const NONE: ReadonlySet<string> = new Set();

/** For each step, the places from which the remaining steps have been followed. */
type Visited = Map<number, Set<string>>;

export interface Name {
  readonly slot: Slot;
  readonly text: string;
}

/** A place with its names. `insertion` is set if the address ends in an insertion marker. */
export interface Found<P extends Place = Place> {
  readonly place: P;
  readonly names: readonly Name[];
  readonly insertion?: true;
}

/**
 * Yields every place that the steps name once, in document order. The remaining steps are followed once from each
 * place, so the work is bounded by places times steps for any pattern.
 */
export function* walk<P extends Place>(
  document: Document<P>,
  steps: readonly Step[],
  start: P = document.root,
): Generator<Found<P>> {
  yield* expand(document, start, steps, 0, [], mayRepeat(document, steps) ? new Map() : undefined);
}

export function locate<P extends Place>(document: Document<P>, steps: readonly Step[]): Found<P> | undefined {
  for (const found of expand(document, document.root, steps, 0, [], undefined)) return found;
  return undefined;
}

/** The place that one concrete step (no pattern, no insertion) leads to. */
export function follow<P extends Place>(document: Document<P>, place: P, step: Step): P | undefined {
  for (const next of select(document, place, step.slot, step.sub, step.spelling)) return next.place;
  return undefined;
}

function* expand<P extends Place>(
  document: Document<P>,
  place: P,
  steps: readonly Step[],
  at: number,
  names: readonly Name[],
  visited: Visited | undefined,
): Generator<Found<P>> {
  const step = steps[at];
  // `**` records its places itself.
  if (step?.sub.type !== 'deep' && !isFirstVisit(document, place, steps, at, names, visited)) return;
  if (step === undefined) {
    yield { place, names };
    return;
  }
  const [problem] = document.problemsAt?.(place) ?? [];
  if (problem !== undefined) throw brokenDocument(document, problem);
  if (step.sub.type === 'insert') {
    const name = { slot: step.slot, text: step.spelling };
    if (document.container(place) !== undefined) yield { place, names: [...names, name], insertion: true };
    return;
  }
  if (step.sub.type === 'deep') {
    yield* expandDeep(document, place, steps, at, names, visited);
    return;
  }
  for (const next of select(document, place, slotAfter(names, step.slot), step.sub, step.spelling))
    yield* expand(document, next.place, steps, at + 1, [...names, next.name], visited);
}

/** Follows the steps after `**` from the place and all its descendants. Uses an explicit stack, because documents are large. */
function* expandDeep<P extends Place>(
  document: Document<P>,
  start: P,
  steps: readonly Step[],
  at: number,
  startNames: readonly Name[],
  visited: Visited | undefined,
): Generator<Found<P>> {
  const { slot, spelling } = steps[at]!;
  const next = steps[at + 1];
  const literal = next?.sub.type === 'literal' ? next.sub : undefined;
  const waiting = [{ place: start, names: startNames }];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    const { place, names } = here;
    if (!isFirstVisit(document, place, steps, at, names, visited)) continue;
    // Most places have no child with the next name: skip them without starting a generator.
    const isPassed =
      literal !== undefined &&
      document.child(place, slotAfter(names, next!.slot), literal.text, literal.quoted) === undefined;
    if (!isPassed) yield* expand(document, place, steps, at + 1, names, visited);
    if (place.shape === 'leaf' && document.below === undefined) continue;
    const children = childrenBelow(document, place, slot);
    if (children.length > 0 && names.length >= MAX_TRAVERSAL_DEPTH)
      throw new OcPathError('OC_PATH_DEPTH_EXCEEDED', `'**' descends at most ${MAX_TRAVERSAL_DEPTH} levels`, spelling);
    for (let i = children.length - 1; i >= 0; i--) {
      const { place: child, name } = children[i]!;
      waiting.push({ place: child, names: [...names, name] });
    }
  }
}

/** `**` may already be in fields. An address cannot have an item below a field, so it continues in fields. */
function slotAfter(names: readonly Name[], slot: Slot): Slot {
  return names.at(-1)?.slot === 'field' ? 'field' : slot;
}

export interface NamedChild<P> {
  readonly place: P;
  readonly name: Name;
}

function* select<P extends Place>(
  document: Document<P>,
  place: P,
  slot: Slot,
  sub: Sub,
  spelling: string,
): Generator<NamedChild<P>> {
  switch (sub.type) {
    case 'literal': {
      const child = document.child(place, slot, sub.text, sub.quoted);
      if (child !== undefined) yield { place: child, name: { slot, text: spelling } };
      return;
    }
    case 'union':
      for (const alternative of sub.alternatives) {
        const spelled = alternative.type === 'literal' ? spellLiteral(alternative) : '';
        yield* select(document, place, slot, alternative, spelled);
      }
      return;
    case 'any':
      yield* namedChildren(document, place, slot);
      return;
    case 'predicate':
      for (const next of namedChildren(document, place, slot)) {
        const leaf = document.probe(next.place, sub.predicate.key);
        if (leaf !== undefined && satisfies(leaf, sub.predicate)) yield next;
      }
      return;
    case 'first':
    case 'last':
    case 'ordinal': {
      const all = namedChildren(document, place, slot);
      const next = sub.type === 'first' ? all[0] : sub.type === 'last' ? all.at(-1) : all[sub.index];
      if (next !== undefined) yield next;
      return;
    }
    case 'deep':
    case 'insert':
      return;
  }
}

/** Spells a literal alternative of a union so that it parses back; dots in it belong to the key. */
function spellLiteral(sub: Extract<Sub, { type: 'literal' }>): string {
  return sub.quoted || !/^\[.*\]$/.test(sub.text) ? formatSegment(sub.text) : sub.text;
}

/** The children with the names to print: `#N` for a name that several siblings share. */
function namedChildren<P extends Place>(document: Document<P>, place: P, slot: Slot): NamedChild<P>[] {
  const children = [...document.children(place, slot)];
  return withNames(
    document,
    children.map((child) => [slot, child] as const),
  );
}

/** The children of a place in any slot, each once, with the names to print. */
export function childrenBelow<P extends Place>(document: Document<P>, place: P, slot: Slot): NamedChild<P>[] {
  if (document.below === undefined) return namedChildren(document, place, slot);
  return withNames(document, [...document.below(place)]);
}

function withNames<P extends Place>(document: Document<P>, children: readonly (readonly [Slot, P])[]): NamedChild<P>[] {
  const repeated = repeatedNames(children);
  return children.map(([slot, child]) => {
    const isUnique = repeated.size === 0 || !repeated.has(`${slot}:${child.name}`);
    // An empty Markdown slug is not a name; in the other kinds the empty string is a valid key.
    const byNumber = !isUnique || (child.name === '' && document.kind === 'md');
    const text = byNumber ? `#${child.ordinal}` : child.token ? child.name : formatSegment(child.name);
    return { place: child, name: { slot, text } };
  });
}

/** The names that two children of one slot share, as `slot:name`. */
function repeatedNames(children: readonly (readonly [Slot, Place])[]): ReadonlySet<string> {
  const seen = { section: new Set<string>(), item: new Set<string>(), field: new Set<string>() };
  let repeated: Set<string> | undefined;
  for (const [slot, { name }] of children) {
    if (seen[slot].has(name)) (repeated ??= new Set()).add(`${slot}:${name}`);
    else seen[slot].add(name);
  }
  return repeated ?? NONE;
}

/** A place can be reached twice by a union, by a second `**`, or in Markdown as an item of two sections. */
function mayRepeat(document: Document, steps: readonly Step[]): boolean {
  const deep = steps.filter((step) => step.sub.type === 'deep').length;
  return deep > 1 || (deep > 0 && document.kind === 'md') || steps.some((step) => step.sub.type === 'union');
}

/** Records that the steps from `at` on are followed from this place; false if they were before. */
function isFirstVisit<P extends Place>(
  document: Document<P>,
  place: P,
  steps: readonly Step[],
  at: number,
  names: readonly Name[],
  visited: Visited | undefined,
): boolean {
  if (visited === undefined) return true;
  let places = visited.get(at);
  if (places === undefined) visited.set(at, (places = new Set()));
  const key = identity(document, place, steps[at], names);
  if (places.has(key)) return false;
  places.add(key);
  return true;
}

function identity<P extends Place>(
  document: Document<P>,
  place: P,
  next: Step | undefined,
  names: readonly Name[],
): string {
  // An alias gives one span several addresses, and each is a separate match.
  if (document.kind === 'yaml') return names.map((name) => name.text).join('/');
  // In Markdown, the children of a place depend on the slot.
  const isEnd = next === undefined || next.sub.type === 'insert';
  const slot = isEnd || document.below === undefined ? '' : slotAfter(names, next.slot);
  return `${place.start}:${place.end}:${place.anchor}:${place.shape}:${slot}`;
}
