/** Chooses the path of the daemon's socket: short even for a long state folder, in a folder that only this user can enter. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { whyUnsafe } from './pointer.ts';

/** The kernel's limit for socket paths, without the final NUL (macOS allows less than Linux). */
const LONGEST_SOCKET = process.platform === 'darwin' ? 103 : 107;
const STICKY = 0o1000;

/** Creates the folder. Throws GATEWAY_SOCKET_FOLDER if no folder is safe. */
export function chooseSocketPath(stateDir: string, runtimeDir: string | undefined): string {
  const name = `${createHash('sha256').update(realpathSync(stateDir)).digest('hex').slice(0, 16)}.sock`;
  const problems: string[] = [];
  for (const folder of candidates(runtimeDir)) {
    const socket = join(folder.path, name);
    if (Buffer.byteLength(socket) > LONGEST_SOCKET) problems.push(`the socket path in ${folder.path} is too long`);
    else {
      const problem = whyParentUnsafe(folder.parent) ?? prepare(folder.path);
      if (problem === undefined) return socket;
      problems.push(problem);
    }
  }
  throw new Fault('GATEWAY_SOCKET_FOLDER', `no safe folder for the socket: ${problems.join('; ')}`, {
    hint: 'remove that folder or file, or set XDG_RUNTIME_DIR to your own folder with mode 0700',
    details: { problems },
  });
}

interface Candidate {
  readonly parent: string;
  readonly path: string;
}

function candidates(runtimeDir: string | undefined): readonly Candidate[] {
  const shared = { parent: '/tmp', path: `/tmp/pincer-${process.geteuid?.() ?? 0}` };
  if (runtimeDir === undefined || !isAbsolute(runtimeDir)) return [shared];
  return [{ parent: runtimeDir, path: join(runtimeDir, 'pincer') }, shared];
}

/** Without the sticky bit, users with write access to the parent could replace the folder. */
function whyParentUnsafe(parent: string): string | undefined {
  try {
    const { mode, uid } = lstatSync(realpathSync(parent));
    if (uid !== 0 && uid !== process.geteuid?.()) return `${parent} belongs to another user`;
    return (mode & 0o022) === 0 || (mode & STICKY) !== 0 ? undefined : `other users can replace files in ${parent}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function prepare(folder: string): string | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return (error as Error).message;
  }
  try {
    return whyUnsafe(folder);
  } catch (error) {
    return (error as Error).message;
  }
}
