import type { Files } from '../../hosts/files/shape.ts';
import { stepsOf } from '../../text/address/steps.ts';
import type { Document, KindName } from '../../text/kind.ts';
import { addressOf, type Match, matchOf } from '../../text/walk/match.ts';
import { assertValid, refusePattern } from '../../text/path/read.ts';
import { childrenBelow, type Found, locate, type Name } from '../../text/walk/walk.ts';
import { loaderFor } from './loader.ts';
import { withOpen } from './with-open.ts';
import { locateTarget, parseRequest, type Target } from './request.ts';

export interface OutlineEntry {
  readonly path: string;
  readonly depth: number;
  readonly match: Match;
}

export interface Outline {
  readonly kind: KindName;
  readonly entries: readonly OutlineEntry[];
  /** There are more entries than the limit. */
  readonly truncated: boolean;
}

const LIMIT = 10_000;
const TOKENS = ['[frontmatter]', '[preamble]', '[code]', '[table]'];

/** Lists the addresses in a file, or below a place of it, up to a depth. */
export async function outline(
  files: Files,
  typed: string,
  target: Target,
  depth: number,
): Promise<Outline | undefined> {
  const request = parseRequest(typed, target);
  refusePattern(request.path);
  const loader = await loaderFor(request.kind, files, 0);
  return withOpen(files, locateTarget(files, request, target), (file) => {
    const document = loader.document(file);
    assertValid(document);
    const start = locate(document, stepsOf(request.path));
    if (start === undefined) return undefined;
    const entries: OutlineEntry[] = [];
    for (const { found, level } of descend(document, start, depth, 1)) {
      if (entries.length === LIMIT) return { kind: request.kind, entries, truncated: true };
      entries.push({
        path: addressOf(request.path, document.kind === 'md' ? found.names : spread(found.names)),
        depth: level,
        match: matchOf(document, found),
      });
    }
    return { kind: request.kind, entries, truncated: false };
  });
}

function* descend(
  document: Document,
  from: Found,
  depth: number,
  level: number,
): Generator<{ found: Found; level: number }> {
  if (level > depth) return;
  const slot = from.names.at(-1)?.slot ?? 'section';
  const below = childrenBelow(document, from.place, slot).map(({ place, name }) => ({
    place,
    names: [...from.names, name],
  }));
  for (const found of [...tokens(document, from), ...below, ...laterDocuments(document, from)]) {
    yield { found, level };
    yield* descend(document, found, depth, level + 1);
  }
}

/** Distributes names over the slots: the last two are item and field, the others the section. */
function spread(names: readonly Name[]): Name[] {
  return names.map(({ text }, at) => {
    const fromEnd = names.length - at;
    if (names.length < 3) return { text, slot: at === 0 ? 'section' : 'item' };
    return { text, slot: fromEnd > 2 ? 'section' : fromEnd === 2 ? 'item' : 'field' };
  });
}

/** The parts of a Markdown file or item with special names, which wildcards do not match. */
function tokens(document: Document, from: Found): Found[] {
  if (document.kind !== 'md') return [];
  const { place, names } = from;
  const [slot, known] =
    place.shape === 'root'
      ? (['section', TOKENS] as const)
      : names.at(-1)?.slot === 'item' && place.descriptor === 'md-item'
        ? (['field', ['[checked]']] as const)
        : (['section', []] as const);
  return known.flatMap((token) => {
    const child = document.child(place, slot, token, false);
    return child === undefined ? [] : [{ place: child, names: [...names, { slot, text: token }] }];
  });
}

/** The documents of a YAML file after the first, whose content is at the top level. */
function laterDocuments(document: Document, from: Found): Found[] {
  if (document.kind !== 'yaml' || from.names.length > 0) return [];
  const all = document.child(from.place, 'section', '[doc]', false);
  if (all === undefined) return [];
  return [...document.children(all, 'section')]
    .slice(1)
    .map((place) => ({ place, names: [{ slot: 'section' as const, text: `[doc].${place.name}` }] }));
}
