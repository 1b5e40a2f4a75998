import type { Files } from '../../hosts/files/shape.ts';
import { stepsOf } from '../../text/address/steps.ts';
import type { Document, KindName } from '../../text/kind.ts';
import { addressOf, type Match, matchOf } from '../../text/walk/match.ts';
import { assertValid, refusePattern } from '../../text/path/read.ts';
import { childrenBelow, type Found, locate, type Name } from '../../text/walk/walk.ts';
import { loaderFor } from './load.ts';
import { withOpen } from './open.ts';
import { locateTarget, readQuestion, type Target } from './request.ts';

export interface OutlineEntry {
  readonly path: string;
  readonly depth: number;
  readonly match: Match;
}

export interface Outline {
  readonly kind: KindName;
  readonly entries: readonly OutlineEntry[];
  /** There was more than the limit. */
  readonly truncated: boolean;
}

const LIMIT = 10_000;
const TOKENS = ['[frontmatter]', '[preamble]', '[code]', '[table]'];

/** What can be addressed in a file or below a place of it, so many levels deep. */
export async function outline(
  files: Files,
  typed: string,
  target: Target,
  depth: number,
): Promise<Outline | undefined> {
  const question = readQuestion(typed, target);
  refusePattern(question.path);
  const loader = await loaderFor(question.kind, files, 0);
  return withOpen(files, locateTarget(files, question, target), (file) => {
    const document = loader.document(file);
    assertValid(document);
    const start = locate(document, stepsOf(question.path));
    if (start === undefined) return undefined;
    const entries: OutlineEntry[] = [];
    for (const { found, level } of descend(document, start, depth, 1)) {
      if (entries.length === LIMIT) return { kind: question.kind, entries, truncated: true };
      entries.push({
        path: addressOf(question.path, document.kind === 'md' ? found.names : spread(found.names)),
        depth: level,
        match: matchOf(document, found),
      });
    }
    return { kind: question.kind, entries, truncated: false };
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

/** The names over the slots as a person would write them: the last two in item and field, all before them in the section. */
function spread(names: readonly Name[]): Name[] {
  return names.map(({ text }, at) => {
    const fromEnd = names.length - at;
    if (names.length < 3) return { text, slot: at === 0 ? 'section' : 'item' };
    return { text, slot: fromEnd > 2 ? 'section' : fromEnd === 2 ? 'item' : 'field' };
  });
}

/** The parts of a Markdown file or item that have a name of their own and are not found by wildcards. */
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

/** The documents of a YAML file behind the first, whose content stands at the top already. */
function laterDocuments(document: Document, from: Found): Found[] {
  if (document.kind !== 'yaml' || from.names.length > 0) return [];
  const all = document.child(from.place, 'section', '[doc]', false);
  if (all === undefined) return [];
  return [...document.children(all, 'section')]
    .slice(1)
    .map((place) => ({ place, names: [{ slot: 'section' as const, text: `[doc].${place.name}` }] }));
}
