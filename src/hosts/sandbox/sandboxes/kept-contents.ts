/** Keeps the content of small obeyed files, so that pincer can restore those that work in a sandbox changed. */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { relativeInside } from '../../relative-inside.ts';
import { lstatAt, stampOf } from '../../obeyed/file-stamp.ts';
import type { Fingerprint } from '../../obeyed/fingerprint.ts';
import { fsPath, isUtf8Path } from '../../obeyed/path-bytes.ts';
import { linkText, realOf, realPlaceOf } from '../../obeyed/reading.ts';
import { withPauses } from '../../obeyed/pauses.ts';

const LONGEST_FILE = 256 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

/** A file, folder or symlink before a command; the entries of a folder are kept under their own paths. */
export type KeptContent =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'folder'; readonly mode: number }
  /** `target` is its real path relative to the workspace, where that is inside. */
  | { readonly kind: 'link'; readonly text: string; readonly target?: string };

interface Kept {
  readonly stamp: string;
  readonly content: KeptContent;
}

export class KeptContents {
  readonly #top: string;
  #kept = new Map<string, Kept>();

  constructor(workspace: string) {
    this.#top = realPlaceOf(workspace);
  }

  /** The content of a path at the last snapshot; undefined where it is not kept. */
  of(path: string): KeptContent | undefined {
    return this.#kept.get(path)?.content;
  }

  /** Keeps the current contents. Unguarded paths come first, because they can be changed. */
  async keep({ entries }: Fingerprint, isCovered: (path: string) => boolean): Promise<void> {
    const paths = [...entries.keys()];
    const order = [...paths.filter((path) => !isCovered(path)), ...paths.filter(isCovered)];
    this.#kept = await withPauses(this.#read(order, entries));
  }

  /** The stamp of a path whose content equals the kept content; undefined where it differs. */
  stampIfKept(path: string): string | undefined {
    const content = this.of(path);
    const now = content === undefined ? undefined : this.#lookAt(path, LONGEST_FILE);
    if (content === undefined || now === undefined || !isSame(content, now.content)) return undefined;
    if (content.kind === 'link' && content.target !== undefined && this.of(content.target) !== undefined)
      if (this.stampIfKept(content.target) === undefined) return undefined;
    this.#kept.set(path, { stamp: now.stamp, content });
    return now.stamp;
  }

  *#read(paths: readonly string[], entries: Fingerprint['entries']): Generator<undefined, Map<string, Kept>> {
    const kept = new Map<string, Kept>();
    let left = MOST_BYTES;
    const queue = [...paths];
    for (let i = 0; i < queue.length; i++) {
      const path = queue[i]!;
      const now =
        kept.has(path) || !isUtf8Path(path)
          ? undefined
          : this.#lookAt(path, Math.min(left, LONGEST_FILE), this.#kept.get(path));
      yield undefined;
      // A file that changed since the snapshot is not the baseline of the next comparison.
      if (now === undefined || now.stamp !== (entries.get(path)?.stamp ?? now.stamp)) continue;
      kept.set(path, now);
      if (now.content.kind === 'file') left -= now.content.bytes.length;
      else if (now.content.kind === 'link' && now.content.target !== undefined) queue.push(now.content.target);
    }
    return kept;
  }

  #lookAt(path: string, most: number, known?: Kept): Kept | undefined {
    const place = `${this.#top}/${path}`;
    const stats = lstatAt(place);
    if (stats === undefined) return undefined;
    const stamp = stampOf(stats, place);
    if (known?.stamp === stamp) return known;
    if (stats.isFile()) {
      const content = readRegular(place, most);
      return content === undefined ? undefined : { stamp, content };
    }
    if (stats.isDirectory()) return { stamp, content: { kind: 'folder', mode: modeOf(stats) } };
    const text = stats.isSymbolicLink() ? linkText(place) : undefined;
    if (text === undefined) return undefined;
    const target = relativeInside(this.#top, realOf(place) ?? '/');
    return { stamp, content: { kind: 'link', text, ...(target ? { target } : {}) } };
  }
}

function isSame(a: KeptContent, b: KeptContent): boolean {
  if (a.kind === 'link') return b.kind === 'link' && a.text === b.text;
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode;
  return b.kind === 'file' && a.mode === b.mode && a.bytes.equals(b.bytes);
}

function modeOf({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

/** Undefined where the file is too long, is being written, or is not a regular file. */
function readRegular(path: string, most: number): KeptContent | undefined {
  let fd: number;
  try {
    fd = openSync(fsPath(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined; // it was removed, or this user may not read it
  }
  try {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile() || before.size > BigInt(most)) return undefined;
    const bytes = Buffer.alloc(Number(before.size));
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    const after = fstatSync(fd, { bigint: true });
    if (length !== bytes.length || stampOf(after, path) !== stampOf(before, path)) return undefined;
    return { kind: 'file', bytes, mode: modeOf(before) };
  } catch {
    return undefined; // a device that fails
  } finally {
    closeSync(fd);
  }
}
