import type { Files, Located, OpenFile } from '../../hosts/files/shape.ts';
import { BrokenDocument } from '../../text/walk/broken.ts';

/** Closes the file after `use`, and adds its name to the fault of a broken document. */
export function withOpen<T>(files: Files, located: Located, use: (file: OpenFile) => T): T {
  const file = files.open(located);
  try {
    return use(file);
  } catch (error) {
    throw error instanceof BrokenDocument ? error.inFile(file.located.path) : error;
  } finally {
    file.close();
  }
}
