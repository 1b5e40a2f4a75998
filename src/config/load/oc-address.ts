/** Settings as addresses that `pincer path` accepts. */
import { basename } from 'node:path';
import { formatFile, formatOcPath, formatSegment } from '../../text/address/format.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import type { FileStep } from './source/document.ts';

/** The address has only the base name of the file. */
export function ocAddress(path: string, steps: readonly FileStep[]): string {
  const names = [formatFile(basename(path)), ...steps.map((step) => formatSegment(String(step)))];
  return formatOcPath(parseOcPath(`oc://${names.join('/')}`));
}
