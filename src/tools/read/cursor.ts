/** Cursors: positions inside a line that is too long for one answer. The model sends a cursor back to continue. */
import { Fault } from '../../base/fault.ts';
import { readRange } from '../../text/scan/source.ts';
import { newlineAt, type TextSource } from './text-source.ts';

export interface InLine {
  readonly line: number;
  /** The start of the line and the position in it, as byte offsets in the file. */
  readonly lineStart: number;
  readonly offset: number;
}

const SHAPE = /^c([0-9a-z]{1,10})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/u;

export function formatCursor({ line, lineStart, offset }: InLine): string {
  return `c${[line, lineStart, offset - lineStart].map((part) => part.toString(36)).join('-')}`;
}

/** Refuses a cursor where no line begins any more, because the file has changed. */
export function readCursor(cursor: string, text: TextSource): InLine {
  const parts = SHAPE.exec(cursor)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 36));
  const [line, lineStart, within] = parts ?? [];
  if (line === undefined || lineStart === undefined || within === undefined)
    throw new Fault('READ_CURSOR_INVALID', `${JSON.stringify(cursor)} is not a cursor of read`, {
      hint: 'use the cursor in the last line of the previous answer, or use offset',
    });
  const offset = lineStart + within;
  const { unit } = text.encoding;
  const beginsLine =
    lineStart === text.begin ||
    (lineStart > text.begin && newlineAt(text, readRange(text.source, lineStart - unit, lineStart), 0));
  if (!beginsLine || offset > text.source.size || within % unit !== 0)
    throw new Fault(
      'READ_CURSOR_STALE',
      `the file has changed since read returned the cursor ${JSON.stringify(cursor)}`,
      {
        hint: `read again with offset=${line}`,
        details: { line },
      },
    );
  return { line, lineStart, offset };
}
