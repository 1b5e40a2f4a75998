/** Workspace files for changes that Pincer makes itself: recorded, and never through a symlink. */
import { Fault } from '../../../base/fault.ts';
import type { Actor } from '../../../wire/actor.ts';
import { OWN_CLIENT } from '../../../wire/client-name.ts';
import { localFiles, type LocalFiles } from '../../files/files.ts';
import type { Files, LocatedEntry } from '../../files/shape.ts';
import { identity } from '../../obeyed/file-stamp.ts';
import { isUtf8Path } from '../../obeyed/path-bytes.ts';

export interface Recorded {
  readonly workspace: string;
  readonly stateDir: string;
  /** The owner of the sandbox. */
  readonly actor: Actor;
}

/** A file is read in one piece, which blocks everything else. */
const LONGEST_FILE = 16 << 20;

/** Opens the files; the caller closes them. The author is not the agent, because the agent's undo must not restore a file. */
export function recordedFiles({ workspace, stateDir, actor }: Recorded): LocalFiles {
  const author = { ...actor, client: OWN_CLIENT };
  return localFiles({
    cwd: workspace,
    stateDir,
    author,
    protect: 'none',
    hardLinks: 'in-place',
    keepsRecord: true,
    // Before anything is changed: what could not be restored stays unchanged.
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

/** The file at exactly this path, if it is what the scan saw. A replaced folder or symlink is a fault. */
export function exactPlace(path: string, files: Files, seen: string | undefined): LocatedEntry {
  if (!isUtf8Path(path)) throw new Fault('FS_CHANGED', 'its name is not UTF-8');
  const place = files.placeOf(/^[@~]/u.test(path) ? `./${path}` : path, 'itself');
  const isSeen = seen === undefined || place.stamp === undefined || identity(place.stamp) === seen;
  if (place.file.path === `${files.workspace}/${path}` && isSeen) return place;
  throw new Fault('FS_CHANGED', 'it was replaced after it was found');
}
