/** Reads a file with secrets: redacts the whole text before it is split into pages. */
import type { ToolContext } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { memoryText } from './memory-text.ts';
import { MOST_REDACTED, tooLargeToHide } from './too-large.ts';
import type { ReadRequest } from './request.ts';
import { decodeWithoutKeys } from '../secrets/private-key.ts';
import { HIDDEN_NOTICE, type HiddenPart, redactSecrets } from '../secrets/redact.ts';
import { allBytes, type Subject } from './subject.ts';
import { encodingDetails, openText, textAnswer } from './text.ts';
import { viewText } from './view.ts';

export async function readSecrets(
  subject: Subject,
  request: ReadRequest,
  context: ToolContext,
  part: HiddenPart,
): Promise<ToolResult> {
  if (subject.source.size > MOST_REDACTED) throw tooLargeToHide(subject);
  context.files.countWork?.(subject.source.size);
  const found = await openText(subject, request);
  const { text } = found;
  const bytes = allBytes(subject);
  const content = bytes.subarray(text.begin);
  const { encoding } = text;
  const { text: shown, hidden } =
    part === 'keys' ? decodeWithoutKeys(content, encoding) : redactSecrets(encoding.decode(content));
  const memory = memoryText(shown);
  const view = await viewText(memory.text, {
    request,
    windowTokens: context.modelContextWindowTokens,
    lineCount: memory.lineCount,
  });
  if (view.whole) context.reads?.remember(subject.file.located.path, context.files.hashOf(bytes));
  const notices = hidden === 0 ? [] : [HIDDEN_NOTICE];
  // No hash: an agent could use it to guess short secrets.
  return textAnswer(
    subject,
    { ...view, notices: [...notices, ...view.notices] },
    {
      ...encodingDetails(found),
      bytes: subject.source.size,
      ...(hidden === 0 ? {} : { redacted: hidden }),
    },
  );
}
