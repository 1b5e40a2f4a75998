import { describe, expect, it } from 'vitest';
import { applySplices } from '../../../src/text/lines/splice.ts';
import type { Edit } from '../../../src/text/edit/clean-edit.ts';
import { planEdits } from '../../../src/text/edit/plan.ts';

/** The text after one edit, and how its place was found. */
function edited(text: string, oldText: string, newText: string): readonly [string, string] {
  const plan = planEdits(text, [{ oldText, newText }]);
  if (!plan.ok) return [plan.reason, ''];
  return [applySplices(text, plan.splices), plan.found[0]!.level];
}

describe('the ladder', () => {
  it.each<[string, string, string, string, string, string]>([
    ['an exact text', 'let a = 1;\n', 'a = 1', 'a = 2', 'let a = 2;\n', 'exact'],
    ['dollar signs literally', 'x\n', 'x', "$& $1 $$ $' $`", "$& $1 $$ $' $`\n", 'exact'],
    ['an empty new text as a deletion', 'a\nb\nc\n', 'b\n', '', 'a\nc\n', 'exact'],
    ['CRLF for LF', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'a\nx\ny\n', 'a\r\nx\r\ny\r\nc\r\n', 'line-endings'],
    ['LF for CRLF', 'a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\ny', 'a\nx\ny\nc\n', 'line-endings'],
    ['lone CR for LF', 'a\rb\rc', 'a\nb', 'a\nx', 'a\rx\rc', 'line-endings'],
    ['the endings of a mixed place', 'a\r\nb\nc\r\n', 'a\nb\nc\n', 'a\nB\nC\n', 'a\r\nB\nC\r\n', 'line-endings'],
    ['a new line in a CRLF file', 'a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n', 'exact'],
    ['trailing whitespace of lines that stay', 'a  \nb\t\nc', 'a\nb\nc', 'a\nB\nc', 'a  \nB\t\nc', 'trailing-blanks'],
    ['trailing whitespace of the old text', 'x = 1\ny\n', 'x = 1  ', 'x = 2', 'x = 2\ny\n', 'trailing-blanks'],
    ['curly quotes', 'say(“hi”, ‘x’);\n', `say("hi", 'x');`, `say("hi", 'y');`, 'say(“hi”, ‘y’);\n', 'punctuation'],
    ['dashes', 'a – b — c\n', 'a - b - c', 'a - b - d', 'a – b — d\n', 'punctuation'],
    ['an ellipsis', 'wait… now\n', 'wait... now', 'wait... later', 'wait… later\n', 'punctuation'],
    ['a space that does not break', 'a\u00A0= 1\n', 'a = 1', 'a = 2', 'a\u00A0= 2\n', 'punctuation'],
    ['what cannot be seen', 'fo\u200Bo(1)\n', 'foo(1)', 'foo(2)', 'fo\u200Bo(2)\n', 'punctuation'],
    [
      'accents in two characters',
      'cafe\u0301 = 1\n',
      'caf\u00E9 = 1',
      'caf\u00E9 = 2',
      'cafe\u0301 = 2\n',
      'punctuation',
    ],
    [
      'accents in one character',
      'caf\u00E9 = 1\n',
      'cafe\u0301 = 1',
      'cafe\u0301 = 2',
      'caf\u00E9 = 2\n',
      'punctuation',
    ],
    [
      'Hangul in parts',
      '\u1112\u1161\u11AB = 1\n',
      '\uD55C = 1',
      '\uD55C = 2',
      '\u1112\u1161\u11AB = 2\n',
      'punctuation',
    ],
    ['a byte that is no text', 'caf\uDCE9 = 1\n', 'caf\uFFFD = 1', 'caf\uFFFD = 2', 'caf\uDCE9 = 2\n', 'punctuation'],
    ['less indentation', '    if a:\n        b()\n', 'if a:\n    c()', '', 'not-found', ''],
    [
      'a shift to the right',
      '    if a:\n        b()\n',
      'if a:\n    b()\n',
      'if a:\n    c()\n    d()\nelse:\n    e()\n',
      '    if a:\n        c()\n        d()\n    else:\n        e()\n',
      'indentation',
    ],
    [
      'a shift to the left',
      'if a:\n  b()\n',
      '    if a:\n      b()\n',
      '    if a:\n      if c:\n        b()\n',
      'if a:\n  if c:\n    b()\n',
      'indentation',
    ],
    [
      'tabs for spaces',
      '\tif (a) {\n\t\tb();\n\t}\n',
      '    if (a) {\n        b();\n    }',
      '    if (a) {\n        b();\n            c();\n    }',
      '\tif (a) {\n\t\tb();\n\t\t\tc();\n\t}\n',
      'indentation',
    ],
    [
      'spaces for a tab on one line',
      '\tfoo();\n',
      '    foo();',
      '    foo(1);\n    bar();',
      '\tfoo(1);\n\tbar();\n',
      'indentation',
    ],
    [
      'two spaces for four',
      'a {\n  b {\n    c\n  }\n}\n',
      'a {\n    b {\n        c\n    }',
      'a {\n    b {\n        d\n            e\n    }',
      'a {\n  b {\n    d\n      e\n  }\n}\n',
      'indentation',
    ],
    ['a final newline that the file has not', 'a\nlast', 'last\n', 'x\ny\n', 'a\nx\ny', 'line-endings'],
    [
      'a final newline that the file has not, and quotes',
      'a\r\n“b”',
      'a\n"b"\n',
      'a\n"c"\n',
      'a\r\n“c”',
      'punctuation',
    ],
    ['runs of blanks', 'const a   =  1;\n', 'const a = 1;', 'const a = 2;', 'const a   =  2;\n', 'whitespace'],
    [
      'aligned columns',
      '  x\t: 1\n  yy\t: 2\n',
      'x : 1\nyy : 2',
      'x : 1\nyy : 3',
      '  x\t: 1\n  yy\t: 3\n',
      'whitespace',
    ],
    [
      'a line where the source has only blanks',
      'def f():\n    \n    return 1  \n',
      'def f():\n    \n    return 1\n',
      'def f():\n    x = 1\n    return 1\n',
      'def f():\n    x = 1\n    return 1  \n',
      'trailing-blanks',
    ],
    [
      'a first line of blanks that goes',
      'a\n    \n    foo()  \n',
      '\t\n    foo()\n',
      '    foo()\n',
      'a\n    foo()  \n',
      'trailing-blanks',
    ],
    [
      'a filled line in place of an empty one, at another depth',
      'if a:\n\n\treturn 1\n',
      'if a:\n    \n    return 1\n',
      'if a:\n    x = 1\n    return 1\n',
      'if a:\n\tx = 1\n\treturn 1\n',
      'indentation',
    ],
    [
      'a line that moves to the left, in tabs',
      '\tif a:\n\t\tb()\n\t\tc()\n',
      '    if a:\n        b()\n        c()\n',
      '    if a:\n        b()\n    c()\n',
      '\tif a:\n\t\tb()\n\tc()\n',
      'indentation',
    ],
    [
      'a line that moves to the right, in tabs',
      '\tif a:\n\t\tb()\n\tc()\n',
      '    if a:\n        b()\n    c()\n',
      '    if a:\n        b()\n        c()\n',
      '\tif a:\n\t\tb()\n\t\tc()\n',
      'indentation',
    ],
    [
      'words behind blanks of the old text',
      'foo\t\nz \n',
      'foo  \nz\n',
      'foo  x\nz\n',
      'foo  x\nz \n',
      'trailing-blanks',
    ],
    ['a new line in a file of lone CR', 'a\rb\rc\r', 'b', 'b\nx', 'a\rb\rx\rc\r', 'exact'],
    ['blanks at the end of a line of lone CR', 'a\rb\rc\r', 'b  ', 'x', 'a\rx\rc\r', 'trailing-blanks'],
    ['indentation of lone CR', 'a\r\tb\rc\r', '  b', '  x', 'a\r\tx\rc\r', 'indentation'],
    [
      'the unended last line, however often its text stands',
      `${'ax '.repeat(2000)}\na`,
      'a\n',
      'b\n',
      `${'ax '.repeat(2000)}\nb`,
      'line-endings',
    ],
  ])('sees %s', (_, text, oldText, newText, expected, level) => {
    expect(edited(text, oldText, newText)).toEqual([expected, level]);
  });

  it.each<[string, string, string]>([
    ['indentation of another structure', 'if a:\n  b()\n  c()\n', 'if a:\n    b()\nc()\n'],
    ['a word that goes on where the old text ends its line', 'x = 10\n', 'x = 1  '],
    ['an old text of blanks with other blanks', 'a\t\tb\n', '   '],
    ['an old text of line ends with other line ends', 'a\r\n\r\nb', '\n\n'],
    ['an empty line that is not there', 'a\nlast', 'last\n\n'],
    ['a line end in the middle of a line', 'last one', 'last\n'],
    ['half of a character', 'wait… now', 'wait.. now'],
    ['other words', 'alpha\n', 'beta'],
  ])('does not see %s', (_, text, oldText) => {
    expect(edited(text, oldText, 'new')).toEqual(['not-found', '']);
  });

  it('counts an exact place in exact space, whatever else is like it', () => {
    expect(edited('"a"\n“a”\n', '"a"', '"b"')).toEqual(['"b"\n“a”\n', 'exact']);
  });

  it('leaves a byte order mark that the model has copied', () => {
    expect(edited('a\n', '\uFEFFa', '\uFEFFb')).toEqual(['b\n', 'exact']);
  });

  it.each([
    ['goes with the old text', 'x\n\uFEFFa\n', '\uFEFFa', 'b', ['x\nb\n', 'exact']],
    ['stays with the new one', 'x\n\uFEFFa\n', '\uFEFFa', '\uFEFFb', ['x\n\uFEFFb\n', 'exact']],
    ['tells two places apart', 'x\na\n\uFEFFa\n', '\uFEFFa', 'b', ['x\na\nb\n', 'exact']],
    ['counts before other line endings', 'x\r\n\uFEFFa\r\nb', '\uFEFFa\nb', 'c', ['x\r\nc', 'line-endings']],
    ['may be that of the file, too', 'a\n\uFEFFa\n', '\uFEFFa', 'b', ['ambiguous', '']],
  ])('treats U+FEFF inside the text as a character: it %s', (_, text, oldText, newText, expected) => {
    expect(edited(text, oldText, newText)).toEqual(expected);
  });

  it('makes no raw bytes of halves of surrogate pairs', () => {
    expect(edited('a\n', 'a', '\uDCE9')).toEqual(['\uFFFD\n', 'exact']);
    expect(edited('a\uDCE9b\n', '\uDCE9b', 'c')).toEqual(['a\uDCE9c\n'.replace('\uDCE9c', 'c'), 'punctuation']);
  });
});

describe('several edits', () => {
  const text = 'one\ntwo\nthree\n';

  it('are all applied to the original', () => {
    const edits: Edit[] = [
      { oldText: 'one', newText: 'two' },
      { oldText: 'two', newText: 'three' },
    ];
    const plan = planEdits(text, edits);
    expect(plan.ok && applySplices(text, plan.splices)).toBe('two\nthree\nthree\n');
  });

  it('are refused when one of them overlaps another', () => {
    expect(
      planEdits(text, [
        { oldText: 'three', newText: 'x' },
        { oldText: 'one\ntwo', newText: '' },
        { oldText: 'two', newText: '2' },
      ]),
    ).toEqual({ ok: false, edit: 1, reason: 'overlap', other: 2, line: 2 });
  });

  it('are refused when one of them is not found, with the most similar lines', () => {
    expect(
      planEdits(text, [
        { oldText: 'one', newText: '1' },
        { oldText: 'twoo', newText: '2' },
      ]),
    ).toEqual({
      ok: false,
      edit: 1,
      reason: 'not-found',
      applied: undefined,
      nearest: { line: 2, reason: undefined, excerpt: '1 | one\n2 | two\n  ? twoo\n       ^\n3 | three' },
    });
  });

  it('may be adjacent', () => {
    const plan = planEdits('ab', [
      { oldText: 'a', newText: 'b' },
      { oldText: 'b', newText: 'a' },
    ]);
    expect(plan.ok && applySplices('ab', plan.splices)).toBe('ba');
  });
});

describe('a text that occurs more than once', () => {
  it('is refused with every line', () => {
    expect(planEdits('a\nb\na\n\na', [{ oldText: 'a', newText: 'x' }])).toEqual({
      ok: false,
      edit: 0,
      reason: 'ambiguous',
      level: 'exact',
      lines: [1, 3, 5],
      more: false,
    });
  });

  it('counts places that overlap', () => {
    expect(planEdits('aaa', [{ oldText: 'aa', newText: 'x' }])).toMatchObject({ reason: 'ambiguous', lines: [1, 1] });
  });

  it('is also refused at a lenient level', () => {
    expect(planEdits('a \nb\n\na\t\nb\n', [{ oldText: 'a\nb', newText: 'x' }])).toMatchObject({
      reason: 'ambiguous',
      level: 'trailing-blanks',
      lines: [1, 4],
    });
  });

  it('is refused with the number of checked places when there are more', () => {
    const plan = planEdits('foo  \nbar  \n'.repeat(500), [{ oldText: 'foo\nbar\n', newText: 'x' }]);
    expect(plan).toMatchObject({ reason: 'ambiguous', level: 'trailing-blanks', more: true });
    expect(plan.ok || plan.reason !== 'ambiguous' ? 0 : plan.lines.length).toBe(200);
  });

  it('is refused when hundreds of similar places are between the two', () => {
    const place = '  if a:\n      b\n  end\n';
    const text = place + 'if a:\nb\nend\n'.repeat(250) + place;
    expect(planEdits(text, [{ oldText: 'if a:\n    b\nend', newText: 'x' }])).toMatchObject({
      reason: 'ambiguous',
      level: 'indentation',
      lines: [1, 754],
      more: false,
    });
  });

  it('is refused when there are more places than can be checked, even if only one of them matches', () => {
    const text = `  if a:\n      b\n  end\n${'if a:\nb\nend\n'.repeat(20_100)}`;
    expect(planEdits(text, [{ oldText: 'if a:\n    b\nend', newText: 'x' }])).toMatchObject({
      reason: 'ambiguous',
      lines: [1],
      more: true,
    });
  });

  it('is refused when one place is whole lines and another one is not', () => {
    const text = 'if (a) foo();\n  bar();\nx\n\tfoo();\n\tbar();\n';
    expect(planEdits(text, [{ oldText: ' foo();\n bar();', newText: 'x' }])).toMatchObject({
      reason: 'ambiguous',
      level: 'indentation',
      lines: [1, 4],
    });
  });

  it.each([
    ['in a file of mixed endings', 'a\r\nb\r\nXX\na\nb\n', 'a\nb', 'c\nd', 'c\r\nd\r\nXX\nc\nd\n'],
    ['with new lines that end as each place does', 'a\r\na\n', 'a', 'a\nb', 'a\r\nb\r\na\nb\n'],
    ['exactly', 'a b a\n', 'a', 'aa', 'aa b aa\n'],
    ['with other line ends', 'a\r\nb\r\na\r\n', 'a\n', 'x\ny\n', 'x\r\ny\r\nb\r\nx\r\ny\r\n'],
  ])('is replaced everywhere when that is asked, %s', (_, source, oldText, newText, expected) => {
    const plan = planEdits(source, [{ oldText, newText, replaceAll: true }]);
    expect(plan.ok && applySplices(source, plan.splices)).toBe(expected);
  });

  it('is not replaced everywhere by likeness', () => {
    expect(planEdits('“a” “a”', [{ oldText: '"a"', newText: 'b', replaceAll: true }])).toMatchObject({
      reason: 'not-found',
    });
  });
});

describe('an edit that was applied before', () => {
  it.each([
    ['most of its words', 'x\nconst total = 2;\n', 'const total = 1;', 'const total = 2;'],
    ['a line', 'x\nbegin();\nwork();\n', 'begin();\nrest();', 'begin();\nwork();'],
    ['most of its words, indented', 'x\n  const total = 2;\n', 'const total = 1;\n', 'const total = 2;\n'],
  ])('is known by whole lines that keep %s while the old text is gone', (_, text, oldText, newText) => {
    expect(planEdits(text, [{ oldText, newText }])).toMatchObject({ reason: 'applied', places: [{ line: 2 }] });
  });

  it('is recognized by the record of changes where the text does not prove it', () => {
    const edit = { oldText: 'hello', newText: 'goodbye' };
    expect(planEdits('x\ngoodbye world\n', [edit], (asked) => asked.oldText === 'hello')).toEqual({
      ok: false,
      edit: 0,
      reason: 'applied',
      places: [{ line: 2, evident: false }],
    });
  });

  it.each([
    ['is a bracket', 'int main() {\n}\n', 'garbage();', '}', 2],
    ['has nothing of the old one', 'x\ngoodbye\n', 'hello', 'goodbye', 2],
    ['is a piece of a line', 'x\nconst total = 2;\n', 'total = 1', 'total = 2', 2],
    ['has no line of its own with words', 'begin();\n}\n', 'begin();\nrest();\n}', 'begin();\n}', 1],
  ])('is only a guess when the new text %s', (_, text, oldText, newText, line) => {
    expect(planEdits(text, [{ oldText, newText }])).toMatchObject({
      reason: 'not-found',
      applied: { line, evident: false },
    });
  });

  it.each([
    ['the new text stands twice', 'b\nb\n', 'a', 'b'],
    ['the new text is empty', 'x\n', 'a', ''],
    ['the new text is a piece of the old one', 'foo\n', 'foo()', 'foo'],
    ['the new text is a part of a word', 'barely\n', 'foo', 'bar'],
    ['the new text is blank', 'x  \n', 'a', '  '],
  ])('is not believed when %s', (_, text, oldText, newText) => {
    expect(planEdits(text, [{ oldText, newText }])).toMatchObject({ reason: 'not-found', applied: undefined });
  });

  it('is not believed when only some of several edits look so', () => {
    const plan = planEdits('b\nc\n', [
      { oldText: 'a', newText: 'b' },
      { oldText: 'c', newText: 'd' },
    ]);
    expect(plan).toMatchObject({ reason: 'not-found', edit: 0, applied: { line: 1 } });
  });
});
