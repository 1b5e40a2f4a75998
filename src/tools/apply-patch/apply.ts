/** Parses a patch, plans it on an overlay, and commits it as one batch. */
import { Fault } from '../../base/fault.ts';
import type { Files, Located } from '../../hosts/files/shape.ts';
import type { ParsedPatch } from '../../text/patch/operation.ts';
import { parsePatch } from '../../text/patch/parse.ts';
import { refuseAborted } from '../abort.ts';
import { checkStaleness, currentFile, type Stale } from '../edit/staleness.ts';
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
  /** Writes nothing. */
  readonly dryRun?: boolean;
  /** Lets Add and Move replace existing files. */
  readonly overwrite?: boolean;
  readonly reads?: ReadMemory;
}

export interface PatchOutcome extends Notes {
  readonly effects: readonly Effect[];
  readonly diff: string;
  /** Files that changed since this agent read them. */
  readonly stale: readonly Stale[];
}

/** Applies a patch completely or not at all. */
export async function applyPatch(input: string, options: PatchOptions): Promise<PatchOutcome> {
  const { files, signal } = options;
  if (input.trim() === '') throw new Fault('PATCH_BLANK', 'Provide a patch input.');
  refuseAborted(signal);
  const patch = parsePatch(input);
  if (patch.operations.length === 0)
    throw new Fault('PATCH_EMPTY', 'No files were modified.', { hint: 'the patch has no operations' });
  files.checkNames?.(namesIn(patch));
  const planned = await runWithPauses(planPatch(patch, options), signal);
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
    // Another process changed a file meanwhile: plan again under the lock.
    done = writer.exclusively(touched, () => {
      const again = runWithoutPauses(planPatch(patch, options), signal);
      if (again.batch.changes.length > 0) commit(again);
      return again;
    });
  }
  rememberWritten(done.batch, options);
  return done.outcome;
}

/** The number of names in all paths of a patch. */
function namesIn({ operations }: ParsedPatch): number {
  const paths = operations.flatMap((one) => ('moveTo' in one ? [one.path, one.moveTo ?? ''] : [one.path]));
  return paths.reduce((sum, path) => sum + path.split('/').filter((name) => name !== '').length, 0);
}

/** The files that a batch writes or removes. */
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

/** A file with hidden values must not get their marks as content, also not from another file. */
function refuseMarksIn(overlay: Overlay, slot: Slot): void {
  const { now } = slot;
  if (typeof now === 'string' || isMovedLink(now)) return;
  const part = overlay.hides(slot);
  if (part === undefined) return;
  const befores = [...new Set([slot, now.origin ?? slot])].filter(({ place }) => place.type === 'file');
  for (const before of befores)
    refuseMarks(slot.name, part, overlay.read(before).source.text, overlay.currentText(now));
  if (befores.length === 0) refuseMarks(slot.name, part, undefined, overlay.currentText(now));
}

/** Whether a file changed after the patch was planned. */
function isOvertaken(error: unknown): boolean {
  return error instanceof Fault && ['FS_CHANGED', 'FS_EXISTS', 'FS_NOT_FOUND'].includes(error.code);
}

/** The files of the patch that another process changed since the agent read them. */
function staleFiles(overlay: Overlay, files: Files, reads: ReadMemory | undefined): readonly Stale[] {
  if (reads === undefined) return [];
  return touchedBy(overlay).flatMap(({ slot, lost }) => {
    if (slot.place.type !== 'file' || reads.recall(slot.place.file.path) === undefined) return [];
    const hidden = overlay.hides(slot) !== undefined;
    const file = files.openPath(slot.asked);
    try {
      const found = checkStaleness({ expectHash: undefined, reads }, currentFile(files, file, slot.name, hidden));
      return found === undefined ? [] : [lost === undefined ? found : { ...found, lost }];
    } finally {
      file.close();
    }
  });
}

/** The files on disk that a patch touches, and whether their content is lost. */
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

/** The longest time without a pause, in milliseconds. */
const MAX_SLICE_MS = 15;

/** A browser has no setImmediate; there a slower timer yields to the event loop. */
const yieldTurn: (resume: () => void) => void =
  typeof setImmediate === 'function' ? (resume) => setImmediate(resume) : (resume) => setTimeout(resume, 0);

/** Yields to the event loop between steps, so that the signal can abort the work. */
async function runWithPauses<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let since = performance.now();
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < MAX_SLICE_MS) continue;
    await new Promise<void>(yieldTurn);
    since = performance.now();
  }
}

/** For work under a lock, which must be synchronous. */
function runWithoutPauses<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): T {
  for (;;) {
    refuseAborted(signal);
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
