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

/** The agent tool `read`: text in pages, pictures, PDFs and notebooks, all through the one boundary. */
export const readTool = defineTool({
  name: 'read',
  alsoCalled: TOOL_NAMES.read,
  description:
    'Read a file: text (any encoding), pictures (PNG, JPEG, GIF, WebP, BMP, TIFF, AVIF), PDF text, notebooks. ' +
    'Long files come in pages of whole lines; the last line of the answer says how to continue. CRLF is shown as LF.',
  input: INPUT,
  aliases: [{ keys: ['path', 'file_path', 'filePath', 'file'] }],
  effects: 'reads',
  run: async (input, context) => {
    context.signal?.throwIfAborted();
    const request = requestOf(input);
    const opened = openForReading(context.files, request.path);
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

/** Each kind of file has its own reader, loaded when the first such file comes. */
async function answer(subject: Subject, request: ReadRequest, context: ToolContext): Promise<ToolResult> {
  const isNotebook = request.encoding === undefined && /\.ipynb$/iu.test(subject.name);
  // A link may lead to secrets by a harmless name, and a name that promises secrets may be a link to them.
  const names = [subject.file.located.path, request.path];
  // The pages of a larger text are searched one by one, so that its size costs nothing.
  const content = subject.source.size <= MOST_REDACTED || isNotebook ? subject.source : NOTHING;
  const part = hiddenPart(names, content, context);
  if (part !== undefined) return (await import('./read/secrets.ts')).readSecrets(subject, request, context, part);
  // An encoding says that the bytes are to be seen as text, whatever they are.
  const sniffed = request.encoding === undefined ? sniff(subject.head) : undefined;
  if (sniffed?.kind === 'image') return (await import('./read/image.ts')).readImage(subject, context);
  if (sniffed?.kind === 'pdf') return (await import('./read/pdf.ts')).readPdf(subject, request, context);
  if (isNotebook) return (await import('./read/notebook.ts')).readNotebook(subject, request, context);
  const ignored = request.pages === undefined ? [] : ['[pages is for PDFs and was ignored.]'];
  const { readText } = await import('./read/text.ts');
  return readText({ ...subject, notices: [...subject.notices, ...ignored] }, request, context);
}
