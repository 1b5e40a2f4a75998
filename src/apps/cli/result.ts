/** The result of a tool, printed: JSON for programs, text for people, and its exit code. */
import type { Content, ToolResult } from '../../wire/tool.ts';
import { exitCodeOf, reportNotice } from './failure.ts';
import { jsonOutput, type Output } from '../terminal/output.ts';
import { paint, paintDiff } from '../terminal/paint.ts';
import { visible } from '../terminal/visible.ts';

/** 0 for a success; a failure by its code, and 1 where it is a plain no. */
export function exitCodeOfResult({ isError, details }: ToolResult): number {
  if (isError !== true) return 0;
  return typeof details['code'] === 'string' ? exitCodeOf(details['code']) : 1;
}

export function showResultJson(result: ToolResult, output: Output): void {
  jsonOutput(output).out(`${JSON.stringify(result, null, 2)}\n`);
}

/** Whoever looks for the file in the folder itself would wonder. */
const PRIVATE_WORKSPACE = 'this is the private workspace of the sandbox, since sandbox.workspaceAccess is none';

/** What to print beside the text. */
export interface ResultOptions {
  /** The diff, if the result has one: in colour on a terminal. */
  readonly diff?: boolean;
}

/** The text of the content on standard output; a failure on standard error, with its code. */
export function showResultText(result: ToolResult, output: Output, { diff = false }: ResultOptions = {}): void {
  const text = result.content.map(contentText).join('\n');
  if (result.details['workspaceAccess'] === 'none') reportNotice(PRIVATE_WORKSPACE, false, output);
  if (result.isError === true) {
    showFailure(result, text, output);
    return;
  }
  const changes = diff ? result.details['diff'] : undefined;
  if (typeof changes !== 'string' || changes === '') {
    output.out(endingInNewline(output.isTerminal ? visible(text) : text));
    return;
  }
  // Some tools put the diff into the text, too.
  const rest = text.replace(changes.trimEnd(), () => '').trimEnd();
  output.out(endingInNewline(output.isTerminal ? visible(rest) : rest));
  output.out(endingInNewline(output.isTerminal ? paintDiff(visible(changes), paint(output.colour)) : changes));
}

function endingInNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** In the form of all messages: the code, the sentence, and what to do. */
function showFailure({ details: { code, hint }, error }: ToolResult, text: string, output: Output): void {
  const name = typeof code === 'string' ? `${code}: ` : '';
  const isPlain = typeof hint === 'string' && text === `${error}\n${hint}`;
  output.err(`${name}${visible(isPlain ? `${error}\nhint: ${hint}` : text)}\n`);
}

function contentText(content: Content): string {
  if (content.type === 'text') return content.text;
  return `[${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes; --json gives them as base64]`;
}
