/** `resolveOcPath` and `findOcPaths` over a JSONL source of any size, in constant memory. */
import type { OcPath, Slot } from '../address/address.ts';
import { stepsOf } from '../address/steps.ts';
import type { Rows } from '../kinds/jsonl/batch.ts';
import {
  findInLines,
  formatInLines,
  matchesOf,
  matchInLines,
  type RowTemplate,
  type RowText,
  resolveInLines,
} from '../kinds/jsonl/stream.ts';
import type { ByteSource } from '../scan/source.ts';
import { addressOf, CONTAINER_KIND, type Match } from '../walk/match.ts';
import { refusePattern } from './read.ts';
import type { Name } from '../walk/walk.ts';

export function resolveOcPathInLines(source: ByteSource, path: OcPath): Match | undefined {
  refusePattern(path);
  const at = resolveInLines(source, stepsOf(path));
  return at === undefined ? undefined : matchInLines(at);
}

/** Yields the matches in document order. */
export function* findOcPathsInLines(
  source: ByteSource,
  path: OcPath,
): Generator<{ readonly path: string; readonly match: Match }> {
  for (const batch of findInLines(source, stepsOf(path))) {
    if (batch.type === 'rows') yield* rows(path, batch);
    else for (const { names, match } of matchesOf(batch)) yield { path: addressOf(path, names), match };
  }
}

/** Makes the template for the rows of a find from the address before and after the line number. */
export type RowFormat = (head: string, tail: string) => RowTemplate;

/**
 * The same matches as formatted text, several times as fast. Undefined unless the matches differ only in line and value
 * (`[k=v]/key`, or `*` and a key).
 */
export function formatOcPathsInLines(
  source: ByteSource,
  path: OcPath,
  format: RowFormat,
): Iterable<RowText> | undefined {
  const steps = stepsOf(path);
  const [line, ...rest] = steps;
  if (line === undefined) return undefined;
  const names = rest.map(({ slot, spelling }) => ({ slot, text: spelling }));
  const { head, tail } = splitAtLine(path, line.slot, names);
  return formatInLines(source, steps, format(head, tail));
}

/** Formats the address once and only inserts the line number: there may be a million rows. */
function* rows(path: OcPath, batch: Rows): Generator<{ readonly path: string; readonly match: Match }> {
  const { head, tail } = splitAtLine(path, batch.lineSlot, [batch.name]);
  const { lines, columns, valueTexts, types } = batch;
  for (let i = 0; i < lines.length; i++) {
    const type = types[i]!;
    const line = lines[i]!;
    const column = columns[i]!;
    const address = head + String(line) + tail;
    if (type === 'jsonc-object' || type === 'jsonc-array')
      yield { path: address, match: { kind: CONTAINER_KIND, descriptor: type, line, column } };
    else yield { path: address, match: { kind: 'leaf', valueText: valueTexts[i]!, leafType: type, line, column } };
  }
}

/** Splits the address of a place in a line before and after the line number. */
function splitAtLine(
  path: OcPath,
  slot: Slot,
  names: readonly Name[],
): { readonly head: string; readonly tail: string } {
  const address = addressOf(path, [{ slot, text: 'L0' }, ...names]);
  const at = addressOf({ file: path.file }, []).length + '/L'.length;
  return { head: address.slice(0, at), tail: address.slice(at + '0'.length) };
}
