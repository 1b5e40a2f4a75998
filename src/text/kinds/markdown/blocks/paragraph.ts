import type { LineCursor } from './line-cursor.ts';
import { trimEnd } from './block-starts.ts';

/** The open paragraph: its span, and its last line, which may become the header of a table. */
export class Paragraph {
  line = 0;
  start = 0;
  end = 0;
  lastLine = 0;
  lastLineStart = 0;
  endBefore = 0;
  /** Row of the list item whose text it is, or -1. */
  owner = -1;
  /** Line, start and end of each line. Only kept if the paragraph may begin with link definitions. */
  #lines: number[] | undefined;

  open(cursor: LineCursor): void {
    this.line = cursor.line;
    this.start = cursor.first;
    this.#addLine(cursor);
    this.#lines = cursor.text.charCodeAt(cursor.first) === 91 ? [cursor.line, cursor.first, this.end] : undefined;
  }

  extend(cursor: LineCursor): void {
    this.endBefore = this.end;
    this.#addLine(cursor);
    this.#lines?.push(cursor.line, cursor.first, this.end);
  }

  #addLine(cursor: LineCursor): void {
    this.lastLine = cursor.line;
    this.lastLineStart = cursor.first;
    this.end = trimEnd(cursor.text, cursor.first, cursor.end);
  }

  /** Moves the start past link definitions. False if nothing else is left: then the text begins at the current line. */
  dropReferences(cursor: LineCursor): boolean {
    const lines = this.#lines;
    if (lines === undefined) return true;
    let joined = '';
    for (let i = 0; i < lines.length; i += 3)
      joined += `${i === 0 ? '' : '\n'}${cursor.text.slice(lines[i + 1], lines[i + 2])}`;
    let length = referencesLength(joined);
    if (length === 0) return true;
    this.#lines = undefined;
    for (let i = 0; i < lines.length; i += 3) {
      if (length === 0) {
        this.line = lines[i]!;
        this.start = lines[i + 1]!;
        return true;
      }
      length = Math.max(0, length - (lines[i + 2]! - lines[i + 1]! + 1));
    }
    this.line = cursor.line;
    this.start = cursor.first;
    return false;
  }
}

/**
 * The length of the link reference definitions at the start of a paragraph (its lines joined by LF). They only matter
 * for setext headings: the heading's text begins after them, and a paragraph without other text cannot become one.
 */
function referencesLength(paragraph: string): number {
  // Compiled on use: few documents have a setext heading below a definition.
  const definition =
    /\[(?=[^\]]*[^\s\]])(?:[^\\[\]]|\\[^]){1,999}\]:[ \t]*\n?[ \t]*(?:<(?:[^<>\n\\]|\\.)*>|[^\s<]\S*)(?:(?=[ \t]|\n)[ \t]*\n?[ \t]*(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\))[ \t]*(?:\n|$)|[ \t]*(?:\n|$))/y;
  let length = 0;
  for (;;) {
    definition.lastIndex = length;
    if (!definition.test(paragraph)) return length;
    length = definition.lastIndex;
  }
}
