/** Checks whether a file has changed since the caller read it; by content, never by time. */
import { Fault } from '../../base/fault.ts';
import type { Files, OpenFile } from '../../hosts/files/shape.ts';
import { lineSplices } from '../../text/edit/diff.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { unifiedDiff } from '../../text/lines/unified.ts';
import type { ReadMemory } from '../tool.ts';

export interface Expected {
  /** The hash parameter of this call. */
  readonly expectHash: string | undefined;
  readonly reads: ReadMemory | undefined;
}

/** A file before it is changed; its content is read on demand. */
export interface CurrentFile {
  /** The real path, the key of the read memory. */
  readonly path: string;
  /** The name in answers. */
  readonly name: string;
  /** Its content is not shown to this agent. */
  readonly hidden: boolean;
  /** Undefined when there is no file. */
  hash(): string | undefined;
  /** Undefined for a file with more than `most` bytes. */
  bytes(most: number): Uint8Array | undefined;
}

export function currentFile(files: Files, file: OpenFile, name: string, hidden: boolean): CurrentFile {
  return {
    path: file.located.path,
    name,
    hidden,
    hash: () => files.hashOf(file),
    bytes: (most) => (file.size <= most ? file.readAll() : undefined),
  };
}

/** A file that another process changed since this agent read it. */
export interface Stale {
  readonly name: string;
  /** A short diff of the unseen changes; undefined when unknown or hidden. */
  readonly diff: string | undefined;
  /** Set when the unseen changes are lost, because the file was replaced or deleted. */
  readonly lost?: 'replaced' | 'deleted';
}

export const REPLACED = 'those changes were replaced, so put them back if they should stay';
export const KEPT = 'those changes stay';
const DELETED = 'those changes were deleted with the file; undo restores them';

/** What happened to the unseen changes. */
export function fateOf({ lost }: Stale): string {
  if (lost === undefined) return KEPT;
  return lost === 'deleted' ? DELETED : REPLACED;
}

const MOST_LINES = 40;
const MOST_CHARACTERS = 4000;

/** Refuses or reports a file that has changed since this agent read it, as `onStale` requires. */
export function checkStaleness({ expectHash, reads }: Expected, current: CurrentFile): Stale | undefined {
  const { name } = current;
  if (expectHash !== undefined && current.hash() !== expectHash)
    throw refusal(current, `the content of ${name} does not match expectHash`, expectHash, undefined);
  const remembered = reads?.recall(current.path);
  if (reads === undefined || remembered === undefined) return undefined;
  const now = current.hash();
  if (now === undefined || now === remembered) return undefined;
  const diff = current.hidden ? undefined : diffSince(reads, remembered, current);
  if (reads.onStale === 'advise') return { name, diff };
  throw refusal(current, `${name} has changed since you last read it`, remembered, diff);
}

/** The note for the model; `effect` is what happened to the unseen changes. */
export function staleNote({ name, diff }: Stale, effect: string): string {
  const note = `Note: ${name} had changed since you last read it; ${effect}`;
  return diff === undefined ? `${note}.` : `${note}. What had changed:\n${diff}`;
}

export function staleDetails(stale: Stale | undefined): Readonly<Record<string, unknown>> {
  if (stale === undefined) return {};
  return { stale: true, ...(stale.diff === undefined ? {} : { staleDiff: stale.diff }) };
}

function diffSince(reads: ReadMemory, remembered: string, current: CurrentFile): string | undefined {
  const before = reads.recallContent?.(remembered);
  const now = before === undefined ? undefined : current.bytes(reads.mostContent ?? 0);
  if (before === undefined || now === undefined || before.includes(0) || now.includes(0)) return undefined;
  const text = decodeText(before);
  const diff = unifiedDiff(current.name, text, lineSplices(text, decodeText(now))).replaceAll(
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

function refusal(current: CurrentFile, message: string, expected: string, diff: string | undefined): Fault {
  return new Fault('EDIT_STALE', `${message}; nothing was changed`, {
    hint: `read the file again before you change it${diff === undefined ? '' : `\n${diff.trimEnd()}`}`,
    details: {
      path: current.name,
      // A hash of a hidden file would allow an agent to guess short secrets.
      ...(current.hidden ? {} : { expected, present: current.hash() }),
      ...(diff === undefined ? {} : { staleDiff: diff }),
    },
  });
}
