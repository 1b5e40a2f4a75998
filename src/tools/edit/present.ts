import type { Files, OpenFile } from '../../hosts/files/shape.ts';
import type { Present } from './freshness.ts';

/** An open file, for the check whether it is stale. */
export function presentFile(files: Files, file: OpenFile, name: string, hidden: boolean): Present {
  return {
    path: file.located.path,
    name,
    hidden,
    hash: () => files.hashOf(file),
    bytes: (most) => (file.size <= most ? file.readAll() : undefined),
  };
}
