import type { Files } from '../../hosts/files/shape.ts';
import { stepsOf } from '../../text/address/steps.ts';
import type { Document } from '../../text/kind.ts';
import { addressOf, matchOf } from '../../text/walk/match.ts';
import { assertValid, refusePattern } from '../../text/path/read.ts';
import { childrenBelow, type Found, locate, type Name } from '../../text/walk/walk.ts';
import { secretFile } from '../secrets/secrets.ts';
import type { AnswerLimits, OutlineAnswer, OutlineEntry } from './answer.ts';
import { type Loader, loaderFor } from './loader.ts';
import { withOpen } from './with-open.ts';
import { type AddressRequest, isHidden, locateTarget, parseRequest, type Target } from './request.ts';

export const DEFAULT_DEPTH = 2;
const DEFAULT_LIMITS: AnswerLimits = { matches: 10_000, characters: Number.POSITIVE_INFINITY };
const TOKENS = ['[frontmatter]', '[preamble]', '[code]', '[table]'];

/** Lists the addresses in a file, or below a place of it, up to a depth. */
export async function outline(
  files: Files,
  typed: string,
  target: Target,
  depth: number,
  limits: AnswerLimits = DEFAULT_LIMITS,
): Promise<OutlineAnswer> {
  const request = parseRequest(typed, target);
  refusePattern(request.path);
  const shown = await shownDocument(files, request, target);
  return withOpen(files, locateTarget(files, request, target), (file) => {
    const document = shown(file);
    assertValid(document);
    const start = locate(document, stepsOf(request.path));
    if (start === undefined) return { resolved: false, ocPath: typed };
    const entries: OutlineEntry[] = [];
    let characters = 0;
    for (const { found, level } of descend(document, start, depth, 1)) {
      const path = addressOf(request.path, document.kind === 'md' ? found.names : spread(found.names));
      const match = matchOf(document, found);
      characters += path.length + ('valueText' in match ? match.valueText.length : 0);
      if (entries.length === limits.matches || characters > limits.characters)
        return { file: typed, kind: request.kind, entries, truncated: true };
      entries.push({ path, depth: level, match });
    }
    return { file: typed, kind: request.kind, entries };
  });
}

/** Environment files with hidden values are shown masked; other files with secrets are refused. */
async function shownDocument(files: Files, request: AddressRequest, target: Target): Promise<Loader['document']> {
  const loader = await loaderFor(request.kind, files, 0);
  if (target.hides === undefined) return (file) => loader.document(file);
  const { masked } = await import('./masked-subject.ts');
  return (file) => {
    const isMasked = isHidden(file, request.path, target);
    if (isMasked && request.kind !== 'dotenv') throw secretFile(request.path.file);
    const document = loader.document(file);
    loader.count(document.expandedLength ?? document.text.length);
    return isMasked ? masked(document) : document;
  };
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
