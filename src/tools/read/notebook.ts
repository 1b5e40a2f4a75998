/** Reads a page of a notebook, with the images on that page. */
import { Fault } from '../../base/fault.ts';
import type { ToolContext } from '../tool.ts';
import type { Content, ToolResult } from '../../wire/tool.ts';
import { fromBase64 } from './base64.ts';
import { IMAGE_LIMITS, imageContent, mediaOf } from './image.ts';
import { memoryText } from './memory-text.ts';
import { type Picture, parseNotebook } from './notebook-cells.ts';
import type { ReadRequest } from './request.ts';
import { imageType } from './sniff.ts';
import { allBytes, type Subject } from './subject.ts';
import { openText, readText, textAnswer } from './text.ts';
import { viewText } from './view.ts';

/** Larger notebooks are shown as plain text. */
const MOST_BYTES = 32 << 20;
const MOST_PICTURES = 4;

export async function readNotebook(subject: Subject, request: ReadRequest, context: ToolContext): Promise<ToolResult> {
  const { source, details } = subject;
  const asText = (why: string) =>
    readText({ ...subject, notices: [...subject.notices, `[Shown as text: ${why}.]`] }, request, context);
  if (source.size > MOST_BYTES) return asText('the notebook is too large to show its cells');
  const { text } = await openText(subject, request);
  const notebook = parseNotebook(text.encoding.decode(allBytes(subject).subarray(text.begin)));
  if (notebook === undefined) return asText('this is not a valid notebook');
  const memory = memoryText(notebook.text);
  const view = await viewText(memory.text, {
    request,
    windowTokens: context.modelContextWindowTokens,
    lineCount: memory.lineCount,
  });
  const { from, to } = view.details.lines ?? { from: 0, to: -1 };
  const onPage = notebook.pictures.filter(({ line }) => line >= from && line <= to);
  const pictures = await convertPictures(onPage.slice(0, MOST_PICTURES), context, subject.name);
  const left = onPage.length - MOST_PICTURES;
  const notices = [
    ...(left > 0 ? [`[${left} more ${left === 1 ? 'image is' : 'images are'} not shown.]`] : []),
    ...pictures.notices,
    ...view.notices,
  ];
  const answer = textAnswer(
    subject,
    { ...view, notices },
    { kind: 'notebook', cells: notebook.cells, bytes: source.size },
  );
  return { content: [...answer.content, ...pictures.content], details: { ...answer.details, ...details } };
}

/** Reports images that cannot be shown, because the cells are useful without them. */
async function convertPictures(pictures: readonly Picture[], context: ToolContext, name: string) {
  const content: Content[] = [];
  const notices: string[] = [];
  for (const { base64, line } of pictures) {
    try {
      const bytes = fromBase64(base64);
      if (bytes === undefined || imageType(bytes) === undefined || bytes.length > IMAGE_LIMITS.maxInputBytes)
        throw new Fault('READ_IMAGE_UNREADABLE', 'its format or size is not supported');
      const media = await mediaOf(context, name);
      content.push(imageContent(await media.cleanImage(bytes, IMAGE_LIMITS)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      notices.push(`[The image at line ${line} is not shown: ${error.message}.]`);
    }
  }
  return { content, notices };
}
