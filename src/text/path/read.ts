import { type OcPath, OcPathError } from '../address/address.ts';
import { formatOcPath } from '../address/format.ts';
import { isPattern, stepsOf } from '../address/steps.ts';
import type { Document, Place } from '../kind.ts';
import { brokenDocument } from '../walk/broken.ts';
import { addressOf, type Match, matchOf } from '../walk/match.ts';
import { type Found, locate, walk } from '../walk/walk.ts';

/** The place that a concrete address names. Throws for a pattern, because it may name several. */
export function locateOcPath<P extends Place>(document: Document<P>, path: OcPath): Found<P> | undefined {
  refusePattern(path);
  assertValid(document);
  return locate(document, stepsOf(path));
}

export function resolveOcPath(document: Document, path: OcPath): Match | undefined {
  const found = locateOcPath(document, path);
  return found === undefined ? undefined : matchOf(document, found);
}

/** Yields the matches in document order. */
export function* findOcPaths(
  document: Document,
  path: OcPath,
): Generator<{ readonly path: string; readonly match: Match }> {
  assertValid(document);
  for (const found of walk(document, stepsOf(path)))
    yield { path: addressOf(path, found.names), match: matchOf(document, found) };
}

export function refusePattern(path: OcPath): void {
  if (!isPattern(path)) return;
  throw new OcPathError(
    'OC_PATH_WILDCARD_IN_RESOLVE',
    'resolve takes one place, and this pattern may match several',
    formatOcPath(path),
    'use find, then resolve one of its matches',
  );
}

export function assertValid(document: Document): void {
  const [problem] = document.problems;
  if (problem !== undefined) throw brokenDocument(document, problem);
}
