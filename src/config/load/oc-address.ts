/** Settings as addresses, so that what is told about a file can be pasted behind `pincer path`. */
import { basename } from 'node:path';
import { formatFile, formatOcPath, formatSegment } from '../../text/address/format.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import type { FileStep } from './source/document.ts';

/** The `oc://` address of a setting in a file, which is named without its folders. */
export function ocAddress(path: string, steps: readonly FileStep[]): string {
  const names = [formatFile(basename(path)), ...steps.map((step) => formatSegment(String(step)))];
  return formatOcPath(parseOcPath(`oc://${names.join('/')}`));
}
