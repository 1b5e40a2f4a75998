/** Initial content of a new configuration file. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NamedFile } from '../config-files.ts';

const SCHEMA = join('schema', 'pincer.schema.json');

/** Sets `$schema` for editors if possible: the file beside `program`. A project file is shared, so it must not name a folder of this machine. */
export function newFile(
  { layer, path }: NamedFile,
  program: string | undefined,
): { readonly text: string; readonly shared: boolean } {
  const schema = layer === 'project' || layer === 'file' ? besideProject(dirname(path)) : besideProgram(program);
  const text = schema === undefined ? '{\n}\n' : `{\n  "$schema": ${JSON.stringify(schema)}\n}\n`;
  return { text, shared: layer !== 'user' };
}

function besideProject(folder: string): string | undefined {
  const place = join('node_modules', 'pincer', SCHEMA);
  return existsSync(join(folder, place)) ? `./${place.replaceAll('\\', '/')}` : undefined;
}

/** The program is `dist/pincer.cjs` in its package. */
function besideProgram(program: string | undefined): string | undefined {
  if (program === undefined) return undefined;
  const place = join(dirname(dirname(realpathSync(program))), SCHEMA);
  return existsSync(place) ? pathToFileURL(place).href : undefined;
}
