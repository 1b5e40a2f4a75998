/** Shows a page of a text with notices about its lines and how to continue. */
import { formatCursor, type InLine, readCursor } from './cursor.ts';
import { type PageLimits, pageLimits, sizeText } from './limits.ts';
import { countOf, type Page, takePage } from './page.ts';
import type { ReadRequest } from './request.ts';
import { startOfLine, type TextSource } from './text-source.ts';

export type Continuation =
  | { readonly kind: 'line'; readonly offset: number }
  | { readonly kind: 'cursor'; readonly offset: number; readonly cursor: string };

export interface View {
  /** The text of the page, without notices. */
  readonly text: string;
  /** Sentences in brackets below the text. */
  readonly notices: readonly string[];
  readonly details: {
    readonly totalLines?: number;
    readonly lines?: { readonly from: number; readonly to: number };
    readonly eol: 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';
    readonly invalidBytes?: true;
    readonly truncated?: true;
    readonly continuation?: Continuation;
  };
  /** The page has the whole text. */
  readonly whole: boolean;
  /** The byte offset of the page. */
  readonly at: number;
}

export interface ViewOptions {
  readonly request: ReadRequest;
  readonly windowTokens: number | undefined;
  /** May return undefined for a large file, unless the answer needs the number. */
  readonly lineCount: (needed: boolean) => Promise<number | undefined>;
}

export async function viewText(text: TextSource, options: ViewOptions): Promise<View> {
  const { request } = options;
  const limits = limitsFor(options);
  const at = await startOf(text, options);
  if (at === undefined) return emptyView(text, options);
  const page = takePage(text, at, { ...limits, numbered: request.lineNumbers });
  const totalLines = await totalFor(page, options);
  const next = continuationOf(page);
  const truncated =
    page.ended === 'bytes' || page.ended === 'inside-line' || (page.ended === 'lines' && byDefault(request));
  const whole = at.line === 1 && at.offset === text.begin && page.ended === 'text';
  const blank = whole && page.text.trim() === '';
  return {
    text: blank ? '' : page.text,
    notices: [
      ...(blank ? [`[File contains ${plural(page.to, 'blank line')}.]`] : []),
      ...(page.damaged ? [`[Bytes that are not valid ${text.encoding.name} are shown as U+FFFD.]`] : []),
      ...(next === undefined ? [] : [noticeOf(page, next, totalLines, text, limits, request)]),
    ],
    details: {
      ...(totalLines === undefined ? {} : { totalLines }),
      lines: { from: page.from, to: page.to },
      eol: eolOf(text, page.decoded),
      ...(page.damaged ? { invalidBytes: true } : {}),
      ...(truncated ? { truncated } : {}),
      ...(next === undefined ? {} : { continuation: next }),
    },
    whole,
    at: at.offset,
  };
}

export function shownText({ text, notices }: Pick<View, 'text' | 'notices'>): string {
  if (notices.length === 0) return text;
  return text === '' ? notices.join('\n') : `${text}\n${notices.join('\n')}`;
}

function limitsFor({ request, windowTokens }: ViewOptions): PageLimits {
  const limits = pageLimits(windowTokens);
  return request.limit === undefined ? limits : { ...limits, lines: request.limit };
}

async function startOf(text: TextSource, { request, lineCount }: ViewOptions): Promise<InLine | undefined> {
  if (request.cursor !== undefined) return readCursor(request.cursor, text);
  let line = request.offset;
  if (line < 0) line = Math.max(1, ((await lineCount(true)) ?? 0) + line + 1);
  const offset = startOfLine(text, line);
  return offset === undefined ? undefined : { line, lineStart: offset, offset };
}

async function emptyView(text: TextSource, { request, lineCount }: ViewOptions): Promise<View> {
  const totalLines = (await lineCount(true)) ?? 0;
  const sentence =
    totalLines === 0
      ? `[File is empty (${plural(text.source.size, 'byte')}).]`
      : `[Offset ${request.offset} is beyond end of file (${plural(totalLines, 'line')} total). Retry with offset <= ${totalLines}.]`;
  return { text: '', notices: [sentence], details: { totalLines, eol: 'none' }, whole: totalLines === 0, at: 0 };
}

function continuationOf(page: Page): Continuation | undefined {
  if (page.inLine !== undefined) return { kind: 'cursor', offset: page.to, cursor: formatCursor(page.inLine) };
  return page.ended === 'text' ? undefined : { kind: 'line', offset: page.to + 1 };
}

async function totalFor(page: Page, { lineCount }: ViewOptions): Promise<number | undefined> {
  if (page.ended === 'text') return page.to;
  if (page.linesAfter !== undefined) return page.to + page.linesAfter;
  return lineCount(false);
}

function noticeOf(
  page: Page,
  next: Continuation,
  total: number | undefined,
  text: TextSource,
  limits: PageLimits,
  request: ReadRequest,
): string {
  const ofAll = total === undefined ? ` of a file of ${sizeText(text.source.size)}` : ` of ${total}`;
  const limit = page.ended === 'lines' ? '' : ` (${sizeText(Math.min(limits.bytes, limits.weight))} limit)`;
  if (next.kind === 'cursor')
    return `[Showing a part of line ${page.to}${ofAll}${limit}. Use cursor="${next.cursor}" to continue.]`;
  if (page.ended === 'lines' && !byDefault(request) && total !== undefined)
    return `[${plural(total - page.to, 'more line')} in file. Use offset=${next.offset} to continue.]`;
  return `[Showing lines ${page.from}-${page.to}${ofAll}${limit}. Use offset=${next.offset} to continue.]`;
}

/** Whether the limit of lines is the default. */
function byDefault({ limit }: ReadRequest): boolean {
  return limit === undefined;
}

function eolOf({ newline }: TextSource, decoded: string): View['details']['eol'] {
  if (newline === 13) return 'cr';
  const all = countOf(decoded, '\n');
  if (all === 0) return 'none';
  const returns = countOf(decoded, '\r\n');
  if (returns === 0) return 'lf';
  return returns === all ? 'crlf' : 'mixed';
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
