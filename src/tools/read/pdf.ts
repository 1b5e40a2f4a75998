/** Reads the text of PDF pages. */
import { Fault } from '../../base/fault.ts';
import type { PdfText } from '../../hosts/media.ts';
import type { ToolContext } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { aboutSubject, mediaOf } from './image.ts';
import { sizeText } from './limits.ts';
import { memoryText } from './memory-text.ts';
import type { PageRange, ReadRequest } from './request.ts';
import { allBytes, type Subject } from './subject.ts';
import { textAnswer } from './text.ts';
import { type View, viewText } from './view.ts';

const MOST_PAGES = 20;
const MOST_BYTES = 32 << 20;

export async function readPdf(subject: Subject, request: ReadRequest, context: ToolContext): Promise<ToolResult> {
  const { name, source, details } = subject;
  if (source.size > MOST_BYTES)
    throw new Fault(
      'READ_TOO_LARGE',
      `the PDF ${name} has ${sizeText(source.size)}; the limit is ${sizeText(MOST_BYTES)}`,
      {
        hint: 'split it first',
        details: { ...details, bytes: source.size },
      },
    );
  const asked = request.pages ?? { from: 1, to: MOST_PAGES };
  const media = await mediaOf(context, name);
  const wanted = { from: asked.from, to: Math.min(asked.to, asked.from + MOST_PAGES - 1) };
  const pdf = await aboutSubject(subject, media.pdfText(allBytes(subject), wanted));
  const first = pdf.pages[0]?.number;
  if (first === undefined) throw noSuchPage(subject, asked, pdf.totalPages);
  const shown = { from: first, to: pdf.pages.at(-1)!.number };
  const memory = memoryText(pdf.pages.map((page) => pageText(page, pdf.totalPages)).join('\n'));
  const view = await viewText(memory.text, {
    request: { ...request, pages: undefined },
    windowTokens: context.modelContextWindowTokens,
    lineCount: memory.lineCount,
  });
  const { eol: _, ...viewDetails } = view.details;
  const answer = textAnswer(subject, { ...view, notices: noticesFor(view, pdf, shown) }, {});
  return {
    ...answer,
    details: {
      ...details,
      ...viewDetails,
      kind: 'pdf',
      totalPages: pdf.totalPages,
      pages: shown,
      bytes: source.size,
      ...(pdf.pages.every(({ text }) => text.trim() === '') ? { scanned: true } : {}),
      ...(view.details.continuation === undefined && shown.to < pdf.totalPages
        ? { continuation: { kind: 'pages', pages: following(shown, pdf.totalPages) } }
        : {}),
    },
  };
}

function pageText({ number, text }: PdfText['pages'][number], total: number): string {
  return `--- Page ${number} of ${total} ---\n${text.trim() === '' ? '[no text on this page]' : text.trimEnd()}\n`;
}

function noticesFor(view: View, pdf: PdfText, shown: PageRange): readonly string[] {
  const notices: string[] = [];
  if (pdf.pages.every(({ text }) => text.trim() === ''))
    notices.push(
      '[These pages have no text: they are probably scanned. Render them as images, or use an OCR program.]',
    );
  if (view.details.continuation !== undefined) {
    const inPages = `, with pages="${shown.from}-${shown.to}",`;
    return [...notices, ...view.notices.map((notice) => notice.replace(' to continue.]', `${inPages} to continue.]`))];
  }
  notices.push(...view.notices);
  if (shown.to < pdf.totalPages)
    notices.push(
      `[Showing pages ${shown.from}-${shown.to} of ${pdf.totalPages}. Use pages="${following(shown, pdf.totalPages)}" to continue.]`,
    );
  return notices;
}

function following({ to }: PageRange, total: number): string {
  return `${to + 1}-${Math.min(total, to + MOST_PAGES)}`;
}

function noSuchPage({ name, details }: Subject, { from }: PageRange, totalPages: number): Fault {
  return new Fault('READ_NO_SUCH_PAGE', `${name} has no page ${from}; it has ${totalPages}`, {
    hint: `set pages between 1 and ${totalPages}`,
    details: { ...details, totalPages },
  });
}
