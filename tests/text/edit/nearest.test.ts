import { describe, expect, it } from 'vitest';
import { nearestPassage } from '../../../src/text/edit/nearest.ts';

describe('the nearest lines', () => {
  it.each<[string, string, string, number, string[]]>([
    [
      'the first word that differs, whatever the indentation',
      '\tfoo()\n\tbar()\n',
      '    foo()\n    baz()',
      2,
      ['1 | →foo()', '2 | →bar()', '  ? →baz()', '       ^'],
    ],
    [
      'a line like it, when none is equal',
      'alpha\nconst total = sum(items);\nomega\n',
      'const totals = sum(item);',
      2,
      ['1 | alpha', '2 | const total = sum(items);', '  ? const totals = sum(item);', '               ^', '3 | omega'],
    ],
    [
      'the first of many lines that differs',
      'a1\nb2\nc3\nd4\ne5\nf6\ng7\n',
      'a1\nb2\nc3\nd4\nX5\nf6',
      5,
      ['3 | c3', '4 | d4', '5 | e5', '  ? X5', '    ^', '6 | f6', '7 | g7'],
    ],
    [
      'a difference far to the right',
      `${'x'.repeat(300)}A\n`,
      `${'x'.repeat(300)}B`,
      1,
      [`1 | …${'x'.repeat(80)}A`, `  ? …${'x'.repeat(80)}B`, `     ${' '.repeat(80)}^`],
    ],
    [
      'control characters as something that can be seen',
      'a\u001b[31mb\n',
      'a\u001b[31mc',
      1,
      ['1 | a�[31mb', '  ? a�[31mc', '          ^'],
    ],
  ])('show %s', (_, text, oldText, line, rows) => {
    expect(nearestPassage(text, oldText)).toMatchObject({ line, excerpt: rows.join('\n') });
  });

  it.each<[string, string, string, string]>([
    [
      'tabs for spaces',
      'if a:\n\tb()\n\tc()\n',
      'if a:\n    b()\nc()',
      'the file is indented with tabs, oldText with spaces',
    ],
    [
      'spaces for tabs',
      'if a:\n    b()\n    c()\n',
      'if a:\n\tb()\nc()',
      'the file is indented with spaces, oldText with tabs',
    ],
    ['another indentation', 'if a:\n    b()\n    c()\n', 'if a:\n    b()\nc()', 'the indentation differs'],
    ['case', 'Hello World\n', 'hello world', 'upper and lower case differ'],
    ['blanks where there are none', 'f(a,b)\n', 'f(a, b)', 'only whitespace differs'],
    [
      'escapes',
      'say("a\\nb")\n',
      'say(\\"a\\\\nb\\")',
      'oldText has escaped backslashes, quotes or line breaks where the file has plain ones (line 1)',
    ],
    [
      'escapes that are missing',
      'x\n"C:\\\\dir"\n',
      '"C:\\dir"',
      'the file has doubled backslashes where oldText has single ones (line 2)',
    ],
    ['line numbers', 'foo\nbar\n', '1\tfoo\n2\tbar', 'oldText contains line numbers, which are not part of the file'],
    [
      'empty lines at the end',
      'foo\n',
      'foo\n\n\n',
      'oldText has whitespace or empty lines at its start or end that the file does not have (line 1)',
    ],
    ['the end of the file', 'foo\n', 'foo\nbar', 'oldText continues after the end of the file'],
    [
      'another encoding',
      'caf\uDCE9 noir\n',
      'café noir',
      'the file is not entirely UTF-8 and oldText is not entirely ASCII; choose a piece of plain ASCII',
    ],
    ['an empty file', '', 'foo', 'the file is empty; use the write tool'],
  ])('name %s', (_, text, oldText, reason) => {
    expect(nearestPassage(text, oldText)?.reason).toBe(reason);
  });

  it('are undefined when nothing is similar', () => {
    expect(nearestPassage('alpha\nbeta\n', 'zzzz qqqq')).toBeUndefined();
  });
});
