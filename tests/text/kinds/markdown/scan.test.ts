import { describe, expect, test } from 'vitest';
import { ITEM } from '../../../../src/text/kinds/markdown/blocks/records.ts';
import { scanBlocks } from '../../../../src/text/kinds/markdown/blocks/scan.ts';
import { names, parse, read } from './at.ts';
import { processorMs } from '../../../support/patience.ts';

/** Texts on which a careless scanner takes quadratic time: minutes at this size. */
const HOSTILE: Readonly<Record<string, string>> = {
  'bullets on one line': `${'- '.repeat(200_000)}x\n`,
  'quotes on one line': `${'>'.repeat(200_000)}x\n`,
  'blank lines in a deep list': `${'- '.repeat(20_000)}x${'\n'.repeat(200_000)}`,
  'indented lines in a deep list': `${'- '.repeat(5000)}x\n${`${' '.repeat(10_000)}y\n`.repeat(100)}`,
  'lazy lines below a deep list': `${'- '.repeat(20_000)}x\n${'y\n'.repeat(200_000)}`,
  'comments that never end': '> <!--\n\n'.repeat(100_000),
  'a script that never ends': `<script>\n${'a\n'.repeat(500_000)}`,
  'fences in quotes': '> ```\n\n'.repeat(100_000),
  'link definitions': '[a]: b\n===\n'.repeat(100_000),
  'open titles': `${'[a]: b "\n'.repeat(50_000)}===\n`,
  'open labels': `${'[a\n'.repeat(50_000)}===\n`,
  'delimiter rows': 'a\n:-\n\n'.repeat(100_000),
  'open tags': `${'<a '.repeat(100_000)}\n`,
  'a long line': 'x'.repeat(5_000_000),
};

/** CPU time: enough for a slow machine, but far too short for a quadratic scanner. */
const MOST_MS = 20_000;

describe('the block scanner', () => {
  test.each(Object.keys(HOSTILE))('takes linear time for %s', (name) => {
    const start = processorMs();
    scanBlocks(HOSTILE[name]!, 0);
    expect(processorMs() - start).toBeLessThan(MOST_MS);
  });

  test.each([
    `## A\n\n- ${'`'.repeat(200_000)}: x\n`,
    `## A\n\n- ${'](['.repeat(200_000)}\n`,
    `## A\n\n- ${'a:'.repeat(200_000)}\n`,
    `## A\n\n- ${'<a'.repeat(200_000)}\n`,
    `## A\n\n- ${'` `` '.repeat(100_000)}\n`,
  ])('names an item with a hostile text in linear time', (text) => {
    const start = processorMs();
    expect(names(text, 'a', 'item')).toHaveLength(1);
    expect(processorMs() - start).toBeLessThan(MOST_MS);
  });

  test('reads a deep list', () => {
    const { items } = scanBlocks(`${'- '.repeat(1000)}x\n\n  y\n`, 0);
    expect({
      count: items.count,
      ends: new Set(Array.from({ length: items.count }, (_, row) => items.get(row, ITEM.LAST))),
    }).toEqual({
      count: 1000,
      ends: new Set([1000]),
    });
  });

  test('reads a large file', () => {
    const part =
      '## Section\n\nSome text.\n\n- gh: GitHub CLI\n  - risk: low\n- curl: HTTP client\n\n```sh\nls\n```\n\n';
    const text = `${part.repeat(40_000)}## Last\n\n- k: v\n`;
    const start = processorMs();
    expect(read(text, 'last/k/k')).toBe('v');
    expect(processorMs() - start).toBeLessThan(MOST_MS);
    expect([...parse(text).children(parse(text).root, 'section')]).toHaveLength(40_001);
  });
});
