/** The verbs over a JSONL source of any size, in flat memory: the streaming form of `resolveOcPath` and `findOcPaths`. */
import type { OcPath } from '../address/address.ts';
import { stepsOf } from '../address/steps.ts';
import type { Rows } from '../kinds/jsonl/batch.ts';
import { findInLines, matchesOf, matchInLines, resolveInLines } from '../kinds/jsonl/stream.ts';
import type { ByteSource } from '../scan/source.ts';
import { addressOf, type Match } from './match.ts';
import { refusePattern } from './read.ts';

/** What stands at a concrete address of a JSONL source, or undefined. */
export function resolveOcPathInLines(source: ByteSource, path: OcPath): Match | undefined {
  refusePattern(path);
  const at = resolveInLines(source, stepsOf(path));
  return at === undefined ? undefined : matchInLines(at);
}

/** Every match of a pattern in a JSONL source with its concrete address, in document order. */
export function* findOcPathsInLines(
  source: ByteSource,
  path: OcPath,
): Generator<{ readonly path: string; readonly match: Match }> {
  for (const batch of findInLines(source, stepsOf(path))) {
    if (batch.type === 'rows') yield* rows(path, batch);
    else for (const { names, match } of matchesOf(batch)) yield { path: addressOf(path, names), match };
  }
}

/** A million rows differ in their line only: the address is made once and the number put in. */
function* rows(path: OcPath, batch: Rows): Generator<{ readonly path: string; readonly match: Match }> {
  const probe = addressOf(path, [{ slot: batch.lineSlot, text: 'L0' }, batch.name]);
  const sample = addressOf({ file: path.file }, []);
  const at = sample.length + '/L'.length;
  const head = probe.slice(0, at);
  const tail = probe.slice(at + 1);
  const { lines, columns, valueTexts, types } = batch;
  for (let i = 0; i < lines.length; i++) {
    const type = types[i]!;
    const line = lines[i]!;
    const column = columns[i]!;
    const address = head + String(line) + tail;
    if (type === 'jsonc-object' || type === 'jsonc-array')
      yield { path: address, match: { kind: 'node', descriptor: type, line, column } };
    else yield { path: address, match: { kind: 'leaf', valueText: valueTexts[i]!, leafType: type, line, column } };
  }
}
