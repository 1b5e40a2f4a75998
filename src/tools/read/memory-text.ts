/** Makes generated text (the cells of a notebook, the pages of a PDF) readable in pages. */
import { requireEncoding } from '../../text/encoding/encoding.ts';
import { bytesSource } from '../../text/scan/source.ts';
import { linesFor, newlinesIn, type TextSource } from './text-source.ts';

export function memoryText(content: string): { readonly text: TextSource; readonly lineCount: () => Promise<number> } {
  const source = bytesSource(new TextEncoder().encode(content));
  const text: TextSource = { source, encoding: requireEncoding('utf-8'), begin: 0, newline: 10 };
  return { text, lineCount: async () => linesFor(text, await newlinesIn(text, undefined)) };
}
