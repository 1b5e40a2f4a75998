/** The way of a patch: parsed, planned over an overlay, and committed as one batch, or nothing at all. */
import { Fault } from '../../base/fault.ts';
import type { Files, Located } from '../../hosts/files/shape.ts';
import type { ParsedPatch } from '../../text/patch/operation.ts';
import { parsePatch } from '../../text/patch/parse.ts';
import { refuseAborted } from '../abort.ts';
import { type Stale, staleness } from '../edit/freshness.ts';
import { presentFile } from '../edit/present.ts';
import { refuseMarks } from '../secrets/marks.ts';
import { hiddenPart, type SecretsView } from '../secrets/secrets.ts';
import type { ReadMemory } from '../tool.ts';
import { diffOf } from './diff.ts';
import { checkPaths, perform, type Notes } from './operations.ts';
import { isMovedLink, Overlay, type Slot } from './overlay.ts';
import { reduce, type Batch, type Effect } from './reduce.ts';

export interface PatchOptions extends SecretsView {
  readonly files: Files;
  readonly signal?: AbortSignal;
  /** Plans and shows, and writes nothing. */
  readonly dryRun?: boolean;
  /** Lets Add and Move replace files that exist. */
  readonly overwrite?: boolean;
  readonly reads?: ReadMemory;
}

export interface PatchOutcome extends Notes {
  readonly effects: readonly Effect[];
  readonly diff: string;
  /** Files that were not as this agent last read them. */
  readonly stale: readonly Stale[];
}

/** Applies a patch whole or not at all. Faults: PATCH_… for what the patch wants, FS_… for what the host refuses. */
export async function applyPatch(input: string, options: PatchOptions): Promise<PatchOutcome> {
  const { files, signal } = options;
  if (input.trim() === '') throw new Fault('PATCH_BLANK', 'Provide a patch input.');
  refuseAborted(signal);
  const patch = parsePatch(input);
  if (patch.operations.length === 0)
    throw new Fault('PATCH_EMPTY', 'No files were modified.', { hint: 'the patch has no operation in it' });
  files.checkNames?.(namesIn(patch));
  const planned = await withBreath(planPatch(patch, options), signal);
  if (planned.batch.changes.length === 0) return planned.outcome;
  const writer = await files.writer('apply_patch');
  if (options.dryRun === true) {
    writer.refuseProtected(writtenBy(planned.batch));
    return planned.outcome;
  }
  const { touched } = planned.batch;
  const commit = ({ batch, outcome }: Planned): PatchOutcome =>
    writer.exclusively(touched, () => {
      refuseAborted(signal);
      writer.commit(batch.changes);
      return outcome;
    });
  let done: Planned = planned;
  try {
    commit(planned);
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    // Somebody else wrote in between. Planned again where no other writer of ours can come in.
    done = writer.exclusively(touched, () => {
      const again = atOnce(planPatch(patch, options), signal);
      if (again.batch.changes.length > 0) commit(again);
      return again;
    });
  }
  rememberWritten(done.batch, options);
  return done.outcome;
}

/** How many names are on the paths of a patch, as it spells them. */
function namesIn({ operations }: ParsedPatch): number {
  const paths = operations.flatMap((one) => ('moveTo' in one ? [one.path, one.moveTo ?? ''] : [one.path]));
  return paths.reduce((sum, path) => sum + path.split('/').filter((name) => name !== '').length, 0);
}

/** The files that a batch would write or take away. */
function writtenBy({ changes }: Batch): readonly Located[] {
  return changes.flatMap((change) => ('moveTo' in change ? [change.file, change.moveTo] : [change.file]));
}

interface Planned {
  readonly batch: Batch;
  readonly outcome: PatchOutcome;
}

function* planPatch({ operations, warnings }: ParsedPatch, options: PatchOptions): Generator<void, Planned> {
  const { files, overwrite = false } = options;
  const overlay = new Overlay(files, options);
  for (const operation of operations) {
    checkPaths(overlay, operation);
    yield;
  }
  const notes: Notes = { warnings: [...warnings], lenient: [] };
  for (const operation of operations) {
    yield* perform(overlay, operation, overwrite, notes);
    yield;
  }
  for (const slot of overlay.slots.values()) refuseMarksIn(overlay, slot);
  const batch = reduce(overlay);
  const stale = staleFiles(overlay, files, options.reads);
  return { batch, outcome: { ...notes, effects: batch.effects, diff: diffOf(overlay, batch.effects), stale } };
}

/** A file with hidden values may not get their marks, from wherever its new content comes. */
function refuseMarksIn(overlay: Overlay, slot: Slot): void {
  const { now } = slot;
  if (typeof now === 'string' || isMovedLink(now)) return;
  const part = overlay.hides(slot);
  if (part === undefined) return;
  const befores = [...new Set([slot, now.origin ?? slot])].filter(({ place }) => place.type === 'file');
  for (const before of befores) refuseMarks(slot.name, part, overlay.read(before).source.text, overlay.textOf(now));
  if (befores.length === 0) refuseMarks(slot.name, part, undefined, overlay.textOf(now));
}

/** Whether the files are no longer as they were when the patch was planned. */
function isOvertaken(error: unknown): boolean {
  return error instanceof Fault && ['FS_CHANGED', 'FS_EXISTS', 'FS_NOT_FOUND'].includes(error.code);
}

/** Files that the agent had read and that somebody changed since: those that the patch changes, moves, replaces or deletes. */
function staleFiles(overlay: Overlay, files: Files, reads: ReadMemory | undefined): readonly Stale[] {
  if (reads === undefined) return [];
  return touchedBy(overlay).flatMap(({ slot, lost }) => {
    if (slot.place.type !== 'file' || reads.recall(slot.place.file.path) === undefined) return [];
    const hidden = overlay.hides(slot) !== undefined;
    const file = files.openPath(slot.asked);
    try {
      const found = staleness({ expectHash: undefined, reads }, presentFile(files, file, slot.name, hidden));
      return found === undefined ? [] : [lost === undefined ? found : { ...found, lost }];
    } finally {
      file.close();
    }
  });
}

/** The files of the disk that a patch touches, and whether their content goes. */
function touchedBy({ slots }: Overlay): readonly { readonly slot: Slot; readonly lost?: Stale['lost'] }[] {
  const kept = new Set<Slot>();
  for (const { now } of slots.values())
    if (typeof now !== 'string' && !isMovedLink(now) && now.origin !== undefined) kept.add(now.origin);
  const lost = [...slots.values()].filter((slot) => slot.now !== 'as-is' && !kept.has(slot));
  return [
    ...[...kept].map((slot) => ({ slot })),
    ...lost.map((slot) => ({ slot, lost: slot.now === 'gone' ? ('deleted' as const) : ('replaced' as const) })),
  ];
}

/** What this agent wrote it also knows. */
function rememberWritten({ changes }: Batch, options: PatchOptions): void {
  const { files, reads } = options;
  if (reads === undefined) return;
  for (const change of changes) {
    if ('remove' in change || 'link' in change) continue;
    const file = 'moveTo' in change ? change.moveTo : change.file;
    const open = files.open(file);
    try {
      const isKept = open.size <= (reads.mostContent ?? 0) && hiddenPart([file.path], open, options) === undefined;
      reads.remember(file.path, files.hashOf(open), isKept ? open.readAll() : undefined);
    } finally {
      open.close();
    }
  }
}

// Work in steps: the event loop gets its turn now and then, so that a signal can fire and be heard.

/** How long work may go on without a pause, in milliseconds. */
const LONGEST_BREATH = 15;

/** Lets the event loop have its turn. Where there is no setImmediate, as in a browser, a timer takes its longer time. */
const afterOthers: (goOn: () => void) => void =
  typeof setImmediate === 'function' ? (goOn) => setImmediate(goOn) : (goOn) => setTimeout(goOn, 0);

/** Runs the steps with pauses; stops between two of them. */
async function withBreath<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let since = performance.now();
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < LONGEST_BREATH) continue;
    await new Promise<void>(afterOthers);
    since = performance.now();
  }
}

/** Runs the steps in one go, where nobody may come in between. */
function atOnce<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): T {
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
