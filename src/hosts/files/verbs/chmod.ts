/** `chmod`. */
import type { LocatedEntry } from '../shape.ts';
import { quoted, systemText, type Verb, Work } from './context.ts';
import { modeFrom } from './modes.ts';
import { readArguments } from './options.ts';
import { treeBelow } from './tree.ts';

/** `-x` is a mode, not an option. */
const MODE_LIKE = /^-[rwxXugo]+(?:,|$)/u;

export const chmod: Verb = (args, call) => {
  const work = new Work('chmod', call);
  const at = args.findIndex((arg) => MODE_LIKE.test(arg));
  const read = readArguments(at < 0 ? args : args.toSpliced(at, 1), {
    flags: 'Rvcf',
    long: { recursive: 'R', verbose: 'v', changes: 'c', silent: 'f', quiet: 'f' },
  });
  if ('usage' in read) return work.usage(read.usage);
  const [text, operands] = at < 0 ? [read.operands[0], read.operands.slice(1)] : ([args[at], read.operands] as const);
  if (text === undefined) return work.usage('missing operand');
  if (operands.length === 0) return work.usage(`missing operand after ${quoted(text)}`);
  const modeOf = ({ type, mode = 0 }: LocatedEntry): number | undefined =>
    modeFrom(text, { mode, isFolder: type === 'folder', umask: call.umask });
  if (modeFrom(text, { mode: 0, isFolder: false, umask: call.umask }) === undefined)
    return work.usage(`invalid mode: ${quoted(text)}`);

  const change = (place: LocatedEntry): void => {
    const { file, mode: was = 0 } = place;
    const setMode = modeOf(place);
    if (setMode === undefined || setMode === was) return;
    work.pending.add({ file, was, setMode, ...(place.type === 'folder' ? { isFolder: true as const } : {}) });
  };
  return work.each(operands, (operand) => {
    const found = work.find(operand);
    if ('problem' in found) {
      if (read.has('f')) return;
      const link = work.find(operand, 'itself');
      if (!('problem' in link) && link.type === 'link')
        work.fail(`cannot operate on dangling symlink ${quoted(operand)}`);
      else work.fail(`cannot access ${quoted(operand)}: ${found.problem}`);
      return;
    }
    try {
      if (found.type === 'other') throw new Error('it is not a regular file');
      change(found);
      if (!read.has('R') || found.type !== 'folder') return;
      const tree = treeBelow(call.files, found);
      if ('tooMuch' in tree) work.fail(`${quoted(operand)}: ${tree.tooMuch}`);
      else for (const { place } of tree.entries) if (place.type === 'file' || place.type === 'folder') change(place);
    } catch (error) {
      work.fail(`changing permissions of ${quoted(operand)}: ${systemText(error)}`);
    }
  });
};
