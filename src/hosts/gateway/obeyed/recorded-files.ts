/** Files of a workspace for changes that Pincer makes itself: recorded, and never through a link. */
import { Fault } from '../../../base/fault.ts';
import type { Actor } from '../../../wire/actor.ts';
import { OWN_CLIENT } from '../../../wire/client-name.ts';
import { localFiles, type LocalFiles } from '../../files/files.ts';
import type { Files, LocatedEntry } from '../../files/shape.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { isUtf8Path } from '../../obeyed/path-bytes.ts';

/** Where a change is made, and where it is recorded. */
export interface Recorded {
  readonly workspace: string;
  readonly stateDir: string;
  /** Whose sandbox it was. */
  readonly actor: Actor;
}

/** Of one file: it is read in one piece, in which everything else waits. */
const LONGEST_FILE = 16 << 20;

/** Opens the files; close them. The author is not the agent, because its undo must not bring a file back. */
export function recordedFiles({ workspace, stateDir, actor }: Recorded): LocalFiles {
  const author = { ...actor, client: OWN_CLIENT };
  return localFiles({
    cwd: workspace,
    stateDir,
    author,
    protect: 'none',
    hardLinks: 'in-place',
    keepsRecord: true,
    // Before anything is changed: what could not be brought back stays as it is.
    onWarning: (warning) => {
      throw new Fault('FS_WRITE_FAILED', warning);
    },
  });
}

/** Refuses a file that is too long to be recorded in one piece. */
export function checkLength(path: string, size: number): void {
  if (size > LONGEST_FILE)
    throw new Fault('FS_CHANGED', `${JSON.stringify(path)} has more than ${LONGEST_FILE >> 20} MB`);
}

/** The place that has exactly this path, and is what the look saw there. A swapped folder or link is a fault. */
export function exactPlace(path: string, files: Files, seen: string | undefined): LocatedEntry {
  if (!isUtf8Path(path)) throw new Fault('FS_CHANGED', 'its name is not UTF-8');
  const place = files.placeOf(/^[@~]/u.test(path) ? `./${path}` : path, 'itself');
  const isSeen = seen === undefined || place.stamp === undefined || identity(place.stamp) === seen;
  if (place.file.path === `${files.workspace}/${path}` && isSeen) return place;
  throw new Fault('FS_CHANGED', 'it was replaced after it was found');
}
