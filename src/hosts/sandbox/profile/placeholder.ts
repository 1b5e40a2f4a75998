/**
 * A placeholder `.git` where there is none. Without it, a command inside could create a repository whose settings start
 * programs on the host at the next `git status`. Git ignores an empty folder, and the sandbox mounts it read-only. Git then
 * looks for a bare repository, with `HEAD`, settings and hooks at the top of the workspace, so a folder replaces `HEAD` too.
 *
 * Each sandbox that uses them leaves a claim file in `.git`, and the last one removes the folders: removing a folder that
 * another sandbox uses as a mount point would also remove that mount.
 */
import {
  closeSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { isAlive } from '../../process/is-alive.ts';
import { createPathHandles, type PathHandle, type PathHandles } from './path-handles.ts';
import { readSmallFile } from '../../obeyed/reading.ts';

const CLAIM = /^pincer-sandbox-(\d+)-[\w-]+$/u;
/** The content of a claim file when pincer created the folder HEAD. */
const HEAD_IS_OURS = 'HEAD';
const TRIES = 20;

export interface Placeholder {
  /** Creates the folder HEAD; false when another program created what is there. */
  takeHead(): boolean;
  /** Removes the claim, and the folders if there is no other claim. */
  release(): void;
}

/** Creates `.git`, or adds a claim to it. Undefined where this user may not write, since commands could not create it either. */
export function placeholder(workspace: PathHandle, id: string): Placeholder | undefined {
  // The handles stay open as long as the claim, so that release() removes the folders that were created.
  const handles = createPathHandles();
  const top = handles.open(workspace.below('.'))!;
  const own = `pincer-sandbox-${process.pid}-${id}`;
  const claimed = claim(own, top, handles);
  if (claimed === undefined) {
    handles.close();
    return undefined;
  }
  const { folder, file } = claimed;
  const others = (): string[] => namesIn(folder.below('.')).filter((name) => name !== own && CLAIM.test(name));
  let hasOurHead = others().some((name) => readSmallFile(folder.below(name)) === HEAD_IS_OURS);
  if (hasOurHead) writeSync(file, HEAD_IS_OURS, 0);
  for (const name of others())
    if (!isAlive(Number(CLAIM.exec(name)?.[1]))) attempt(() => unlinkSync(folder.below(name)), ['ENOENT']);
  return {
    takeHead() {
      hasOurHead = makeFolder(top.below('HEAD'), top) || hasOurHead;
      if (hasOurHead) writeSync(file, HEAD_IS_OURS, 0);
      return hasOurHead;
    },
    release() {
      closeSync(file);
      if (hasOurHead && others().length === 0) attempt(() => rmdirSync(top.below('HEAD')), NOT_REMOVED);
      attempt(() => unlinkSync(folder.below(own)), GONE);
      attempt(() => rmdirSync(top.below('.git')), NOT_REMOVED);
      handles.close();
    },
  };
}

const GONE = ['ENOENT', 'ENOTDIR'];
const NOT_REMOVED = [...GONE, 'ENOTEMPTY', 'EEXIST'];

/** Opens the folder and the claim file: their paths may be symlinks by now. Undefined where this user may not write. */
function claim(
  name: string,
  top: PathHandle,
  handles: PathHandles,
): { readonly folder: PathHandle; readonly file: number } | undefined {
  for (let tries = 0; ; tries++) {
    try {
      makeFolder(top.below('.git'), top);
      const folder = handles.open(top.below('.git'));
      if (folder?.kind === 'folder') return { folder, file: openSync(folder.below(name), 'wx', 0o644) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return undefined;
      if (code !== 'ENOENT') throw error;
    }
    // Another sandbox has just ended and removed the folder. If this repeats, an attacker may be replacing it.
    if (tries >= TRIES)
      throw new Fault('SANDBOX_WORKSPACE_REFUSED', `.git in ${top.path()} was replaced while pincer checked it`, {
        hint: 'find out what moves folders in the workspace, then try again',
      });
  }
}

/** False where it existed before. */
function makeFolder(folder: string, { stats }: PathHandle): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  // lchown, because the path may be a symlink by now.
  if (process.geteuid?.() === 0 && stats.uid !== 0n) lchownSync(folder, Number(stats.uid), Number(stats.gid));
  return true;
}

/** Empty where the folder was removed. */
function namesIn(folder: string): string[] {
  let names: string[] = [];
  attempt(() => (names = readdirSync(folder)), GONE);
  return names;
}

function attempt(work: () => unknown, expected: readonly string[]): void {
  try {
    work();
  } catch (error) {
    if (!expected.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const FOLDER = 'placeholders';
const NOTE = /^(\d+)-[\w-]+$/u;

/** Notes that a workspace contains placeholders; the result removes the note. */
export function recordPlaceholder(scratch: string, id: string, workspace: string): () => void {
  const folder = join(scratch, FOLDER);
  const note = join(folder, `${process.pid}-${id}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(note, workspace);
  return () => rmSync(note, { force: true });
}

/** Removes the placeholders that killed gateways left in workspaces. */
export function sweepPlaceholders(scratch: string): void {
  const folder = join(scratch, FOLDER);
  for (const name of notesIn(folder)) {
    const pid = NOTE.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    clean(readSmallFile(join(folder, name)) ?? '');
    rmSync(join(folder, name), { force: true });
  }
}

function notesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A new claim removes the claims of dead processes; releasing it removes the folders if it was the last one. */
function clean(workspace: string): void {
  const handles = createPathHandles();
  try {
    const held = workspace.startsWith('/') ? handles.open(workspace) : undefined;
    const git = held?.kind === 'folder' && held.path() === workspace ? handles.open(held.below('.git')) : undefined;
    if (held !== undefined && git?.kind === 'folder') placeholder(held, 'sweep')?.release();
  } finally {
    handles.close();
  }
}
