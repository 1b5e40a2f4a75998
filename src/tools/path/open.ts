import type { Files, Located, OpenFile } from '../../hosts/host.ts';

/** Opens a file for as long as `use` runs. */
export function withOpen<T>(files: Files, located: Located, use: (file: OpenFile) => T): T {
  const file = files.open(located);
  try {
    return use(file);
  } finally {
    file.close();
  }
}
