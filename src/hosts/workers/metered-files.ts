/** Files whose reads a meter counts, and whose writer checks first how many files it is about to lock and write. */
import { sep } from 'node:path';
import type { Files, FileWriter, Located, OpenFile } from '../files/shape.ts';
import { type Meter, NeedsWorker } from './meter.ts';

/** An entry takes 20 to 80 bytes in most file systems, so a folder of this size has thousands of entries. */
const LARGE_FOLDER = 256 << 10;

/** The same files with metered reads; reads of the writer itself are not counted. */
export function meteredFiles(files: Files, meter: Meter): Files {
  const metered = (file: OpenFile): OpenFile => new MeteredFile(file, meter);
  return withOverrides(files, {
    openPath: (path) => metered(files.openPath(path)),
    open: (file) => metered(files.open(file)),
    openSlot: (slot) => metered(files.openSlot(slot)),
    countWork: (characters) => meter.countWork(characters),
    checkNames: (names) => meter.checkNames(names),
    writer: async (purpose) => meteredWriter(await files.writer(purpose), meter),
  });
}

/** The same files for a shared process: operations that always take long go to a worker immediately. */
export function sharedFiles(files: Files, meter: Meter): Files {
  return withOverrides(meteredFiles(files, meter), {
    list: (path) => {
      if ((files.placeOf(path).stamp?.size ?? 0n) > LARGE_FOLDER) throw new NeedsWorker('a large folder');
      return files.list(path);
    },
    changes: () => Promise.reject(new NeedsWorker('the record of changes')),
  });
}

/** Replaces some members. Others are inherited, not copied: copying would call getters that throw for a missing workspace. */
function withOverrides(files: Files, replaced: Partial<Files>): Files {
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

/** Each name of a path below its root is looked up, and created if a folder is missing. */
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
    // A virtual file of the kernel has size 0 and may never end.
    else if (this.inner.read(0, new Uint8Array(1)) > 0) this.#meter.countUnknown();
    return this.inner.readAll();
  }

  close(): void {
    this.inner.close();
  }
}
