import type { ByteSplice, NewLine } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import type { NewValue } from '../../text/kind.ts';
import type { SetOptions } from '../../text/path/set.ts';
import type { RowText } from '../../text/kinds/jsonl/stream.ts';
import type { RowFormat } from '../../text/path/lines.ts';
import type { DetailedMatch, FoundMatch, Refused } from './answer.ts';

export type Edit =
  | { readonly verb: 'set'; readonly path: OcPath; readonly value: NewValue; readonly options: SetOptions }
  | { readonly verb: 'delete'; readonly path: OcPath };

/** The effect of an edit on the bytes of a file. */
export type Effect =
  | { readonly ok: true; readonly splices: readonly ByteSplice[] }
  | { readonly ok: true; readonly append: NewLine }
  | Refused;

/**
 * An open file that can be read and changed by address: a document in memory, a JSONL file of any size, or a large JSON file.
 * All three return the same answers.
 */
export interface Subject {
  /** For a concrete address. */
  resolve(path: OcPath): DetailedMatch | undefined;
  /** The text at a concrete address. */
  raw(path: OcPath): string | undefined;
  find(path: OcPath): Iterable<FoundMatch>;
  /** The same matches as formatted text, where that is faster. */
  findAsText?(path: OcPath, format: RowFormat): Iterable<RowText> | undefined;
  effect(edit: Edit): Effect;
}
