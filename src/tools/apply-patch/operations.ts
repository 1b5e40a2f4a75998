/** Performs the operations of a patch on the overlay. */
import { Fault, type FaultCode } from '../../base/fault.ts';
import { applySplices } from '../../text/lines/splice.ts';
import { withoutLines } from '../secrets/secrets.ts';
import { describeRefusal } from '../../text/patch/describe-refusal.ts';
import { MARK, type Hunk, type PatchOperation } from '../../text/patch/operation.ts';
import { planSteps, type HunkMatch } from '../../text/patch/plan.ts';
import { fileIn, isFilled, isMovedLink, type Overlay, type Slot, type VirtualFile } from './overlay.ts';

export interface Notes {
  readonly warnings: string[];
  /** The hunks that did not match exactly. */
  readonly lenient: { readonly name: string; readonly match: HunkMatch }[];
}

const NOT_ASCII = /[^\0-\x7F]/u;
const BYTE_ORDER_MARK = /^\uFEFF/u;

type Addition = Extract<PatchOperation, { kind: 'add' }>;
type Deletion = Extract<PatchOperation, { kind: 'delete' }>;
type Update = Extract<PatchOperation, { kind: 'update' }>;

/** Checks every path of the operation at the gate. */
export function checkPaths(overlay: Overlay, operation: PatchOperation): void {
  overlay.check(operation.path, operation.kind === 'delete' ? 'itself' : 'target');
  if (operation.kind !== 'update' || operation.moveTo === undefined) return;
  overlay.check(operation.path, 'itself');
  for (const leaf of ['target', 'itself'] as const) overlay.check(operation.moveTo, leaf);
}

export function* perform(
  overlay: Overlay,
  operation: PatchOperation,
  overwrite: boolean,
  notes: Notes,
): Generator<void, void> {
  switch (operation.kind) {
    case 'add':
      return add(overlay.slot(operation.path, 'target'), operation, overwrite);
    case 'delete':
      return yield* remove(overlay, operation, notes);
    case 'update':
      return yield* update(overlay, operation, overwrite, notes);
  }
}

function add(slot: Slot, { content, mode }: Addition, overwrite: boolean): void {
  if (typeof slot.now !== 'string' && (isMovedLink(slot.now) || slot.now.origin === undefined))
    throw refused('PATCH_CONFLICT', slot, `the patch adds ${slot.name} twice`, 'add it once, with all of its lines');
  if (isFilled(slot)) refuseExisting(slot, overwrite, 'add');
  slot.now = { origin: undefined, loaded: undefined, text: content, splices: undefined, mode };
}

function* remove(overlay: Overlay, { path, hunks }: Deletion, notes: Notes): Generator<void, void> {
  const slot = overlay.slot(path, 'itself');
  refuseMissing(overlay, slot, 'deletes');
  if (slot.now === 'as-is') refuseNonFile(slot);
  if (hunks !== undefined) yield* refuseOtherLines(overlay, slot, hunks, notes);
  if (slot.place.type === 'link') overlay.unlink(slot);
  slot.now = 'gone';
}

/** A patch that lists the lines of a deleted file must list all of them. */
function* refuseOtherLines(overlay: Overlay, slot: Slot, hunks: readonly Hunk[], notes: Notes): Generator<void, void> {
  if (slot.now === 'as-is' && slot.place.type === 'link')
    throw refused(
      'PATCH_NOT_A_FILE',
      slot,
      `${slot.name} is a symlink, but the patch deletes a file with lines`,
      'delete the symlink with *** Delete File, or name the file that it points to',
    );
  const file = { ...fileIn(slot) };
  if (hunks.length > 0) yield* patch(overlay, slot, file, hunks, notes);
  if (overlay.currentText(file).replace(BYTE_ORDER_MARK, '') === '') return;
  throw refused(
    'PATCH_MISMATCH',
    slot,
    `the patch deletes ${slot.name}, which has more lines than the patch lists`,
    'read the file again; use *** Delete File to delete all of it',
  );
}

function* update(overlay: Overlay, operation: Update, overwrite: boolean, notes: Notes): Generator<void, void> {
  const { path, moveTo, hunks } = operation;
  const link = moveTo === undefined ? undefined : overlay.linkAt(path);
  if (link !== undefined) {
    // The hunks change the target of the symlink; the symlink itself moves.
    if (hunks.length > 0) yield* update(overlay, { ...operation, moveTo: undefined }, overwrite, notes);
    return moveLink(overlay, link, overlay.slot(moveTo!, 'itself'));
  }
  const slot = overlay.slot(path, 'target');
  refuseMissing(overlay, slot, moveTo === undefined || hunks.length > 0 ? 'updates' : 'moves');
  if (slot.now === 'as-is') refuseNonFile(slot);
  const file = fileIn(slot);
  if (hunks.length > 0) yield* patch(overlay, slot, file, hunks, notes);
  slot.now = file;
  const target = moveTo === undefined ? slot : overlay.slot(moveTo, 'target');
  if (target === slot || isAlias(target, file)) return;
  // Private keys need no check here: they stay hidden under any name.
  if (overlay.hidesName(slot) && !overlay.hidesName(target))
    throw refused(
      'READ_SECRET',
      slot,
      `${slot.name} contains secrets, which the name ${target.name} would not hide`,
      'choose a name that keeps them hidden, or ask the operator to move the file',
    );
  if (isFilled(target)) refuseExisting(target, overwrite, 'move');
  target.now = file;
  slot.now = 'gone';
}

function moveLink(overlay: Overlay, slot: Slot, target: Slot): void {
  const { link } = slot.place;
  if (target === slot) return;
  if (link === undefined)
    throw refused(
      'PATCH_NOT_A_FILE',
      slot,
      `the target of the symlink ${slot.name} is not valid UTF-8`,
      'move it with a command',
    );
  if (isFilled(target) || target.place.type !== 'nothing')
    throw refused(
      'PATCH_EXISTS',
      target,
      `the patch moves the symlink ${slot.name} to ${target.name}, which already exists`,
      'delete that first in a separate patch, or choose another name',
    );
  overlay.checkLink(target, link);
  overlay.unlink(slot);
  slot.now = 'gone';
  target.now = { link, from: slot };
}

/** Whether both are names of the same file; then a move must not remove it. */
function isAlias({ now, place }: Slot, { origin }: VirtualFile): boolean {
  const [a, b] = [place.stamp, origin?.place.stamp];
  return now === 'as-is' && a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function* patch(
  overlay: Overlay,
  slot: Slot,
  file: VirtualFile,
  hunks: readonly Hunk[],
  notes: Notes,
): Generator<void, void> {
  const before = overlay.currentText(file);
  refuseUnknownEncoding(slot, before, hunks);
  const plan = yield* planSteps(before, hunks);
  if (!plan.ok) {
    const { code, message, hint, details } = describeRefusal(slot.name, plan);
    const fault = new Fault(code, message, { hint, details });
    throw overlay.hides(slot) !== undefined ? withoutLines(fault, slot.name) : fault;
  }
  for (const match of plan.matches) if (match.level > 0) notes.lenient.push({ name: slot.name, match });
  for (const warning of plan.warnings) notes.warnings.push(`${slot.name}: ${warning}`);
  const untouched = file.origin !== undefined && before === file.loaded?.source.text;
  file.splices = untouched ? plan.splices : undefined;
  file.text = untouched ? undefined : applySplices(before, plan.splices);
}

/** The encoding of a file that is not UTF-8 is unknown, so only ASCII may be added to it. */
function refuseUnknownEncoding(slot: Slot, text: string, hunks: readonly Hunk[]): void {
  const foreign = hunks.some(({ body }) =>
    body.some((line) => line.charCodeAt(0) === MARK.added && NOT_ASCII.test(line)),
  );
  if (!foreign || !/[\uDC80-\uDCFF]/u.test(text)) return;
  throw refused(
    'PATCH_ENCODING',
    slot,
    `${slot.name} is not UTF-8, so non-ASCII text cannot be added to it`,
    'use only ASCII in the new lines, or convert the file first',
  );
}

function refuseMissing(overlay: Overlay, slot: Slot, verb: string): void {
  if (isFilled(slot)) return;
  if (slot.now === 'gone')
    throw refused(
      'PATCH_CONFLICT',
      slot,
      `the patch ${verb} ${slot.name} after it deleted or moved the file`,
      'use the name of the file at that point of the patch',
    );
  const hint = overlay.nearNames(slot) ?? 'check the path; use *** Add File for a new file';
  throw refused('PATCH_FILE_MISSING', slot, `the patch ${verb} ${slot.name}, which does not exist`, hint);
}

function refuseExisting(slot: Slot, overwrite: boolean, verb: 'add' | 'move'): void {
  if (slot.now === 'as-is') refuseNonFile(slot);
  if (overwrite && slot.now === 'as-is') return;
  const hint = `use *** Update File to change it, delete it earlier in the same patch, or set overwrite`;
  throw refused(
    'PATCH_EXISTS',
    slot,
    `the patch ${verb}s ${verb === 'add' ? '' : 'a file to '}${slot.name}, which already exists`,
    hint,
  );
}

function refuseNonFile(slot: Slot): void {
  const { type } = slot.place;
  if (type === 'file' || type === 'link') return;
  const what = type === 'folder' ? 'a folder' : 'not a regular file';
  throw refused('PATCH_NOT_A_FILE', slot, `${slot.name} is ${what}, but a patch changes only files`, 'name a file');
}

function refused(code: FaultCode, slot: Slot, message: string, hint: string): Fault {
  return new Fault(code, message, { hint, details: { path: slot.name } });
}
