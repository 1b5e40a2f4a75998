/** Prints the result of a tool as text, and maps it to an exit code. */
import type { Content, ToolResult } from '../../wire/tool.ts';
import { exitCodeOf, reportNotice } from './failure.ts';
import type { Output } from '../terminal/output.ts';
import { paint, paintDiff } from '../terminal/paint.ts';
import { visible } from '../terminal/visible.ts';

/** A failure without a code is a refusal: 1. */
export function exitCodeOfResult({ isError, details }: ToolResult): number {
  if (isError !== true) return 0;
  return typeof details['code'] === 'string' ? exitCodeOf(details['code']) : 1;
}

/** Otherwise the user would look for the file in the real folder. */
const PRIVATE_WORKSPACE = 'this is the private workspace of the sandbox, because sandbox.workspaceAccess is none';

export interface ResultOptions {
  /** Also print the diff, if the result has one. */
  readonly diff?: boolean;
}

/** Prints content to standard output; a failure to standard error, with its code. */
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
  // Some tools repeat the diff in the text.
  const rest = text.replace(changes.trimEnd(), () => '').trimEnd();
  output.out(endingInNewline(output.isTerminal ? visible(rest) : rest));
  output.out(endingInNewline(output.isTerminal ? paintDiff(visible(changes), paint(output.colour)) : changes));
}

function endingInNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function showFailure({ details: { code, hint }, error }: ToolResult, text: string, output: Output): void {
  const name = typeof code === 'string' ? `${code}: ` : '';
  const isPlain = typeof hint === 'string' && text === `${error}\n${hint}`;
  output.err(`${name}${visible(isPlain ? `${error}\nhint: ${hint}` : text)}\n`);
}

function contentText(content: Content): string {
  if (content.type === 'text') return content.text;
  return `[${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes; --json prints them as base64]`;
}
