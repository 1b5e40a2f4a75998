/** The shape of a method of the daemon. */
import { LONGEST_QUERY } from '../query/query-terms.ts';
import { integer, type Schema, string } from '../schema.ts';

export interface MethodShape<P, R> {
  /** For docs/protocol.md. */
  readonly summary: string;
  readonly params: Schema<P>;
  readonly result: Schema<R>;
  /** The events that a stream sends before its result. */
  readonly event?: Schema<unknown>;
}

/* @__NO_SIDE_EFFECTS__ */
export function method<P, R>(summary: string, params: Schema<P>, result: Schema<R>): MethodShape<P, R> {
  return { summary, params, result };
}

export const count = integer({ min: 0 });
/** See `src/wire/query`. */
export const query = string({ max: LONGEST_QUERY });
export const pageSize = integer({ min: 1, max: 1_000 });
/** In milliseconds since 1970. */
export const time = integer({ min: 0, max: 8_640_000_000_000_000 });
/** A part of a numbered list. */
export const NUMBERED_PAGE = { after: count, limit: count, client: string() };
