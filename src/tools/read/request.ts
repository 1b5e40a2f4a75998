/** What a call of `read` asks for. */
import { Fault } from '../../base/fault.ts';

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

/** From input that fits the schema; models leave a parameter out with an empty string or a zero, too. */
export function requestOf(input: Readonly<Record<string, unknown>>): ReadRequest {
  return {
    path: input['path'] as string,
    offset: (input['offset'] as number | undefined) || 1,
    limit: input['limit'] as number | undefined,
    cursor: filled(input['cursor']),
    encoding: filled(input['encoding']),
    pages: pageRange(filled(input['pages'])),
    optional: input['optional'] === true,
    lineNumbers: input['lineNumbers'] === true,
  };
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
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
