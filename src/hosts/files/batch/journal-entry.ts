/** The entries of a journal. Each is idempotent: any process can perform it again with the same result. */
import { normalize, sep } from 'node:path';
import type { Located, Stamp } from '../shape.ts';
import { isBelow } from '../../../base/inside.ts';
import { locatedBefore } from '../gate/locate.ts';

export type JournalEntry =
  | PutEntry
  | DropEntry
  | ShiftEntry
  | FillEntry
  | LinkEntry
  | FolderEntry
  | EmptyEntry
  | ModeEntry;

/** Renames the finished file `temp` to its target in the same folder. */
export interface PutEntry {
  readonly do: 'put';
  readonly file: Located;
  readonly temp: string;
  /** The inode of the new content, by which recovery recognises it. */
  readonly ino: bigint;
  readonly size: number;
  /** The file that it replaces; without it the target must not exist. */
  readonly over?: Stamp;
}

export interface DropEntry {
  readonly do: 'drop';
  readonly file: Located;
  readonly old: Stamp;
  /** The name that it has in its folder until the batch can no longer fail. */
  readonly aside?: string;
}

export interface ShiftEntry {
  readonly do: 'shift';
  readonly file: Located;
  readonly old: Stamp;
  readonly to: Located;
  readonly over?: Stamp;
}

/** Writes the content of `staged`, a file in the state folder, into the file itself. */
export interface FillEntry {
  readonly do: 'fill';
  readonly file: Located;
  readonly old: Stamp;
  readonly staged: string;
  readonly size: number;
  /** An earlier entry renamed the file, which changed its ctime. */
  readonly renamed?: true;
}

/** Creates a symbolic link where no entry exists. */
export interface LinkEntry {
  readonly do: 'link';
  readonly file: Located;
  /** As the link stores it. */
  readonly target: string;
}

/** A folder that is created for the batch and removed if the batch fails; only an intent has such entries. */
export interface FolderEntry {
  readonly do: 'folder';
  readonly file: Located;
}

/** Removes a folder when nothing is in it any more. */
export interface EmptyEntry {
  readonly do: 'empty';
  readonly file: Located;
}

/** Changes the permissions of a file or folder. */
export interface ModeEntry {
  readonly do: 'mode';
  readonly file: Located;
  readonly was: number;
  readonly mode: number;
}

interface PlainFile {
  readonly path: string;
  readonly root?: string;
}

type PlainStamp = Readonly<Record<keyof Stamp, string>>;

export interface PlainEntry extends PlainFile {
  readonly do: JournalEntry['do'];
  readonly temp?: string;
  readonly ino?: string;
  readonly size?: number;
  readonly over?: PlainStamp;
  readonly old?: PlainStamp;
  readonly to?: PlainFile;
  readonly staged?: string;
  readonly aside?: string;
  readonly renamed?: true;
  readonly target?: string;
  readonly was?: number;
  readonly mode?: number;
}

const TEMP_NAME = /^\.[^/\\]+\.pincer-batch$/u;

export function toPlain(entry: JournalEntry): PlainEntry {
  const start = { do: entry.do, ...plainFile(entry.file) };
  switch (entry.do) {
    case 'put':
      return { ...start, temp: entry.temp, ino: String(entry.ino), size: entry.size, ...plainOver(entry.over) };
    case 'drop':
      return { ...start, old: plainStamp(entry.old), ...(entry.aside !== undefined && { aside: entry.aside }) };
    case 'shift':
      return { ...start, old: plainStamp(entry.old), to: plainFile(entry.to), ...plainOver(entry.over) };
    case 'fill':
      return {
        ...start,
        old: plainStamp(entry.old),
        staged: entry.staged,
        size: entry.size,
        ...(entry.renamed === true && { renamed: true }),
      };
    case 'link':
      return { ...start, target: entry.target };
    case 'folder':
    case 'empty':
      return start;
    case 'mode':
      return { ...start, was: entry.was, mode: entry.mode };
  }
}

/** Throws a TypeError if this program cannot have written the entry. */
export function fromPlain(plain: PlainEntry): JournalEntry {
  const file = readFile(plain);
  const over = plain.over === undefined ? {} : { over: readStamp(plain.over) };
  switch (plain.do) {
    case 'put':
      return {
        do: 'put',
        file,
        temp: checkedName(plain.temp, TEMP_NAME),
        ino: BigInt(plain.ino!),
        size: Number(plain.size),
        ...over,
      };
    case 'drop': {
      const aside = plain.aside === undefined ? {} : { aside: checkedName(plain.aside, TEMP_NAME) };
      return { do: 'drop', file, old: readStamp(plain.old), ...aside };
    }
    case 'shift':
      return { do: 'shift', file, old: readStamp(plain.old), to: readFile(plain.to), ...over };
    case 'fill': {
      const staged = checkedName(plain.staged, /^[\w.-]+\.staged$/u);
      const renamed = plain.renamed === true ? { renamed: true as const } : {};
      return { do: 'fill', file, old: readStamp(plain.old), staged, size: Number(plain.size), ...renamed };
    }
    case 'link':
      if (typeof plain.target !== 'string' || plain.target === '') throw new TypeError('link without a target');
      return { do: 'link', file, target: plain.target };
    case 'folder':
    case 'empty':
      return { do: plain.do, file };
    case 'mode':
      return { do: 'mode', file, was: checkedMode(plain.was), mode: checkedMode(plain.mode) };
    default:
      throw new TypeError('unknown kind of entry');
  }
}

function plainFile({ path, root }: Located): PlainFile {
  return root === undefined ? { path } : { path, root };
}

/** Journals are trusted, but their paths may not leave the root that they name. */
function readFile(plain: PlainFile | undefined): Located {
  const { path, root } = plain ?? {};
  if (typeof path !== 'string' || normalize(path) !== path) throw new TypeError('path is not normalized');
  if (root !== undefined && !isBelow(path, root, sep)) throw new TypeError('path is outside its root');
  return locatedBefore(path, root);
}

function checkedName(name: string | undefined, pattern: RegExp): string {
  if (name === undefined || !pattern.test(name)) throw new TypeError('not the name of a temporary file');
  return name;
}

function checkedMode(mode: number | undefined): number {
  if (mode === undefined || !Number.isInteger(mode) || mode < 0 || mode > 0o7777) throw new TypeError('no permissions');
  return mode;
}

function plainOver(over: Stamp | undefined): { readonly over?: PlainStamp } {
  return over === undefined ? {} : { over: plainStamp(over) };
}

function plainStamp({ dev, ino, size, mtimeNs, ctimeNs }: Stamp): PlainStamp {
  return { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}

function readStamp(plain: PlainStamp | undefined): Stamp {
  const { dev, ino, size, mtimeNs, ctimeNs } = plain!;
  return {
    dev: BigInt(dev),
    ino: BigInt(ino),
    size: BigInt(size),
    mtimeNs: BigInt(mtimeNs),
    ctimeNs: BigInt(ctimeNs),
  };
}
