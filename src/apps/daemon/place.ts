/** Chooses where the daemon's socket stands: a short path, whatever the length of the state folder, that only we enter. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { whyUnsafe } from './pointer.ts';

/** What the kernel takes as the path of a socket, without the closing zero (macOS takes fewer than Linux). */
const LONGEST_SOCKET = process.platform === 'darwin' ? 103 : 107;
const STICKY = 0o1000;

/** The path of the socket; its folder is made. Throws GATEWAY_SOCKET_FOLDER where no folder can be trusted. */
export function socketPlace(stateDir: string, runtimeDir: string | undefined): string {
  const name = `${createHash('sha256').update(realpathSync(stateDir)).digest('hex').slice(0, 16)}.sock`;
  const problems: string[] = [];
  for (const folder of candidates(runtimeDir)) {
    const socket = join(folder.path, name);
    if (Buffer.byteLength(socket) > LONGEST_SOCKET) problems.push(`${folder.path} is too long for a socket`);
    else {
      const problem = whyParentUnsafe(folder.parent) ?? prepare(folder.path);
      if (problem === undefined) return socket;
      problems.push(problem);
    }
  }
  throw new Fault('GATEWAY_SOCKET_FOLDER', `there is no safe folder for the socket: ${problems.join('; ')}`, {
    hint: 'remove what stands there, or name a folder of your own with mode 0700 in XDG_RUNTIME_DIR',
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

/** In a parent that others write without the sticky bit, they could swap our folder for theirs. */
function whyParentUnsafe(parent: string): string | undefined {
  try {
    const { mode, uid } = lstatSync(realpathSync(parent));
    if (uid !== 0 && uid !== process.geteuid?.()) return `${parent} belongs to another user`;
    return (mode & 0o022) === 0 || (mode & STICKY) !== 0 ? undefined : `others may replace what is in ${parent}`;
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
