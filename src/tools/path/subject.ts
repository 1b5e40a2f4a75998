import type { ByteSplice, NewLine } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import type { NewValue } from '../../text/kind.ts';
import type { SetOptions } from '../../text/path/set.ts';
import type { RowText } from '../../text/kinds/jsonl/stream.ts';
import type { RowFormat } from '../../text/path/lines.ts';
import type { DetailedMatch, FoundMatch, Refused } from './answer.ts';

/** A write: a new value (with what `set` may do on the way), or a deletion. */
export type Edit =
  | { readonly verb: 'set'; readonly path: OcPath; readonly value: NewValue; readonly options: SetOptions }
  | { readonly verb: 'delete'; readonly path: OcPath };

/** What an edit does to the bytes of a file. */
export type Effect =
  | { readonly ok: true; readonly splices: readonly ByteSplice[] }
  | { readonly ok: true; readonly append: NewLine }
  | Refused;

/**
 * An open file that can be asked and changed by address: a document in memory, the lines of a log of any size,
 * or a JSON file too big to hold. All three give the same answers.
 */
export interface Subject {
  /** What a concrete address names, or undefined. */
  resolve(path: OcPath): DetailedMatch | undefined;
  /** The text of what a concrete address names, or undefined. */
  raw(path: OcPath): string | undefined;
  find(path: OcPath): Iterable<FoundMatch>;
  /** The same matches as finished text, where the subject can write them faster than it can tell them one by one. */
  findAsText?(path: OcPath, format: RowFormat): Iterable<RowText> | undefined;
  effect(edit: Edit): Effect;
}
