/** What each operation of a patch does to the overlay, and what it refuses. */
import { Fault, type FaultCode } from '../../base/fault.ts';
import { applySplices } from '../../text/lines/splice.ts';
import { withoutLines } from '../secrets/secrets.ts';
import { describeRefusal } from '../../text/patch/describe-refusal.ts';
import { MARK, type Hunk, type PatchOperation } from '../../text/patch/operation.ts';
import { planSteps, type HunkMatch } from '../../text/patch/plan.ts';
import { fileIn, isFilled, isMovedLink, type Overlay, type Slot, type VirtualFile } from './overlay.ts';

/** What is known of a patch beside its effect. */
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

/** Lets every path of the operation pass the gate. */
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
  if (isFilled(slot)) refuseStanding(slot, overwrite, 'add');
  slot.now = { origin: undefined, loaded: undefined, text: content, splices: undefined, mode };
}

function* remove(overlay: Overlay, { path, hunks }: Deletion, notes: Notes): Generator<void, void> {
  const slot = overlay.slot(path, 'itself');
  refuseMissing(overlay, slot, 'deletes');
  if (slot.now === 'as-is') refuseOther(slot);
  if (hunks !== undefined) yield* refuseOtherLines(overlay, slot, hunks, notes);
  if (slot.place.type === 'link') overlay.unlink(slot);
  slot.now = 'gone';
}

/** A patch that shows the lines it deletes with a file deletes no others. */
function* refuseOtherLines(overlay: Overlay, slot: Slot, hunks: readonly Hunk[], notes: Notes): Generator<void, void> {
  if (slot.now === 'as-is' && slot.place.type === 'link')
    throw refused(
      'PATCH_NOT_A_FILE',
      slot,
      `${slot.name} is a link, and the patch deletes a file with lines`,
      'delete the link with *** Delete File, or name the file that it leads to',
    );
  const file = { ...fileIn(slot) };
  if (hunks.length > 0) yield* patch(overlay, slot, file, hunks, notes);
  if (overlay.textOf(file).replace(BYTE_ORDER_MARK, '') === '') return;
  throw refused(
    'PATCH_MISMATCH',
    slot,
    `the patch deletes ${slot.name}, which has more lines than the patch shows`,
    'read the file again; delete it with *** Delete File if all of it shall go',
  );
}

function* update(overlay: Overlay, operation: Update, overwrite: boolean, notes: Notes): Generator<void, void> {
  const { path, moveTo, hunks } = operation;
  const link = moveTo === undefined ? undefined : overlay.linkAt(path);
  if (link !== undefined) {
    // What the hunks change is the file that the link leads to; what moves is the link.
    if (hunks.length > 0) yield* update(overlay, { ...operation, moveTo: undefined }, overwrite, notes);
    return moveLink(overlay, link, overlay.slot(moveTo!, 'itself'));
  }
  const slot = overlay.slot(path, 'target');
  refuseMissing(overlay, slot, moveTo === undefined || hunks.length > 0 ? 'updates' : 'moves');
  if (slot.now === 'as-is') refuseOther(slot);
  const file = fileIn(slot);
  if (hunks.length > 0) yield* patch(overlay, slot, file, hunks, notes);
  slot.now = file;
  const target = moveTo === undefined ? slot : overlay.slot(moveTo, 'target');
  if (target === slot || isAlias(target, file)) return;
  // A private key stays hidden under any name.
  if (overlay.hidesName(slot) && !overlay.hidesName(target))
    throw refused(
      'READ_SECRET',
      slot,
      `${slot.name} holds secrets, and as ${target.name} it would show them`,
      'give it a name that keeps it hidden, or ask the operator to move it',
    );
  if (isFilled(target)) refuseStanding(target, overwrite, 'move');
  target.now = file;
  slot.now = 'gone';
}

function moveLink(overlay: Overlay, slot: Slot, target: Slot): void {
  const { link } = slot.place;
  if (target === slot) return;
  if (link === undefined)
    throw refused('PATCH_NOT_A_FILE', slot, `${slot.name} leads to a name that is no text`, 'move it with a command');
  if (isFilled(target) || target.place.type !== 'nothing')
    throw refused(
      'PATCH_EXISTS',
      target,
      `the patch moves the link ${slot.name} to ${target.name}, which exists already`,
      'delete that first in a patch of its own, or choose another name',
    );
  overlay.checkLink(target, link);
  overlay.unlink(slot);
  slot.now = 'gone';
  target.now = { link, from: slot };
}

/** Whether a slot is another name of the very file: then it stays where it is, instead of being lost. */
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
  const before = overlay.textOf(file);
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

/** A file that is not UTF-8 takes new ASCII text only: nobody knows how it writes the rest. */
function refuseUnknownEncoding(slot: Slot, text: string, hunks: readonly Hunk[]): void {
  const foreign = hunks.some(({ body }) =>
    body.some((line) => line.charCodeAt(0) === MARK.added && NOT_ASCII.test(line)),
  );
  if (!foreign || !/[\uDC80-\uDCFF]/u.test(text)) return;
  throw refused(
    'PATCH_ENCODING',
    slot,
    `${slot.name} is not UTF-8, so the new text that is not ASCII cannot be written into it`,
    'write the new lines in ASCII, or convert the file first',
  );
}

function refuseMissing(overlay: Overlay, slot: Slot, verb: string): void {
  if (isFilled(slot)) return;
  if (slot.now === 'gone')
    throw refused(
      'PATCH_CONFLICT',
      slot,
      `the patch ${verb} ${slot.name} after it took the file away`,
      'use the name that the file has at that point of the patch',
    );
  const hint = overlay.nearNames(slot) ?? 'check the path; use *** Add File for a new file';
  throw refused('PATCH_FILE_MISSING', slot, `the patch ${verb} ${slot.name}, which does not exist`, hint);
}

function refuseStanding(slot: Slot, overwrite: boolean, verb: 'add' | 'move'): void {
  if (slot.now === 'as-is') refuseOther(slot);
  if (overwrite && slot.now === 'as-is') return;
  const hint = `use *** Update File to change it, delete it earlier in the same patch, or set overwrite`;
  throw refused(
    'PATCH_EXISTS',
    slot,
    `the patch ${verb}s ${verb === 'add' ? '' : 'a file to '}${slot.name}, which exists already`,
    hint,
  );
}

function refuseOther(slot: Slot): void {
  const { type } = slot.place;
  if (type === 'file' || type === 'link') return;
  const what = type === 'folder' ? 'a folder' : 'no regular file';
  throw refused('PATCH_NOT_A_FILE', slot, `${slot.name} is ${what}, and a patch changes files only`, 'name a file');
}

function refused(code: FaultCode, slot: Slot, message: string, hint: string): Fault {
  return new Fault(code, message, { hint, details: { path: slot.name } });
}
