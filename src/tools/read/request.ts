/** The parameters of `read`. */
import { Fault } from '../../base/fault.ts';
import { boolean, type Infer, integer, object, string } from '../../wire/schema.ts';

export const INPUT = object(
  { path: string({ description: 'The file, relative to the workspace or absolute.' }) },
  {
    offset: integer({ description: 'The first line, from 1; -20 means the last 20 lines.' }),
    limit: integer({ description: 'Maximum number of lines.', min: 1 }),
    cursor: string({ description: 'From the previous answer: continue in a very long line.' }),
    encoding: string({ description: 'Read as text in this encoding instead of the detected one.' }),
    pages: string({ description: 'PDF: the pages, such as "3" or "1-5", at most 20.' }),
    optional: boolean({ description: 'Return a result instead of an error if the file is missing.' }),
    lineNumbers: boolean({ description: 'Put number and tab before each line.' }),
  },
);

export interface ReadRequest {
  readonly path: string;
  /** The first line, from 1; a negative one counts from the end. */
  readonly offset: number;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  readonly encoding: string | undefined;
  readonly pages: PageRange | undefined;
  readonly optional: boolean;
  readonly lineNumbers: boolean;
}

export interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** Models also send an empty string or a zero for a missing parameter. */
export function requestOf(input: Infer<typeof INPUT>): ReadRequest {
  const { path, offset, limit, cursor, encoding, pages, optional = false, lineNumbers = false } = input;
  return {
    path,
    offset: offset || 1,
    limit,
    cursor: filled(cursor),
    encoding: filled(encoding),
    pages: pageRange(filled(pages)),
    optional,
    lineNumbers,
  };
}

function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

function pageRange(text: string | undefined): PageRange | undefined {
  if (text === undefined) return undefined;
  const parts = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/u.exec(text);
  const from = Number(parts?.[1]);
  const to = parts?.[2] === undefined ? from : Number(parts[2]);
  if (parts === null || from < 1 || to < from)
    throw new Fault('PARAM_INVALID', `read: pages must be a page or a range of pages, not ${JSON.stringify(text)}`, {
      hint: 'write it as "3" or "1-5"',
      details: { parameter: 'pages' },
    });
  return { from, to };
}
