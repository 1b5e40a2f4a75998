/** Files of a workspace for changes that Pincer makes itself: recorded, and never through a link. */
import { Fault } from '../../base/fault.ts';
import type { Actor } from '../../wire/actor.ts';
import { OWN_CLIENT } from '../../wire/client-name.ts';
import { localFiles, type FilesOptions, type LocalFiles } from '../files/files.ts';
import type { Files, Place } from '../host.ts';
import { identity } from '../obeyed/file-stamp.ts';
import { isUtf8Path } from '../obeyed/path-bytes.ts';

/** Where a change is made, and where it is recorded. */
export interface Recorded {
  readonly workspace: string;
  readonly stateDir: string;
  /** Whose sandbox it was. */
  readonly actor: Actor;
}

/** Opens the files; close them. The author is not the agent, because its undo must not bring a file back. */
export function recordedFiles(
  { workspace, stateDir, actor }: Recorded,
  onWarning?: FilesOptions['onWarning'],
): LocalFiles {
  const author = { ...actor, client: OWN_CLIENT };
  const options: FilesOptions = { cwd: workspace, stateDir, author, protect: 'none', hardLinks: 'in-place' };
  return localFiles(onWarning === undefined ? options : { ...options, onWarning });
}

/** The place that has exactly this path, and is what the look saw there. A swapped folder or link is a fault. */
export function exactPlace(path: string, files: Files, seen: string | undefined): Place {
  if (!isUtf8Path(path)) throw new Fault('FS_CHANGED', 'its name is not UTF-8');
  const place = files.placeOf(/^[@~]/u.test(path) ? `./${path}` : path, 'itself');
  const isSeen = seen === undefined || place.stamp === undefined || identity(place.stamp) === seen;
  if (place.file.path === `${files.workspace}/${path}` && isSeen) return place;
  throw new Fault('FS_CHANGED', 'it was replaced after it was found');
}
