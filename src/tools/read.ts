import { TOOL_NAMES } from '../wire/tool-names.ts';
import { bytesSource } from '../text/scan/source.ts';
import { notFound, openForReading } from './read/open.ts';
import { INPUT, type ReadRequest, requestOf } from './read/request.ts';
import { hiddenPart } from './secrets/secrets.ts';
import { sniff } from './read/sniff.ts';
import { type Subject, subjectOf } from './read/subject.ts';
import { MOST_REDACTED } from './read/too-large.ts';
import { defineTool, textResult, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** The tool `read`: text in pages, images, PDFs and notebooks. */
export const readTool = defineTool({
  name: 'read',
  alsoCalled: TOOL_NAMES.read,
  description:
    'Read a file: text (any encoding), images (PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF), PDF text, notebooks. ' +
    'Long files come in pages of whole lines; the last line of the answer says how to continue. CRLF is shown as LF.',
  input: INPUT,
  aliases: [{ keys: ['path', 'file_path', 'filePath', 'file'] }],
  effects: 'reads',
  run: async (input, context) => {
    context.signal?.throwIfAborted();
    const request = requestOf(input);
    const opened = openForReading(context.files, request);
    if (opened === undefined) {
      if (!request.optional) throw notFound(context.files, request.path);
      return textResult(`[File not found: ${request.path}]`, {
        path: request.path,
        workspaceOnly: context.files.workspaceOnly,
        kind: 'not_found',
      });
    }
    try {
      return await answer(subjectOf(opened.file, context, opened.notices), request, context);
    } finally {
      opened.file.close();
    }
  },
});

const NOTHING = bytesSource(new Uint8Array());

/** Each file type has its own reader, loaded on demand. */
async function answer(subject: Subject, request: ReadRequest, context: ToolContext): Promise<ToolResult> {
  const isNotebook = request.encoding === undefined && /\.ipynb$/iu.test(subject.name);
  // A symlink with a harmless name may point to a file with secrets, and the other way round.
  const names = [subject.file.located.path, request.path];
  // A larger text is searched page by page, so that its size does not matter.
  const content = subject.source.size <= MOST_REDACTED || isNotebook ? subject.source : NOTHING;
  const part = hiddenPart(names, content, context);
  if (part !== undefined) return (await import('./read/secrets.ts')).readSecrets(subject, request, context, part);
  // With an explicit encoding every file is text.
  const sniffed = request.encoding === undefined ? sniff(subject.head) : undefined;
  if (sniffed?.kind === 'image') return (await import('./read/image.ts')).readImage(subject, context);
  if (sniffed?.kind === 'pdf') return (await import('./read/pdf.ts')).readPdf(subject, request, context);
  if (isNotebook) return (await import('./read/notebook.ts')).readNotebook(subject, request, context);
  const ignored = request.pages === undefined ? [] : ['[pages is for PDFs and was ignored.]'];
  const { readText } = await import('./read/text.ts');
  return readText({ ...subject, notices: [...subject.notices, ...ignored] }, request, context);
}
