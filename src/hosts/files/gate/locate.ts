/**
 * Resolves a name to a file and checks whether tools may use it. A slot of an address is walked from the workspace and never
 * leaves it; the operator's own path may lead anywhere. The result is a path without links. Later steps walk it again
 * without following any (`pin.ts`), so that a link created afterwards is not followed.
 */
import { closeSync, fstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Located, OpenFile } from '../shape.ts';
import { neighbours } from './boundary.ts';
import { errnoOf, notFound, notRegular, outsideWorkspace, readFault } from '../faults.ts';
import { nearestNames } from '../../../text/nearest-names.ts';
import { openDescriptor, tryOpenEntry } from './open.ts';
import { describe } from './pin.ts';
import { refuseState } from './protect.ts';
import { unsettled } from './refusals.ts';
import { asLocated, type Root } from './root.ts';
import { splitPath } from './steps.ts';
import { walk, type Arrival } from './walk.ts';

type Entry = Arrival & { type: 'entry' };

/** How often a file may be replaced between lstat and open. */
const MOST_TRIES = 20;

export interface SlotBase {
  readonly root: Root;
  readonly stateDir: string;
  /** Whether files with hard links may be read. */
  readonly readHardLinks: boolean;
}

/** The file that the file slot of an address means; neither `..` nor a link may leave the workspace. */
export function locate(base: SlotBase, slot: string): Located {
  return walkSlot(base, slot, ({ path, followed }) => asLocated(path, base.root, followed));
}

/** `locate` and open in a single walk; the caller closes the file. */
export function openSlot(base: SlotBase, slot: string): OpenFile {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = walkSlot(base, slot, (entry) => openEntry(base, entry));
    if (file !== undefined) return file;
  }
  throw unsettled(slot);
}

/** The file that the operator named, relative to `cwd`; links are followed, and it may be anywhere. */
export function locateOperator(cwd: string, path: string): Located {
  const asked = resolve(cwd, path) + (path.endsWith('/') ? '/' : '');
  try {
    const stats = statSync(asked);
    if (!stats.isFile()) throw notRegular(asked, describe(stats));
    return asLocated(realpathSync(asked), undefined);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(asked, namesNear(asked));
    throw readFault(error, asked);
  }
}

/** A path that passed the gate earlier, read from a journal of Pincer. */
export function locatedBefore(path: string, root: string | undefined): Located {
  return asLocated(path, root);
}

function walkSlot<T>({ root, stateDir }: SlotBase, slot: string, arrive: (entry: Entry) => T): T {
  if (isAbsolute(slot)) throw outsideWorkspace(slot, root.path, 'absolute paths are not allowed here');
  if (slot.includes('\0')) throw readFault(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_VALUE' }), slot);
  try {
    return walk({ root, steps: splitPath(slot), asked: slot, leaf: 'target' }, (arrival) => {
      refuseState(arrival.path, stateDir);
      if (arrival.type === 'nothing') throw notFound(arrival.path, neighbours(arrival.parent, arrival.missing[0]));
      if (arrival.type === 'folder') throw notRegular(arrival.path, 'a folder');
      if (!arrival.stats.isFile()) throw notRegular(arrival.path, describe(arrival.stats));
      return arrive(arrival);
    });
  } catch (error) {
    throw forOperator(error);
  }
}

/** The faults of the walk have hints for tools; the command line has other options to suggest. */
function forOperator(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { code, message, details } = error;
  if (code === 'FS_NOT_FOUND' && Array.isArray(details?.['near']) && typeof details['path'] === 'string')
    return notFound(details['path'], details['near'] as string[]);
  if (code !== 'FS_OUTSIDE_WORKSPACE') return error;
  return new Fault(code, message, {
    hint: 'name that file with --file, or choose another folder with --cwd',
    ...(details && { details }),
  });
}

function openEntry(
  { root, readHardLinks }: SlotBase,
  { parent, name, path, stats, followed }: Entry,
): OpenFile | undefined {
  const fd = tryOpenEntry(parent, name, path);
  if (fd === undefined) return undefined;
  const now = fstatSync(fd, { bigint: true });
  if (now.dev === stats.dev && now.ino === stats.ino) {
    return openDescriptor(asLocated(path, root, followed), fd, parent, readHardLinks ? 'read' : 'refuse');
  }
  closeSync(fd);
  return undefined;
}

function namesNear(path: string): readonly string[] {
  try {
    return nearestNames(basename(path), readdirSync(dirname(path)));
  } catch {
    return []; // suggestions are optional; the caller reports the fault
  }
}
