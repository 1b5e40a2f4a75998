/**
 * A new file that is renamed over an old one has none of its ACLs and extended attributes. Node has no calls for them;
 * GNU `cp` copies them from one descriptor to another. One `cp` process copies those of many files.
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runSystemProgram } from '../../process/programs/system-program.ts';
import { errnoOf } from '../faults.ts';
import { hasFdPaths } from '../gate/pin.ts';
import { statePart } from '../state-folder.ts';

export interface AttributePair {
  readonly from: number;
  readonly to: number;
}

/** How many pairs one `cp` process copies. */
export const MOST_PAIRS = 64;

const TIMEOUT_MS = 10_000;
const OPTIONS = ['-L', '--attributes-only', '--preserve=mode,xattr'];
const FIRST_DESCRIPTOR = 3;

/**
 * Copies mode, ACL and extended attributes. Returns for each pair whether all of them were copied. Without `/proc/self/fd`
 * (macOS, Windows) it copies nothing and returns true: there the mode is the only permission that is kept.
 */
export function copyAttributes(pairs: readonly AttributePair[], stateDir: string): readonly boolean[] {
  if (!hasFdPaths()) return pairs.map(() => true);
  if (pairs.length > 1 && copyTogether(pairs, stateDir)) return pairs.map(() => true);
  return pairs.map(copyOne);
}

function copyOne({ from, to }: AttributePair): boolean {
  const names = [sourceAt(0), targetAt(0)].map(descriptorPath);
  return runSystemProgram('cp', [...OPTIONS, ...names], { descriptors: [from, to], timeoutMs: TIMEOUT_MS });
}

/** `cp` takes many sources and one folder. In that folder a symlink with the name of each source leads to its target. */
function copyTogether(pairs: readonly AttributePair[], stateDir: string): boolean {
  const folder = statePart(stateDir, 'attributes');
  for (const at of pairs.keys()) linkOnce(descriptorPath(targetAt(at)), join(folder, `${sourceAt(at)}`));
  return runSystemProgram('cp', [...OPTIONS, '-t', folder, ...pairs.map((_, at) => descriptorPath(sourceAt(at)))], {
    descriptors: pairs.flatMap(({ from, to }) => [from, to]),
    timeoutMs: TIMEOUT_MS,
  });
}

/** Every batch uses the same symlinks, because a pair always has the same two descriptor numbers in the `cp` process. */
function linkOnce(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function sourceAt(at: number): number {
  return FIRST_DESCRIPTOR + 2 * at;
}

function targetAt(at: number): number {
  return sourceAt(at) + 1;
}

function descriptorPath(number: number): string {
  return `/proc/self/fd/${number}`;
}
