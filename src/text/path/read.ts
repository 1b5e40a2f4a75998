import { type OcPath, OcPathError } from '../address/address.ts';
import { formatOcPath } from '../address/format.ts';
import { isPattern, stepsOf } from '../address/steps.ts';
import type { Document, Place } from '../kind.ts';
import { brokenDocument } from '../walk/broken.ts';
import { addressOf, type Match, matchOf } from '../walk/match.ts';
import { type Found, locate, walk } from '../walk/walk.ts';

/** The one place that a concrete address names, or undefined. Patterns are refused: they may name many. */
export function locateOcPath<P extends Place>(document: Document<P>, path: OcPath): Found<P> | undefined {
  refusePattern(path);
  assertSound(document);
  return locate(document, stepsOf(path));
}

/** What stands at a concrete address, or undefined. */
export function resolveOcPath(document: Document, path: OcPath): Match | undefined {
  const found = locateOcPath(document, path);
  return found === undefined ? undefined : matchOf(document, found);
}

/** Every match of a pattern with its concrete address, in document order. */
export function* findOcPaths(
  document: Document,
  path: OcPath,
): Generator<{ readonly path: string; readonly match: Match }> {
  assertSound(document);
  for (const found of walk(document, stepsOf(path)))
    yield { path: addressOf(path, found.names), match: matchOf(document, found) };
}

/** Throws for an address that may name many places. */
export function refusePattern(path: OcPath): void {
  if (!isPattern(path)) return;
  throw new OcPathError(
    'OC_PATH_WILDCARD_IN_RESOLVE',
    'resolve needs one place, and this pattern may name many',
    formatOcPath(path),
    'use find, then resolve one of its matches',
  );
}

/** A broken document is refused with its line, never guessed at. */
export function assertSound(document: Document): void {
  const [problem] = document.problems;
  if (problem !== undefined) throw brokenDocument(document, problem);
}
