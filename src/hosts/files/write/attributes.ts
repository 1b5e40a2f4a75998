/**
 * Access lists and extended attributes belong to a file, and a new file that takes its name has none of them. Node has
 * no calls for them; GNU `cp` copies them from one open file to another. One process copies those of many files.
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runSystemProgram } from '../../process/programs/system-program.ts';
import { errnoOf } from '../faults.ts';
import { hasFdPaths } from '../gate/pin.ts';
import { statePart } from '../state-folder.ts';

/** Two open files: the second gets what the first has. */
export interface AttributePair {
  readonly from: number;
  readonly to: number;
}

/** As many files as one process gets. */
export const MOST_PAIRS = 64;

const PATIENCE_MS = 10_000;
const OPTIONS = ['-L', '--attributes-only', '--preserve=mode,xattr'];
const FIRST_DESCRIPTOR = 3;

/**
 * Copies mode, access list and extended attributes; for each pair, whether the second file has all of them now. Where files
 * cannot be named by descriptor (macOS, Windows) nothing is copied, and the rights of a file are those of its mode.
 */
export function copyAttributes(pairs: readonly AttributePair[], stateDir: string): readonly boolean[] {
  if (!hasFdPaths()) return pairs.map(() => true);
  if (pairs.length > 1 && copyTogether(pairs, stateDir)) return pairs.map(() => true);
  return pairs.map(copyOne);
}

function copyOne({ from, to }: AttributePair): boolean {
  const names = [sourceAt(0), targetAt(0)].map(descriptorPath);
  return runSystemProgram('cp', [...OPTIONS, ...names], { descriptors: [from, to], timeoutMs: PATIENCE_MS });
}

/** `cp` takes many sources and one folder: there each source finds a link of its own name that leads to its target. */
function copyTogether(pairs: readonly AttributePair[], stateDir: string): boolean {
  const folder = statePart(stateDir, 'attributes');
  for (const at of pairs.keys()) linkOnce(descriptorPath(targetAt(at)), join(folder, `${sourceAt(at)}`));
  return runSystemProgram('cp', [...OPTIONS, '-t', folder, ...pairs.map((_, at) => descriptorPath(sourceAt(at)))], {
    descriptors: pairs.flatMap(({ from, to }) => [from, to]),
    timeoutMs: PATIENCE_MS,
  });
}

/** The same links serve every batch, because a pair always has the same two numbers in the other process. */
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
