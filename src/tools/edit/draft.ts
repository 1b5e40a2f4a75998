/** Plans the edits of one open file. */
import { Fault } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../hosts/files/shape.ts';
import type { Edit } from '../../text/edit/clean-edit.ts';
import type * as Big from '../../text/edit/big-file.ts';
import { boundedDiff, firstDifference } from '../../text/edit/diff.ts';
import { hasBrokenBytes, isDamagedSource, findEncodingConflict, type Replacement } from '../../text/edit/encoding.ts';
import type { Level } from '../../text/edit/levels.ts';
import { planEdits } from '../../text/edit/plan.ts';
import { type ByteSplice, encodingOf, decodeFile } from '../../text/edit/decoded-file.ts';
import { splicedSource } from '../../text/edit/spliced-source.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { positionAt } from '../../text/lines/position.ts';
import type { Splice } from '../../text/lines/splice.ts';
import { bytesSource, readRange } from '../../text/scan/source.ts';
import { encodingRefusal, refusal } from './refusal.ts';

/** From this size on, a file is first searched in windows without decoding. */
export const BIG = 8 << 20;
/** The maximum size of a file that is decoded. */
const MOST_DECODED = 64 << 20;

export interface Draft {
  /** In order; empty when nothing changes. */
  readonly splices: readonly ByteSplice[];
  readonly levels: readonly Level[];
  /** The number of replaced occurrences. */
  readonly places: number;
  readonly diff: string;
  readonly firstChangedLine: number | undefined;
  readonly encoding: string;
  /** The lines of the new texts, if the edits were already applied. */
  readonly appliedAt?: readonly number[];
  /** The whole new content; undefined for a large file. */
  readonly content?: Uint8Array;
  /** The hash of a large file's new content, if requested. */
  readonly hash?: string;
}

/** Throws a fault when the edits cannot be applied. */
export function draftEdits(
  file: OpenFile,
  name: string,
  edits: readonly Edit[],
  big: typeof Big | undefined,
  hashing: Pick<Files, 'hashOf'> | undefined,
  isRecorded?: (edit: Edit) => boolean,
): Draft {
  if (big !== undefined && file.size >= BIG) {
    const head = new Uint8Array(4);
    file.read(0, head);
    const plan = encodingOf(head).encoding === 'utf-8' ? big.planBigFile(file, edits) : undefined;
    if (plan?.ok === true) return draftBig(file, name, plan, big, hashing);
    if (plan !== undefined) throw refusal(name, edits.length, plan);
  }
  if (file.size > MOST_DECODED) throw tooLarge(name, file.size);
  return draftWhole(file, name, edits, isRecorded);
}

function draftWhole(
  file: OpenFile,
  name: string,
  edits: readonly Edit[],
  isRecorded: ((edit: Edit) => boolean) | undefined,
): Draft {
  const bytes = file.readAll();
  const source = decodeFile(bytes);
  const plan = planEdits(source.text, edits, isRecorded);
  const { encoding } = source;
  if (!plan.ok) {
    if (plan.reason !== 'applied') throw refusal(name, edits.length, plan);
    const appliedAt = plan.places.map(({ line }) => line);
    return {
      splices: [],
      levels: [],
      places: 0,
      diff: '',
      firstChangedLine: undefined,
      encoding,
      appliedAt,
      content: bytes,
    };
  }
  if (encoding === 'utf-8') refuseMisfit(name, source.text, plan.splices);
  const first = firstDifference(source.text, plan.splices);
  const splices = source.byteSplices(plan.splices);
  const after = splicedSource(bytesSource(bytes), splices);
  return {
    splices,
    levels: plan.found.map(({ level }) => level),
    places: plan.found.reduce((sum, { places }) => sum + places, 0),
    diff: boundedDiff(name, source.text, plan.splices),
    firstChangedLine: first === undefined ? undefined : positionAt(source.text, first).line,
    encoding,
    content: readRange(after, 0, after.size),
  };
}

function draftBig(
  file: OpenFile,
  name: string,
  plan: Big.BigPlan,
  big: typeof Big,
  hashing: Pick<Files, 'hashOf'> | undefined,
): Draft {
  const { splices, levels } = plan;
  refuseBigMisfit(file, name, plan);
  return {
    splices,
    levels,
    places: splices.length,
    ...big.describeBigPlan(name, file, plan),
    encoding: 'utf-8',
    ...(hashing === undefined ? {} : { hash: hashing.hashOf(splicedSource(file, splices)) }),
  };
}

function refuseMisfit(name: string, text: string, splices: readonly Splice[]): void {
  const pairs = splices.map(({ start, end, text: put }) => ({ start, old: text.slice(start, end), put }));
  const misfit = findEncodingConflict(pairs, () => hasBrokenBytes(text));
  if (misfit !== undefined) throw encodingRefusal(name, misfit, positionAt(text, misfit.start).line);
}

/** In a large file only exact UTF-8 text is replaced, so only the new text can be wrong. */
function refuseBigMisfit(file: OpenFile, name: string, { splices, lines }: Big.BigPlan): void {
  if (!splices.some(({ bytes }) => bytes.some((byte) => byte >= 0x80))) return;
  const pairs = function* (): Iterable<Replacement> {
    for (const [i, { start, end, bytes }] of splices.entries())
      yield { start: i, old: decodeText(readRange(file, start, end)), put: decodeText(bytes) };
  };
  const misfit = findEncodingConflict(pairs(), () => isDamagedSource(file));
  if (misfit !== undefined) throw encodingRefusal(name, misfit, lines[misfit.start]!);
}

function tooLarge(name: string, size: number): Fault {
  return new Fault('EDIT_NOT_FOUND', `oldText is not in ${name}; nothing was changed`, {
    hint: `in a file of ${size} bytes only exact text is found (similar text up to ${MOST_DECODED} bytes); copy the text exactly`,
    details: { path: name },
  });
}
