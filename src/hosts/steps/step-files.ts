/** The files of a command that runs in steps: everything passes the boundary, and all changes are one entry of the record. */
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { isInside, partBelow } from '../../base/inside.ts';
import { realPlaceOf } from '../obeyed/reading.ts';
import type { FileChange, Files, FileWriter, LocatedEntry, OpenFile } from '../files/shape.ts';
import type { LocalFiles } from '../files/files.ts';
import { type Collector, MOST_COLLECTED } from './collector.ts';

export interface Output {
  readonly path: string;
  readonly append: boolean;
  readonly collector: Collector;
}

export interface StepFiles {
  readonly files: Files;
  /** A writer for now: what programs obey in the workspace may change while programs run. */
  writer(): Promise<FileWriter>;
  /** The real path of a file, or why it cannot be opened, as a shell says it. */
  readonly place: (
    path: string,
    use: 'read' | 'write',
    cwd: string,
  ) => { readonly path: string } | { readonly problem: string };
  readonly open: (path: string) => OpenFile;
  readonly read: (path: string) => Uint8Array;
  /** Writes all or none; returns why files were not written. `as` is how the file was before the program read it. */
  commitOutputs(outputs: readonly Output[], umask: number | undefined, as?: LocatedEntry): Promise<readonly string[]>;
  close(): void;
}

export interface StepFilesOptions {
  readonly files: LocalFiles;
  /** Where the command started; messages name files relative to it. */
  readonly cwd: string;
  /** A person has allowed the words of the step, or the judgement allowed to read outside the workspace. */
  readonly mayReadOutside: (path: string) => boolean;
}

const NEW_MODE = 0o666;

export function createStepFiles({ files, cwd, mayReadOutside }: StepFilesOptions): StepFiles {
  const nameOf = (path: string): string => nameIn(cwd, path);

  function open(path: string): OpenFile {
    const place = realPlaceOf(path);
    if (isInside(place, files.workspace) || !mayReadOutside(place)) return files.openPath(path);
    return files.open(files.locateOperator(place));
  }

  function place(path: string, use: 'read' | 'write', folder: string): ReturnType<StepFiles['place']> {
    try {
      if (use === 'read') {
        const file = open(path);
        file.close();
        return { path: file.located.path };
      }
      const found = files.placeOf(path);
      const why = whyNotWritten(files, found);
      return why === undefined ? { path: found.file.path } : { problem: `${nameIn(folder, path)}: ${why}` };
    } catch (error) {
      return { problem: `${nameIn(folder, path)}: ${asShell(error)}` };
    }
  }

  function changeOf({ path, append, collector }: Output, umask: number | undefined, as?: LocatedEntry): FileChange {
    const place = as ?? files.placeOf(path);
    const bytes = collector.content();
    const { file, stamp } = place;
    if (place.type === 'nothing' || stamp === undefined)
      return { file, create: bytes, ...(umask === undefined ? {} : { mode: NEW_MODE & ~umask }) };
    const end = Number(stamp.size);
    return { file, stamp, edit: { splices: [{ start: append ? end : 0, end, bytes }] } };
  }

  return {
    files,
    writer: () => files.writer('exec'),
    place,
    open,
    read(path) {
      const file = open(path);
      try {
        return file.readAll();
      } finally {
        file.close();
      }
    },
    async commitOutputs(outputs, umask, as) {
      const long = outputs.filter(({ collector }) => collector.isTooLong);
      const whole = outputs.filter(({ collector }) => !collector.isTooLong);
      const problems = long.map(
        ({ path }) => `${nameOf(path)} was not written: the output is longer than ${MOST_COLLECTED >> 20} MiB`,
      );
      if (whole.length === 0) return problems;
      const writer = await files.writer('exec');
      try {
        const changes = whole.map((output) => changeOf(output, umask, as));
        writer.commit(changes);
      } catch (error) {
        problems.push(`${whole.map(({ path }) => nameOf(path)).join(', ')} was not written: ${messageOf(error)}`);
      }
      return problems;
    },
    close: () => files.close(),
  };
}

/** As the command names it. */
function nameIn(folder: string, path: string): string {
  return partBelow(path, folder) ?? path;
}

/** A shell opens the file before the program starts; so what makes that fail is found before the start. */
function whyNotWritten(files: Files, place: LocatedEntry): string | undefined {
  if (place.type === 'folder') return 'Is a directory';
  if (place.type === 'other') return 'not a regular file';
  if (place.type !== 'nothing') return undefined;
  const parent = files.placeOf(dirname(place.file.path)).type;
  if (parent === 'folder') return undefined;
  return parent === 'nothing' ? 'No such file or directory' : 'Not a directory';
}

const AS_SHELL: Readonly<Record<string, string>> = {
  FS_NOT_FOUND: 'No such file or directory',
  FS_IS_FOLDER: 'Is a directory',
  FS_NOT_FOLDER: 'Not a directory',
};

function asShell(error: unknown): string {
  return (error instanceof Fault ? AS_SHELL[error.code] : undefined) ?? messageOf(error);
}
