/** The entry point `pincer/address`: parse and format `oc://` addresses. */
export {
  MAX_PATH_LENGTH,
  MAX_SUB_SEGMENTS_PER_SLOT,
  MAX_TRAVERSAL_DEPTH,
  type OcPath,
  type OcPathCode,
  OcPathError,
  type Slot,
} from './address.ts';
export { formatOcPath, formatSegment } from './format.ts';
export { isValidOcPath, type ParseOptions, parseOcPath } from './parse.ts';
export { type Predicate, readPredicate, satisfies } from './predicate.ts';
export { hasInsertion, isPattern, type Step, stepsOf } from './steps.ts';
export { assertNoSentinel, REDACTED_SENTINEL } from './sentinel.ts';
export type { Sub } from './sub.ts';
