/**
 * Files whose reading is counted by a meter, and a writer that says how many files it is about to lock and write. The
 * writer below is the same, and its own reading is not counted.
 */
import { sep } from 'node:path';
import type { Files, FileWriter, Located, OpenFile } from '../files/shape.ts';
import { type Meter, NeedsWorker } from './meter.ts';

/** A folder entry takes 20 to 80 bytes in most file systems, so such a folder has thousands of entries. */
const LARGE_FOLDER = 256 << 10;

/** The same files; what is read of them is counted. */
export function meteredFiles(files: Files, meter: Meter): Files {
  const metered = (file: OpenFile): OpenFile => new MeteredFile(file, meter);
  return over(files, {
    openPath: (path) => metered(files.openPath(path)),
    open: (file) => metered(files.open(file)),
    openSlot: (slot) => metered(files.openSlot(slot)),
    countWork: (characters) => meter.countWork(characters),
    checkNames: (names) => meter.checkNames(names),
    writer: async (purpose) => meteredWriter(await files.writer(purpose), meter),
  });
}

/** The same files for a process that others share: what takes time whatever is read goes to a worker at once. */
export function sharedFiles(files: Files, meter: Meter): Files {
  return over(meteredFiles(files, meter), {
    list: (path) => {
      if ((files.placeOf(path).stamp?.size ?? 0n) > LARGE_FOLDER) throw new NeedsWorker('a large folder');
      return files.list(path);
    },
    changes: () => Promise.reject(new NeedsWorker('the record of changes')),
  });
}

/** The same files with some members replaced. The others are not copied: a workspace that is missing is no fault yet. */
function over(files: Files, replaced: Partial<Files>): Files {
  return Object.assign(Object.create(files) as Files, replaced);
}

function meteredWriter(writer: FileWriter, meter: Meter): FileWriter {
  const check = (files: readonly Located[]): void => meter.checkNames(namesOf(files));
  return {
    ...writer,
    exclusively: (files, work) => {
      check(files);
      return writer.exclusively(files, work);
    },
    refuseProtected: (files) => {
      check(files);
      writer.refuseProtected(files);
    },
    replace: (file, splices, expected) => {
      check([file.located]);
      meter.stop();
      return writer.replace(file instanceof MeteredFile ? file.inner : file, splices, expected);
    },
    append: (file, line) => {
      check([file]);
      meter.stop();
      return writer.append(file, line);
    },
    commit: (changes) => {
      check(changes.flatMap((change) => ('moveTo' in change ? [change.file, change.moveTo] : [change.file])));
      meter.stop();
      return writer.commit(changes);
    },
  };
}

/** Each name of a path below its root is looked up, and made where a folder is missing. */
function namesOf(files: readonly Located[]): number {
  return files.reduce((sum, { path, root = '' }) => sum + path.slice(root.length).split(sep).length - 1, 0);
}

class MeteredFile implements OpenFile {
  readonly inner: OpenFile;
  readonly #meter: Meter;

  constructor(inner: OpenFile, meter: Meter) {
    this.inner = inner;
    this.#meter = meter;
  }

  get located() {
    return this.inner.located;
  }

  get size() {
    return this.inner.size;
  }

  get stamp() {
    return this.inner.stamp;
  }

  read(offset: number, into: Uint8Array): number {
    const count = this.inner.read(offset, into);
    this.#meter.countWindow(count);
    return count;
  }

  readAll(): Uint8Array {
    if (this.size > 0) this.#meter.countWhole(this.size);
    // A file of the kernel has no size and may never end.
    else if (this.inner.read(0, new Uint8Array(1)) > 0) this.#meter.countUnknown();
    return this.inner.readAll();
  }

  close(): void {
    this.inner.close();
  }
}
