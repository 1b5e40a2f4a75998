/** Whether a file still is what the caller believes it to be; by content, never by time. */
import { Fault } from '../../base/fault.ts';
import { lineSplices } from '../../text/edit/diff.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import type { ReadMemory } from '../tool.ts';

export interface Belief {
  /** The hash that the caller named in this call. */
  readonly expectHash: string | undefined;
  readonly reads: ReadMemory | undefined;
}

/** A file on the disk, as far as it is asked for. */
export interface Present {
  /** The real path, by which the memory knows it. */
  readonly path: string;
  /** How an answer calls it. */
  readonly name: string;
  /** Its lines are not shown to this agent. */
  readonly hidden: boolean;
  /** Undefined when there is no file. */
  hash(): string | undefined;
  /** The bytes of a file of at most so many; undefined for a longer one. */
  bytes(most: number): Uint8Array | undefined;
}

/** A file that somebody else changed since this agent last read it. */
export interface Stale {
  readonly name: string;
  /** What was changed, short; undefined when that is not known or not shown. */
  readonly diff: string | undefined;
  /** The file was replaced as a whole, or deleted, and with it those changes. */
  readonly lost?: 'replaced' | 'deleted';
}

/** What is said of the changes of a stale file that was changed. */
export const REPLACED = 'those changes were replaced, so put them back if they should stay';
export const KEPT = 'those changes stay';
const DELETED = 'those changes were deleted with the file; undo brings them back';

/** What became of the changes of a stale file. */
export function fateOf({ lost }: Stale): string {
  if (lost === undefined) return KEPT;
  return lost === 'deleted' ? DELETED : REPLACED;
}

const MOST_LINES = 40;
const MOST_CHARACTERS = 4000;

/** Looks at a file before it is changed: what is not as this agent last read it is refused, or told, as the memory says. */
export function staleness({ expectHash, reads }: Belief, present: Present): Stale | undefined {
  const { name } = present;
  if (expectHash !== undefined && present.hash() !== expectHash)
    throw refusal(present, `${name} has not the content that expectHash names`, expectHash, undefined);
  const remembered = reads?.recall(present.path);
  if (reads === undefined || remembered === undefined) return undefined;
  const now = present.hash();
  if (now === undefined || now === remembered) return undefined;
  const diff = present.hidden ? undefined : diffSince(reads, remembered, present);
  if (reads.onStale === 'advise') return { name, diff };
  throw refusal(present, `${name} has changed since you last read it`, remembered, diff);
}

/** What a stale file says to the model; `effect` is what became of the changes. */
export function staleNote({ name, diff }: Stale, effect: string): string {
  const note = `Note: ${name} had changed since you last read it; ${effect}`;
  return diff === undefined ? `${note}.` : `${note}. What had changed:\n${diff}`;
}

/** What a stale file adds to the details of an answer. */
export function staleDetails(stale: Stale | undefined): Readonly<Record<string, unknown>> {
  if (stale === undefined) return {};
  return { stale: true, ...(stale.diff === undefined ? {} : { staleDiff: stale.diff }) };
}

function diffSince(reads: ReadMemory, remembered: string, present: Present): string | undefined {
  const before = reads.recallContent?.(remembered);
  const now = before === undefined ? undefined : present.bytes(reads.mostContent ?? 0);
  if (before === undefined || now === undefined || before.includes(0) || now.includes(0)) return undefined;
  const text = decodeText(before);
  const diff = unifiedDiff(present.name, text, lineSplices(text, decodeText(now))).replaceAll(
    /[\uD800-\uDFFF]/gu,
    '\uFFFD',
  );
  return shortened(diff);
}

function shortened(diff: string): string {
  const lines = diff.split('\n');
  const short = lines.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS);
  return short.length >= diff.length ? diff : `${short}\n[diff cut: ${diff.length - short.length} more characters]\n`;
}

function refusal(present: Present, message: string, expected: string, diff: string | undefined): Fault {
  return new Fault('EDIT_STALE', `${message}; nothing was changed`, {
    hint: `read the file again and decide anew${diff === undefined ? '' : `\n${diff.trimEnd()}`}`,
    details: {
      path: present.name,
      // The hash of a hidden file would let short secrets be guessed.
      ...(present.hidden ? {} : { expected, present: present.hash() }),
      ...(diff === undefined ? {} : { staleDiff: diff }),
    },
  });
}
