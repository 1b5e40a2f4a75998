/**
 * Link reference definitions at the start of a paragraph. They matter in one place only: a paragraph that holds
 * nothing else cannot become a setext heading, and the heading's text begins after them.
 */

/** How many units of `paragraph` (its lines joined by LF) are link reference definitions. */
export function referencesLength(paragraph: string): number {
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
