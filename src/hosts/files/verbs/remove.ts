/** `rm` and `rmdir`. */
import { isInside } from '../../../base/inside.ts';
import type { FileChange, LocatedEntry } from '../shape.ts';
import { quoted, Refused, systemText, type Verb, Work } from './context.ts';
import { readArguments } from './options.ts';
import { treeBelow } from './tree.ts';

const DOTS = /(?:^|\/)\.\.?\/*$/u;

export const rm: Verb = (args, call) => {
  const work = new Work('rm', call);
  const read = readArguments(args, {
    flags: 'frRdv',
    long: { force: 'f', recursive: 'r', dir: 'd', verbose: 'v' },
  });
  if ('usage' in read) return work.usage(read.usage);
  if (read.operands.length === 0) return read.has('f') ? 0 : work.usage('missing operand');
  const isRecursive = read.has('r') || read.has('R');
  const say = (text: string): void => {
    if (read.has('v')) call.out(`${text}\n`);
  };

  const removeFolder = (operand: string, folder: LocatedEntry): void => {
    const cannot = (why: string): never => {
      throw new Refused(`cannot remove ${quoted(operand)}: ${why}`);
    };
    if (isInside(call.files.workspace, folder.file.path)) cannot('it is the workspace');
    work.pending.flush();
    const tree = treeBelow(call.files, folder);
    if ('tooMuch' in tree)
      throw new Refused(`cannot remove ${quoted(operand)}: ${tree.tooMuch}, which undo could not bring back`);
    if (!isRecursive && tree.entries.length > 0) cannot('Directory not empty');
    const other = tree.entries.find(({ place }) => place.type === 'other');
    if (other !== undefined) cannot(`${other.way} is not a regular file`);
    for (const { place, way } of tree.entries.toReversed()) {
      work.pending.add(removalOf(place));
      say(place.type === 'folder' ? `removed directory '${operand}/${way}'` : `removed '${operand}/${way}'`);
    }
    work.pending.add(removalOf(folder));
    say(`removed directory ${quoted(operand)}`);
    work.pending.flush();
  };
  return work.each(read.operands, (operand) => {
    if (DOTS.test(operand)) throw new Refused(`refusing to remove '.' or '..' directory: skipping ${quoted(operand)}`);
    const found = work.find(operand, operand.endsWith('/') ? 'target' : 'itself');
    if ('problem' in found) {
      const isMissing = found.problem === 'No such file or directory' || found.problem === 'Not a directory';
      if (!isMissing || !read.has('f')) work.fail(`cannot remove ${quoted(operand)}: ${found.problem}`);
    } else if (found.type === 'other') work.fail(`cannot remove ${quoted(operand)}: it is not a regular file`);
    else if (found.type !== 'folder') {
      work.pending.add(removalOf(found));
      say(`removed ${quoted(operand)}`);
    } else if (isRecursive || read.has('d')) removeFolder(operand.replace(/\/+$/u, ''), found);
    else work.fail(`cannot remove ${quoted(operand)}: Is a directory`);
  });
};

export const rmdir: Verb = (args, call) => {
  const work = new Work('rmdir', call);
  const read = readArguments(args, {
    flags: 'pvi',
    long: { parents: 'p', verbose: 'v', 'ignore-fail-on-non-empty': 'i' },
  });
  if ('usage' in read) return work.usage(read.usage);
  if (read.operands.length === 0) return work.usage('missing operand');
  const removeOne = (operand: string): boolean => {
    if (read.has('v')) call.out(`rmdir: removing directory, ${quoted(operand)}\n`);
    const fail = (why: string): false => {
      if (why !== 'Directory not empty' || !read.has('i')) work.fail(`failed to remove ${quoted(operand)}: ${why}`);
      return false;
    };
    try {
      const found = work.find(operand, 'itself');
      if ('problem' in found) return fail(found.problem);
      if (found.type !== 'folder') return fail('Not a directory');
      if (/(?:^|\/)\.\/*$/u.test(operand)) return fail('Invalid argument');
      work.pending.flush();
      if (call.files.list(found.file.path).length > 0) return fail('Directory not empty');
      if (isInside(call.files.workspace, found.file.path)) return fail('it is the workspace');
      work.pending.add(removalOf(found));
      work.pending.flush();
      return true;
    } catch (error) {
      return fail(systemText(error));
    }
  };
  return work.each(read.operands, (operand) => {
    for (let at = operand; removeOne(at) && read.has('p'); ) {
      const parent = at.replace(/\/*[^/]+\/*$/u, '');
      if (parent === '') return;
      at = parent;
    }
  });
};

export function removalOf({ file, type, stamp, mode = 0o755 }: LocatedEntry): FileChange {
  if (type === 'folder') return { file, removeFolder: true, mode };
  if (stamp === undefined) throw new TypeError(`${file.path} does not exist`);
  return { file, stamp, remove: true };
}
