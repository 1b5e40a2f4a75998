/**
 * Extended attributes and access lists belong to a file and would be lost with it. Node has no calls for them; GNU `cp`
 * copies them from one open file to another. It costs a process, so it is done for durable writes of a few files and
 * not for large batches. Where there is no such `cp` they are lost, as the documents say.
 */
import { hasFdPaths } from './pin.ts';

const PATIENCE_MS = 5000;

let available = true;

/** Copies the mode, access list and extended attributes of one open file to another, where that can be done. */
export function copyAttributes(from: number, to: number): void {
  if (!available || !hasFdPaths()) return;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const of = (fd: number): string => `/proc/${process.pid}/fd/${fd}`;
  const options = ['-L', '--attributes-only', '--preserve=mode,xattr'];
  const { error } = spawnSync('cp', [...options, of(from), of(to)], { stdio: 'ignore', timeout: PATIENCE_MS });
  if (error !== undefined) available = false; // no such program here; asking again for each file would only cost time
}
