/** `mkdir` and `touch`. */
import { dirname } from 'node:path';
import type { LocatedEntry } from '../shape.ts';
import { quoted, systemText, type Verb, Work } from './context.ts';
import { readArguments } from './options.ts';
import { modeFrom } from './modes.ts';

const FOLDER_MODE = 0o777;
const FILE_MODE = 0o666;

export const mkdir: Verb = (args, call) => {
  const work = new Work('mkdir', call);
  const read = readArguments(args, {
    flags: 'pv',
    valued: 'm',
    long: { parents: 'p', verbose: 'v', mode: 'm' },
  });
  if ('usage' in read) return work.usage(read.usage);
  if (read.operands.length === 0) return work.usage('missing operand');
  const usual = FOLDER_MODE & ~call.umask;
  const asked = read.values.get('m');
  const mode = asked === undefined ? usual : modeFrom(asked, { mode: FOLDER_MODE, isFolder: true, umask: call.umask });
  if (mode === undefined) return work.usage(`invalid mode ${quoted(asked ?? '')}`);

  const make = (operand: string, path: string, own: number): void => {
    const place = work.place(path, 'itself');
    work.pending.add({ file: place.file, makeFolder: true, mode: own });
    if (read.has('v')) call.out(`mkdir: created directory ${quoted(operand)}\n`);
  };
  return work.each(read.operands, (operand) => {
    const cannot = (why: string): void => work.fail(`cannot create directory ${quoted(operand)}: ${why}`);
    const name = operand.replace(/(?<=.)\/+$/u, '');
    try {
      const there = work.place(name, 'itself');
      if (there.type !== 'nothing') {
        const target = there.type === 'link' ? work.find(name) : there;
        if (!read.has('p') || 'problem' in target || target.type !== 'folder') cannot('File exists');
        return;
      }
      const missing = missingParents(work, name);
      if (typeof missing === 'string') cannot(missing);
      else if (missing.length > 0 && !read.has('p')) cannot('No such file or directory');
      else {
        for (const parent of missing) make(parent, parent, usual);
        work.pending.flush();
        make(name, name, mode);
      }
    } catch (error) {
      cannot(systemText(error));
    }
  });
};

/** The missing folders above an operand, the outermost first, or why there can be none. */
function missingParents(work: Work, operand: string): readonly string[] | string {
  const missing: string[] = [];
  for (let at = dirname(operand); ; at = dirname(at)) {
    const place = work.place(at);
    if (place.type === 'folder') return missing;
    if (place.type !== 'nothing') return 'Not a directory';
    missing.unshift(at);
    if (at === dirname(at)) return missing;
  }
}

export const touch: Verb = (args, call) => {
  const work = new Work('touch', call);
  const read = readArguments(args, { flags: 'cam', long: { 'no-create': 'c' } });
  if ('usage' in read) return work.usage(read.usage);
  if (read.operands.length === 0) return work.usage('missing file operand');
  return work.each(read.operands, (operand) => {
    try {
      const place = work.place(operand);
      if (place.type === 'nothing') {
        if (read.has('c')) return;
        const parent = parentProblem(work, place);
        if (parent !== undefined) work.fail(`cannot touch ${quoted(operand)}: ${parent}`);
        else work.pending.add({ file: place.file, create: new Uint8Array(0), mode: FILE_MODE & ~call.umask });
      } else if (operand.endsWith('/') && place.type !== 'folder')
        work.fail(`setting times of ${quoted(operand)}: Not a directory`);
      else call.writer.touch(place.file);
    } catch (error) {
      work.fail(`cannot touch ${quoted(operand)}: ${systemText(error)}`);
    }
  });
};

/** Why a file cannot be created: its folder. */
export function parentProblem(work: Work, { file }: LocatedEntry): string | undefined {
  const { type } = work.place(dirname(file.path));
  if (type === 'folder') return undefined;
  return type === 'nothing' ? 'No such file or directory' : 'Not a directory';
}
