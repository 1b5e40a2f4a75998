/** What a batch does, as its journal says it: every entry can be done again, by anybody, with the same end. */
import { normalize, sep } from 'node:path';
import type { Located, Stamp } from '../shape.ts';
import { isBelow } from '../../../base/inside.ts';
import { locatedBefore } from '../gate/locate.ts';

export type JournalEntry = PutEntry | DropEntry | ShiftEntry | FillEntry | LinkEntry | FolderEntry;

/** The finished content that waits under the name `temp` beside its target takes the target's name. */
export interface PutEntry {
  readonly do: 'put';
  readonly file: Located;
  readonly temp: string;
  /** The new content's file, so that recovery can tell it from any other. */
  readonly ino: bigint;
  readonly size: number;
  /** What it replaces; without it nothing may stand there. */
  readonly over?: Stamp;
}

/** The name of this file or link goes. */
export interface DropEntry {
  readonly do: 'drop';
  readonly file: Located;
  readonly old: Stamp;
  /** The name under which it waits in its folder until the batch is past all that can fail. */
  readonly aside?: string;
}

/** The file gets another name. */
export interface ShiftEntry {
  readonly do: 'shift';
  readonly file: Located;
  readonly old: Stamp;
  readonly to: Located;
  readonly over?: Stamp;
}

/** The content that waits under the name `staged` in the state folder is written into the file itself. */
export interface FillEntry {
  readonly do: 'fill';
  readonly file: Located;
  readonly old: Stamp;
  readonly staged: string;
  readonly size: number;
  /** The file got this name by an entry before: then the time of its last change of name or mode is another one. */
  readonly renamed?: true;
}

/** A symbolic link is made, where nothing stands. */
export interface LinkEntry {
  readonly do: 'link';
  readonly file: Located;
  /** The path that it leads to, as it is stored. */
  readonly target: string;
}

/** A folder that is made for the batch and removed again if the batch does not happen; stands only in an intent. */
export interface FolderEntry {
  readonly do: 'folder';
  readonly file: Located;
}

interface PlainFile {
  readonly path: string;
  readonly root?: string;
}

type PlainStamp = Readonly<Record<keyof Stamp, string>>;

/** An entry as JSON can hold it. */
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
}

/** What waits beside its target. */
const BESIDE = /^\.[^/\\]+\.pincer-batch$/u;

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
      return start;
  }
}

/** Throws a TypeError when the entry is none that this program could have written. */
export function fromPlain(plain: PlainEntry): JournalEntry {
  const file = readFile(plain);
  const over = plain.over === undefined ? {} : { over: readStamp(plain.over) };
  switch (plain.do) {
    case 'put':
      return {
        do: 'put',
        file,
        temp: nameOfOurs(plain.temp, BESIDE),
        ino: BigInt(plain.ino!),
        size: Number(plain.size),
        ...over,
      };
    case 'drop': {
      const aside = plain.aside === undefined ? {} : { aside: nameOfOurs(plain.aside, BESIDE) };
      return { do: 'drop', file, old: readStamp(plain.old), ...aside };
    }
    case 'shift':
      return { do: 'shift', file, old: readStamp(plain.old), to: readFile(plain.to), ...over };
    case 'fill': {
      const staged = nameOfOurs(plain.staged, /^[\w.-]+\.staged$/u);
      const renamed = plain.renamed === true ? { renamed: true as const } : {};
      return { do: 'fill', file, old: readStamp(plain.old), staged, size: Number(plain.size), ...renamed };
    }
    case 'link':
      if (typeof plain.target !== 'string' || plain.target === '') throw new TypeError('a link to nothing');
      return { do: 'link', file, target: plain.target };
    case 'folder':
      return { do: 'folder', file };
    default:
      throw new TypeError('no entry of ours');
  }
}

function plainFile({ path, root }: Located): PlainFile {
  return root === undefined ? { path } : { path, root };
}

/** A journal is trusted, but not so far that its names could lead out of the workspace that it names. */
function readFile(plain: PlainFile | undefined): Located {
  const { path, root } = plain ?? {};
  if (typeof path !== 'string' || normalize(path) !== path) throw new TypeError('no path of ours');
  if (root !== undefined && !isBelow(path, root, sep)) throw new TypeError('a path outside its root');
  return locatedBefore(path, root);
}

function nameOfOurs(name: string | undefined, pattern: RegExp): string {
  if (name === undefined || !pattern.test(name)) throw new TypeError('no name of ours');
  return name;
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
