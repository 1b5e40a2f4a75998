/**
 * A `.git` where there is none: without it a program inside could make a repository whose settings start programs on this
 * machine, as soon as somebody asks for its state. Git takes an empty folder for nothing, and a sandbox sees it as one
 * that cannot be written nor moved. Because git then looks for a repository without working files, whose `HEAD`, settings
 * and hooks would stand beside it, an empty folder takes the place of `HEAD`, too.
 *
 * Each sandbox that relies on them leaves a file in `.git`, so the last one can remove them: removing a folder that another
 * sandbox has mounted something on would take that away, too.
 */
import { closeSync, lchownSync, mkdirSync, openSync, readdirSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { isAlive } from '../../process/is-alive.ts';
import { createHolds, type Held, type Holds } from './hold.ts';
import { readSmallFile } from '../../obeyed/reading.ts';

const CLAIM = /^pincer-sandbox-(\d+)-[\w-]+$/u;
/** Stands in the file of a sandbox when the folder HEAD is ours. */
const HEAD_IS_OURS = 'HEAD';
const TRIES = 20;

/** What is left of the folder's making. */
export interface Placeholder {
  /** Takes the place of HEAD with a folder; false when somebody else's stands there. */
  takeHead(): boolean;
  /** Takes the claim away, and the folders if nobody else has one. */
  release(): void;
}

/** Makes the folder, or joins those who rely on it. Undefined where nobody may write, so that nothing can be made there either. */
export function placeholder(workspace: Held, id: string): Placeholder | undefined {
  // Held for as long as the claim, so that what is removed is what was made.
  const holds = createHolds();
  const top = holds.hold(workspace.below('.'))!;
  const own = `pincer-sandbox-${process.pid}-${id}`;
  const claimed = claim(own, top, holds);
  if (claimed === undefined) {
    holds.close();
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
      holds.close();
    },
  };
}

const GONE = ['ENOENT', 'ENOTDIR'];
const NOT_REMOVED = [...GONE, 'ENOTEMPTY', 'EEXIST'];

/** The folder with our file in it, both held: what stands at their paths may be a link by now. Undefined where nobody may write. */
function claim(name: string, top: Held, holds: Holds): { readonly folder: Held; readonly file: number } | undefined {
  for (let tries = 0; ; tries++) {
    try {
      makeFolder(top.below('.git'), top);
      const folder = holds.hold(top.below('.git'));
      if (folder?.kind === 'folder') return { folder, file: openSync(folder.below(name), 'wx', 0o644) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return undefined;
      if (code !== 'ENOENT') throw error;
    }
    // Another sandbox ended just now and took the folder with it; somebody who does that again and again wants something else.
    if (tries >= TRIES)
      throw new Fault('SANDBOX_WORKSPACE_REFUSED', `.git in ${top.path()} was swapped while it was looked at`, {
        hint: 'find out what moves folders in the workspace, then try again',
      });
  }
}

/** Whether it was not there before. */
function makeFolder(folder: string, { stats }: Held): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  // Not through a link that stands there by now.
  if (process.geteuid?.() === 0 && stats.uid !== 0n) lchownSync(folder, Number(stats.uid), Number(stats.gid));
  return true;
}

/** None where somebody removed the folder. */
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
