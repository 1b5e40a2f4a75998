import { isUtf8 } from 'node:buffer';
import { readlinkSync } from 'node:fs';
import { errnoOf, readFault } from '../faults.ts';
import type { PinnedFolder } from './pin.ts';

/** The target of a link as bytes; undefined if the entry is missing or not a link. */
export function linkBytes(parent: PinnedFolder, name: string, path: string): Buffer | undefined {
  try {
    return readlinkSync(parent.at(name), 'buffer');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw readFault(error, path);
  }
}

/** The target of a link as it is stored; undefined if the entry is missing, not a link, or its target is not UTF-8. */
export function linkText(parent: PinnedFolder, name: string, path: string): string | undefined {
  const bytes = linkBytes(parent, name, path);
  // Decoded as text, other bytes would name another file.
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString() : undefined;
}
