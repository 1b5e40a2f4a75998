/** Files in the workspace that make git start programs because its settings name them. A git command that writes files may write them. */
import { pathsObeyed } from '../obeyed/git/git-paths.ts';
import { settingsOf, settingsOfUser, settingsReader } from '../obeyed/git/git-settings.ts';
import { type Environment, homesOfUser } from '../obeyed/home.ts';
import { filesStarted, foldersNamed } from '../obeyed/named-by-settings.ts';
import { realPlaceOf } from '../obeyed/reading.ts';
import { findRepository } from '../obeyed/git/repository.ts';
import { isOutsideOf } from './programs/workspace.ts';

/** The first such file or folder for git in a folder; the workspace itself where the settings cannot be read. */
export function obeyedInWorkspace(folder: string, workspace: string, env?: Environment): string | undefined {
  const user = settingsOfUser(homesOfUser(env), env, workspace);
  const repository = findRepository(folder);
  if (user.unreadable !== undefined || (repository !== undefined && 'unclear' in repository)) return workspace;
  const inside = (paths: readonly string[]): string | undefined =>
    paths.map((path) => realPlaceOf(path)).find((path) => !isOutsideOf(workspace, path));
  const ofUser = [...user.files, ...user.included];
  if (repository === undefined) {
    const files = filesStarted(user.settings);
    return files === undefined ? workspace : inside([...ofUser, ...foldersNamed(user.settings), ...files]);
  }
  const reader = settingsReader();
  const read = settingsOf(repository, reader);
  const obeyed = pathsObeyed(repository, read, reader, () => user);
  const files = filesStarted([...read.settings, ...user.settings], repository.top);
  if ((read.unreadable ?? obeyed.unreadable) !== undefined || files === undefined) return workspace;
  const isOwn = (path: string): boolean =>
    [repository.git, repository.shared].some((own) => !isOutsideOf(own, realPlaceOf(path)));
  return inside([...ofUser, ...obeyed.paths.map(({ path }) => path), ...files].filter((path) => !isOwn(path)));
}
