import { isUtf8 } from 'node:buffer';
import { readlinkSync } from 'node:fs';
import { errnoOf, readFault } from '../faults.ts';
import type { PinnedFolder } from './pin.ts';

/** The bytes that a link holds; undefined when no link has that name. */
export function linkBytes(parent: PinnedFolder, name: string, path: string): Buffer | undefined {
  try {
    return readlinkSync(parent.at(name), 'buffer');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw readFault(error, path);
  }
}

/** The path that a link leads to, as it is stored; undefined when no link has that name or it leads to what is no text. */
export function linkText(parent: PinnedFolder, name: string, path: string): string | undefined {
  const bytes = linkBytes(parent, name, path);
  // Read as text, other bytes would name another file.
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString() : undefined;
}
