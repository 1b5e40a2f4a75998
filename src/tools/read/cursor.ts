/** A place inside of a line that is too long for one answer, as a word that the model hands back. */
import { Fault } from '../../base/fault.ts';
import { readRange } from '../../text/scan/source.ts';
import { newlineAt, type TextSource } from './text-source.ts';

export interface InLine {
  readonly line: number;
  /** Where the line begins and where to go on in it, in bytes of the file. */
  readonly lineStart: number;
  readonly offset: number;
}

const SHAPE = /^c([0-9a-z]{1,10})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/u;

export function formatCursor({ line, lineStart, offset }: InLine): string {
  return `c${[line, lineStart, offset - lineStart].map((part) => part.toString(36)).join('-')}`;
}

/** The place that a cursor names. It is refused when no line begins there any more, as the file was changed. */
export function readCursor(cursor: string, text: TextSource): InLine {
  const parts = SHAPE.exec(cursor)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 36));
  const [line, lineStart, within] = parts ?? [];
  if (line === undefined || lineStart === undefined || within === undefined)
    throw new Fault('READ_CURSOR_INVALID', `${JSON.stringify(cursor)} is no cursor that read has given`, {
      hint: 'take the cursor from the last line of the answer before, or use offset',
    });
  const offset = lineStart + within;
  const { unit } = text.encoding;
  const beginsLine =
    lineStart === text.begin ||
    (lineStart > text.begin && newlineAt(text, readRange(text.source, lineStart - unit, lineStart), 0));
  if (!beginsLine || offset > text.source.size || within % unit !== 0)
    throw new Fault('READ_CURSOR_STALE', `the file has changed since the cursor ${JSON.stringify(cursor)} was given`, {
      hint: `read again with offset=${line}`,
      details: { line },
    });
  return { line, lineStart, offset };
}
