/** `cp` and `mv`. */
import { basename, dirname, resolve } from 'node:path';
import { isBelow, isInside } from '../../../base/inside.ts';
import type { FileChange, LocatedEntry } from '../shape.ts';
import { MOST_BYTES, quoted, Refused, systemText, type Verb, Work } from './context.ts';
import { type Arguments, readArguments } from './options.ts';
import { parentProblem } from './make.ts';
import { removalOf } from './remove.ts';
import { treeBelow } from './tree.ts';

interface Pair {
  readonly source: string;
  readonly from: LocatedEntry;
  /** As the command would name the target. */
  readonly target: string;
  readonly to: LocatedEntry;
}

type Transfer = (pair: Pair, work: Work, read: Arguments) => void;

const LONG = { force: 'f', 'no-clobber': 'n', verbose: 'v', recursive: 'r', archive: 'a', 'target-directory': 't' };

export const cp: Verb = (args, call) => transfer('cp', args, new Work('cp', call), copyOne);
export const mv: Verb = (args, call) => transfer('mv', args, new Work('mv', call), moveOne);

function transfer(name: 'cp' | 'mv', args: readonly string[], work: Work, one: Transfer): number {
  const flags = name === 'cp' ? 'rRafnvpTdP' : 'fnvT';
  const read = readArguments(args, { flags, valued: 't', long: LONG });
  if ('usage' in read) return work.usage(read.usage);
  const folder = read.values.get('t');
  const sources = folder === undefined ? read.operands.slice(0, -1) : read.operands;
  const last = folder ?? read.operands.at(-1);
  if (last === undefined) return work.usage('missing file operand');
  if (sources.length === 0) return work.usage(`missing destination file operand after ${quoted(last)}`);
  const into = work.find(last);
  const isInto = !('problem' in into) && into.type === 'folder' && !read.has('T');
  if (read.has('T') && folder !== undefined) return work.usage('-t and -T cannot be combined');
  if (read.has('T') && sources.length > 1) return work.usage(`extra operand ${quoted(read.operands[2]!)}`);
  if (!isInto && (sources.length > 1 || folder !== undefined)) {
    const problem = 'problem' in into ? into.problem : 'Not a directory';
    return work.usage(`target ${folder === undefined ? '' : 'directory '}${quoted(last)}: ${problem}`);
  }
  const isLinkKept = name === 'mv' || ['r', 'R', 'a', 'd', 'P'].some((letter) => read.has(letter));
  return work.each(sources, (source) => {
    const from = work.find(source, isLinkKept && !source.endsWith('/') ? 'itself' : 'target');
    if ('problem' in from) throw new Refused(`cannot stat ${quoted(source)}: ${from.problem}`);
    const target = isInto ? `${last.replace(/(?<=.)\/+$/u, '')}/${basename(source)}` : last;
    const mark = work.pending.mark();
    try {
      one({ source, from, target, to: work.place(target.replace(/(?<=.)\/+$/u, ''), 'itself') }, work, read);
    } catch (error) {
      work.pending.dropSince(mark);
      if (error instanceof Refused) work.fail(error.message);
      else
        work.fail(
          `cannot ${name === 'cp' ? 'copy' : 'move'} ${quoted(source)} to ${quoted(target)}: ${systemText(error)}`,
        );
    }
  });
}

const copyOne: Transfer = ({ source, from, target, to: named }, work, read) => {
  const { files, umask } = work.call;
  const isRecursive = ['r', 'R', 'a'].some((letter) => read.has(letter));
  // A file is written through a link that leads to a file.
  const to = named.type === 'link' && from.type === 'file' ? work.place(target) : named;
  if (from.type === 'folder' && !isRecursive)
    throw new Refused(`-r not specified; omitting directory ${quoted(source)}`);
  if (from.type === 'other') throw new Refused(`cannot copy ${quoted(source)}: it is not a regular file`);
  if (named.type !== 'nothing' && from.type !== 'folder' && read.has('n')) return;
  if (from.file.path === to.file.path) {
    if (from.type === 'folder')
      throw new Refused(`cannot copy a directory, ${quoted(source)}, into itself, ${quoted(target)}`);
    throw new Refused(`${quoted(source)} and ${quoted(target)} are the same file`);
  }
  const keeps = read.has('p') || read.has('a');
  const modeOf = ({ mode = 0o644 }: LocatedEntry): number => (keeps ? mode : mode & ~umask) & 0o777;
  const say = (a: string, b: string): void => {
    if (read.has('v')) work.call.out(`${quoted(a)} -> ${quoted(b)}\n`);
  };
  const put = (one: LocatedEntry, over: LocatedEntry): void => {
    if (over.type === 'nothing' || over.stamp === undefined) {
      work.pending.add(newEntry(work, one, over, modeOf(one)));
      return;
    }
    if (one.type === 'link') work.pending.add(removalOf(over));
    if (one.type === 'link') work.pending.flush();
    work.pending.add(
      one.type === 'link'
        ? newEntry(work, one, over, 0)
        : {
            file: over.file,
            stamp: over.stamp,
            edit: { splices: [{ start: 0, end: Number(over.stamp.size), bytes: contentOf(work, one) }] },
          },
    );
  };
  if (from.type !== 'folder') {
    if (to.type === 'folder') throw new Refused(`cannot overwrite directory ${quoted(target)} with non-directory`);
    if (to.type === 'other') throw new Refused(`cannot write ${quoted(target)}: it is not a regular file`);
    const parent = to.type === 'nothing' ? parentProblem(work, to) : undefined;
    const what = from.type === 'link' ? 'symbolic link' : 'regular file';
    if (parent !== undefined) throw new Refused(`cannot create ${what} ${quoted(target)}: ${parent}`);
    if (to.type === 'nothing' && target.endsWith('/'))
      throw new Refused(`cannot create regular file ${quoted(target)}: Not a directory`);
    put(from, to);
    say(source, target);
    return;
  }
  if (to.type !== 'nothing' && to.type !== 'folder')
    throw new Refused(`cannot overwrite non-directory ${quoted(target)} with directory ${quoted(source)}`);
  if (isInside(to.file.path, from.file.path))
    throw new Refused(`cannot copy a directory, ${quoted(source)}, into itself, ${quoted(target)}`);
  const parent = to.type === 'nothing' ? parentProblem(work, to) : undefined;
  if (parent !== undefined) throw new Refused(`cannot create directory ${quoted(target)}: ${parent}`);
  work.pending.flush();
  const tree = treeBelow(files, from);
  if ('tooMuch' in tree) throw new Refused(`cannot copy ${quoted(source)}: ${tree.tooMuch}`);
  if (to.type === 'nothing') work.pending.add({ file: to.file, makeFolder: true, mode: modeOf(from) | 0o700 });
  say(source, target);
  for (const { place, way } of tree.entries) {
    const over = files.placeOf(`${to.file.path}/${way}`, 'itself');
    const name = `${target}/${way}`;
    if (place.type === 'other') work.fail(`cannot copy '${source}/${way}': it is not a regular file`);
    else if (place.type === 'folder') {
      if (over.type === 'nothing') work.pending.add({ file: over.file, makeFolder: true, mode: modeOf(place) | 0o700 });
      else if (over.type !== 'folder')
        work.fail(`cannot overwrite non-directory ${quoted(name)} with directory '${source}/${way}'`);
    } else if (over.type === 'folder')
      work.fail(`cannot overwrite directory ${quoted(name)} with non-directory '${source}/${way}'`);
    else if (over.type === 'nothing' || !read.has('n')) put(place, over);
    say(`${source}/${way}`, name);
  }
  work.pending.flush();
};

const moveOne: Transfer = ({ source, from, target, to }, work, read) => {
  const { files } = work.call;
  const cannot = (why: string): never => {
    throw new Refused(`cannot move ${quoted(source)} to ${quoted(target)}: ${why}`);
  };
  if (from.type === 'other') cannot('it is not a regular file');
  if (to.type !== 'nothing' && read.has('n')) return;
  if (from.file.path === to.file.path || (from.type === 'link' && leadsTo(work, source, to))) {
    if (from.type === 'folder' && source !== target)
      throw new Refused(`cannot move ${quoted(source)} to a subdirectory of itself, ${quoted(target)}`);
    throw new Refused(`${quoted(source)} and ${quoted(target)} are the same file`);
  }
  if (to.type === 'folder' && from.type !== 'folder')
    throw new Refused(`cannot overwrite directory ${quoted(target)} with non-directory`);
  if (to.type !== 'nothing' && to.type !== 'folder' && from.type === 'folder')
    throw new Refused(`cannot overwrite non-directory ${quoted(target)} with directory ${quoted(source)}`);
  if (from.type === 'folder' && isBelow(to.file.path, from.file.path))
    throw new Refused(`cannot move ${quoted(source)} to a subdirectory of itself, ${quoted(target)}`);
  if (to.type !== 'nothing' && read.has('n')) return;
  if (to.type === 'nothing') {
    const parent = parentProblem(work, to);
    if (parent !== undefined) cannot(parent);
    if (target.endsWith('/') && from.type !== 'folder') cannot('Not a directory');
  }
  if (from.type !== 'folder') work.pending.add(...moveFile(work, from, to));
  else {
    if (isInside(files.workspace, from.file.path)) cannot('it is the workspace');
    work.pending.flush();
    if (to.type === 'folder' && files.list(to.file.path).length > 0) cannot('Directory not empty');
    const tree = treeBelow(files, from);
    if ('tooMuch' in tree) throw new Refused(`cannot move ${quoted(source)}: ${tree.tooMuch}`);
    if (tree.entries.some(({ place }) => place.type === 'other')) cannot('not all of its files are regular');
    if (to.type === 'nothing') work.pending.add({ file: to.file, makeFolder: true, mode: from.mode ?? 0o755 });
    for (const { place, way } of tree.entries) {
      const over = files.placeOf(`${to.file.path}/${way}`, 'itself');
      if (place.type === 'folder') work.pending.add({ file: over.file, makeFolder: true, mode: place.mode ?? 0o755 });
      else work.pending.add(...moveFile(work, place, over));
    }
    for (const { place } of tree.entries.toReversed()) if (place.type === 'folder') work.pending.add(removalOf(place));
    work.pending.add(removalOf(from));
    work.pending.flush();
  }
  if (read.has('v')) work.call.out(`renamed ${quoted(source)} -> ${quoted(target)}\n`);
};

/** A link and the file that it leads to are the same file. */
function leadsTo(work: Work, link: string, to: LocatedEntry): boolean {
  const found = work.find(link);
  return !('problem' in found) && found.file.path === to.file.path;
}

function moveFile(work: Work, from: LocatedEntry, to: LocatedEntry): readonly FileChange[] {
  const { stamp, file } = from;
  if (stamp === undefined) throw new TypeError(`${file.path} does not exist`);
  if (from.type === 'link' || to.type === 'link') {
    if (to.type !== 'nothing') {
      work.pending.add(removalOf(to));
      work.pending.flush();
    }
    if (from.type === 'link') return [newEntry(work, from, to, 0), removalOf(from)];
    return [{ file, stamp, moveTo: to.file }];
  }
  return [{ file, stamp, moveTo: to.file, ...(to.stamp === undefined ? {} : { over: to.stamp }) }];
}

function newEntry(work: Work, from: LocatedEntry, { file }: LocatedEntry, mode: number): FileChange {
  if (from.type !== 'link') return { file, create: contentOf(work, from), mode };
  if (from.link === undefined) throw new Error('the target of the symlink is not valid UTF-8');
  refuseLeaving(work, from.link, file.path);
  return { file, link: from.link };
}

/** A link in another folder may lead out of the workspace. */
function refuseLeaving({ call: { files } }: Work, link: string, at: string): void {
  files.placeOf(resolve(dirname(at), link));
}

function contentOf({ call: { files } }: Work, { file, stamp }: LocatedEntry): Uint8Array {
  if ((stamp?.size ?? 0n) > BigInt(MOST_BYTES)) throw new Error(`it has more than ${MOST_BYTES >> 20} MiB`);
  const open = files.open(file);
  try {
    return open.readAll();
  } finally {
    open.close();
  }
}
