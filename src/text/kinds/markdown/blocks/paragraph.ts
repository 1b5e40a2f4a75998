import type { LineCursor } from './cursor.ts';
import { trimEnd } from './starts.ts';

/** The open paragraph: where its text stands, and its last line, which can turn out to be a table's header. */
export class Paragraph {
  line = 0;
  start = 0;
  end = 0;
  lastLine = 0;
  lastLineStart = 0;
  /** Where the text before the last line ends. */
  endBefore = 0;
  /** Row of the list item whose text it is, -1 for none. */
  owner = -1;
  /** Line, start and end of each line, kept only when it may begin with link definitions. */
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

  /** Moves the start past link definitions; false when nothing else is there, and the current line begins the text. */
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

// Link reference definitions at the start of a paragraph. They matter in one place only: a paragraph that holds
// nothing else cannot become a setext heading, and the heading's text begins after them.

/** How many units of `paragraph` (its lines joined by LF) are link reference definitions. */
function referencesLength(paragraph: string): number {
  // Built on need: hardly any document has a setext heading below a definition.
  const definition =
    /\[(?=[^\]]*[^\s\]])(?:[^\\[\]]|\\[^]){1,999}\]:[ \t]*\n?[ \t]*(?:<(?:[^<>\n\\]|\\.)*>|[^\s<]\S*)(?:(?=[ \t]|\n)[ \t]*\n?[ \t]*(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\))[ \t]*(?:\n|$)|[ \t]*(?:\n|$))/y;
  let length = 0;
  for (;;) {
    definition.lastIndex = length;
    if (!definition.test(paragraph)) return length;
    length = definition.lastIndex;
  }
}
