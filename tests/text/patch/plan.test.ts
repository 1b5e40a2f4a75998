import { describe, expect, it } from 'vitest';
import { describeRefusal } from '../../../src/text/patch/describe-refusal.ts';
import { planFile } from '../../../src/text/patch/plan.ts';
import { hunksOf, patched } from './patched.ts';

const FUNCTIONS = 'def f():\n  a\n  b\n\ndef g():\n  a\n  b\n';
const METHODS = 'class A:\n  def m():\n    x\nclass B:\n  def m():\n    x\n';

describe('where a hunk belongs', () => {
  it.each([
    ['at its only place', 'a\nb\nc\n', [' a', '-b', '+B', ' c'], 'a\nB\nc\n'],
    ['before the first line', 'a\n', ['@@', '+0', ' a'], '0\na\n'],
    ['behind the hunk before it', 'x\ny\nx\n', ['@@', '-y', '+Y', '@@', '-x', '+Z'], 'x\nY\nZ\n'],
    ['before the hunk before it', 'a\nb\nc\n', ['@@', '-c', '+C', '@@', '-a', '+A'], 'A\nb\nC\n'],
    ['where context is shared', 'a\nb\nc\nd\n', ['@@', ' a', '-b', '+B', ' c', '@@', ' c', '-d', '+D'], 'a\nB\nc\nD\n'],
    ['at the end of the file', 'x\ny\nx\n', ['@@', '-x', '+Z', '*** End of File'], 'x\ny\nZ\n'],
    ['at the end, by the missing newline', 'x\ny\nx', ['@@', '-x', '+Z', '\\ No newline at end of file'], 'x\ny\nZ'],
    ['behind its anchor', FUNCTIONS, ['@@ def g():', '-  a', '+  A'], 'def f():\n  a\n  b\n\ndef g():\n  A\n  b\n'],
    ['inside of its anchor', FUNCTIONS, ['@@ def f():', '-  b', '+  B'], 'def f():\n  a\n  B\n\ndef g():\n  a\n  b\n'],
    ['right behind its anchor', 'f {\nx\n}\ng {\nx\n}\n', ['@@ f {', '-x', '+y'], 'f {\ny\n}\ng {\nx\n}\n'],
    ['behind an anchor with @@ on both sides', 'f\nx\ng\nx\n', ['@@ g @@', '-x', '+y'], 'f\nx\ng\ny\n'],
    ['at an anchor that it repeats', 'f\nx\ng\nx\n', ['@@ g', ' g', '-x', '+y'], 'f\nx\ng\ny\n'],
    ['around an anchor that it contains', 'x\nf\ny\nx\ng\ny\n', ['@@ g', ' x', ' g', '-y', '+Y'], 'x\nf\ny\nx\ng\nY\n'],
    ['behind the beginning of a line', 'f(a)\nx\ng(b)\nx\n', ['@@ g', '-x', '+y'], 'f(a)\nx\ng(b)\ny\n'],
    [
      'behind an anchor that was passed',
      FUNCTIONS,
      ['@@ def f():', '-  a', '+  A', '@@ def f():', '-  b', '+  B'],
      'def f():\n  A\n  B\n\ndef g():\n  a\n  b\n',
    ],
    [
      'in the first of stacked anchors',
      METHODS,
      ['@@ class A:', '@@   def m():', '-    x', '+    y'],
      METHODS.replace('x', 'y'),
    ],
    [
      'in the last of stacked anchors',
      METHODS,
      ['@@ class B:', '@@ def m():', '-    x', '+    y'],
      METHODS.replace(/x(?!.*x)/su, 'y'),
    ],
    ['where its range says', 'x\ny\nx\ny\nx\n', ['@@ -3 +3 @@', '-x', '+Z'], 'x\ny\nZ\ny\nx\n'],
    ['nearest to its range', 'x\n1\n2\n3\nx\n4\n', ['@@ -4,7 +9 @@', '-x', '+Z'], 'x\n1\n2\n3\nZ\n4\n'],
    [
      'under the heading of its range',
      FUNCTIONS,
      ['@@ -3,2 +3 @@ def g():', '-  a', '+  A'],
      'def f():\n  a\n  b\n\ndef g():\n  A\n  b\n',
    ],
    [
      'as far off as the hunk before it',
      '0\n0\nq\nx\n1\nx\n2\nx\n',
      ['@@ -1 +1 @@', '-q', '+Q', '@@ -4 +4 @@', '-x', '+Z'],
      '0\n0\nQ\nx\n1\nZ\n2\nx\n',
    ],
    ['behind the line of its range', 'a\nb\n', ['@@ -1,0 +2 @@', '+x'], 'a\nx\nb\n'],
    ['before line 1 by its range', 'a\nb\n', ['@@ -0,0 +1 @@', '+x'], 'x\na\nb\n'],
    ['behind its anchor without old lines', 'a\nb\n', ['@@ a', '+x'], 'a\nx\nb\n'],
    ['at the end without old lines', 'a\n\nb\n', ['@@', '+x', ''], 'a\n\nb\nx\n'],
    ['in an empty file', '', ['+x', '+y'], 'x\ny\n'],
  ])('is found %s', (_, text, body, expected) => {
    expect(patched(text, ...body)).toBe(expected);
  });

  it.each([
    ['its lines are not there', 'a\n', ['-b'], 'refused: mismatch'],
    ['they are not next to each other', 'a\nx\nb\n', [' a', '-b'], 'refused: mismatch'],
    ['its anchor is not there', 'a\n', ['@@ f', '-a'], 'refused: mismatch'],
    ['it is not at the end', 'a\nb\n', ['-a', '*** End of File'], 'refused: mismatch'],
    ['its range is behind the end', 'a\n', ['@@ -9,0 +9 @@', '+x'], 'refused: mismatch'],
    ['it fits several places', 'x\ny\nx\nx\n', ['-x', '+z'], 'refused: ambiguous 1,3,4'],
    [
      'it fits several places behind the one before',
      'x\nq\nx\nx\n',
      ['@@', '-q', '@@', '-x'],
      'refused: ambiguous 3,4',
    ],
    ['it is nothing but blank lines', '\n\n', ['-', '+x'], 'refused: ambiguous 1,2'],
    ['its anchor encloses several places', 'f:\n  x\n  y\n  x\n', ['@@ f:', '-  x', '+z'], 'refused: ambiguous 2,4'],
    ['it adds behind an anchor of several places', 'a\nb\na\n', ['@@ a', '+x'], 'refused: ambiguous 1,3'],
    ['two places are equally near to its range', 'x\ny\nx\n', ['@@ -2 +2 @@', '-x'], 'refused: ambiguous 1,3'],
    ['another hunk changes the same lines', 'a\nb\nc\n', ['@@', '-a', '-b', '@@', '-b', '-c'], 'refused: overlap'],
  ])('is refused when %s', (_, text, body, expected) => {
    expect(patched(text, ...body)).toBe(expected);
  });
});

describe('how leniently a hunk is read', () => {
  it.each([
    ['blanks at the end of lines', 1, 'a  \nb\n', [' a', '-b', '+B'], 'a  \nB\n'],
    ['blanks at the end of the patch', 1, 'a\nb\n', [' a \t', '-b', '+B'], 'a\nB\n'],
    ['blank lines that are not empty', 1, 'a\n  \nb\n', [' a', '', '-b', '+B'], 'a\n  \nB\n'],
    ['indentation', 2, '    a\n\tb\n', [' a', '-b', '+B'], '    a\nB\n'],
    ['punctuation', 3, '“a” — it’s\u00A0b\nz\n', [' "a" - it\'s b', '-z', '+Z'], '“a” — it’s\u00A0b\nZ\n'],
    ['punctuation of the patch', 3, '"a"\nz\n', [' “a”', '-z', '+Z'], '"a"\nZ\n'],
    ['combining characters', 4, 'cafe\u0301\nz\n', [' café', '-z', '+Z'], 'cafe\u0301\nZ\n'],
    ['invisible characters', 4, 'a\u200Bb\nz\n', [' ab', '-z', '+Z'], 'a\u200Bb\nZ\n'],
    ['an ellipsis', 4, 'wait…\nz\n', [' wait...', '-z', '+Z'], 'wait…\nZ\n'],
  ])('overlooks %s and keeps the bytes of the context', (_, level, text, body, expected) => {
    const plan = planFile(text, hunksOf(...body));
    expect({ text: patched(text, ...body), matches: plan.ok && plan.matches }).toEqual({
      text: expected,
      matches: [{ hunk: 1, line: 1, level }],
    });
  });

  it.each([
    ['prefers the strict match', 'x \nx\n', ['-x', '+y'], 'x \ny\n'],
    ['takes none of two lenient ones', 'x \nx  \n', ['-x', '+y'], 'refused: ambiguous 1,2'],
    ['drops an empty line at the end', 'a\nb\n', ['-b', '+B', ''], 'a\nB\n'],
    ['drops an empty line at the end in the middle of a file', 'a\nb\nc\n', ['-b', '+B', ''], 'a\nB\nc\n'],
    ['drops a removed empty line that is not there, and its pair', 'a\nb\n', ['-b', '-', '+B', '+'], 'a\nB\n'],
    ['drops an empty line in front', 'a\nb\n', ['@@', '', '-b', '+B'], 'a\nB\n'],
    ['keeps an empty line that is there', 'b\nc\n\nb\n\nd\n', ['-b', '', ' d'], 'b\nc\n\n\nd\n'],
    ['takes context without its space', 'a\nb\nc\n', ['@@', 'a', '-b', '+B', 'c'], 'a\nB\nc\n'],
    [
      'takes indented context without its space',
      'f {\n  a\n  b\n}\n',
      ['@@', 'f {', '  a', '-  b', '+  B', '}'],
      'f {\n  a\n  B\n}\n',
    ],
    ['takes tabs for context without its space', '\ta\n\tb\n', ['@@', '\ta', '-\tb', '+\tB'], '\ta\n\tB\n'],
    [
      'refuses when two readings lead to two places',
      'q\n a\nx\nq\na\nx\n',
      ['@@', 'q', ' a', '-x'],
      'refused: ambiguous 1,4',
    ],
  ])('%s', (_, text, body, expected) => {
    expect(patched(text, ...body)).toBe(expected);
  });
});

describe('line endings', () => {
  it.each([
    ['CRLF stays', 'a\r\nb\r\n', ['-b', '+B', '+C'], 'a\r\nB\r\nC\r\n'],
    ['CR stays', 'a\rb\rc\r', ['-b', '+B'], 'a\rB\rc\r'],
    ['a new line ends like the one it replaces', 'a\r\nb\nc\r\n', ['-b', '-c', '+B', '+C', '+D'], 'a\r\nB\nC\r\nD\r\n'],
    ['an inserted line ends like the one above', 'a\r\nb\n', [' a', '+x', ' b'], 'a\r\nx\r\nb\n'],
    ['a lone CR is an ending among others', 'a\r\nb\rc\nd\r\n', [' b', '-c', '+C', ' d'], 'a\r\nb\rC\nd\r\n'],
    ['a CR inside a line is text when the patch has it', 'a\rb\nc\n', [' a\rb', '-c', '+C'], 'a\rb\nC\n'],
    ['other separators are text', 'a\u2028b\vc\nx\n', [' a\u2028b\vc', '-x', '+y'], 'a\u2028b\vc\ny\n'],
    ['a missing last newline stays missing', 'a\nb', ['-b', '+B', '+C'], 'a\nB\nC'],
    ['also behind an appended line', 'a\r\nb', ['+c'], 'a\r\nb\r\nc'],
    ['also when the last line goes', 'a\nb', [' a', '-b'], 'a'],
    ['also when two hunks meet there', 'a\nb\nc', ['@@', '-b', '@@', '-c'], 'a'],
    ['it is added when the patch says so', 'a\nb', ['-b', '\\ No newline at end of file', '+b'], 'a\nb\n'],
    ['it is removed when the patch says so', 'a\nb\n', ['-b', '+b', '\\ No newline at end of file'], 'a\nb'],
    ['nothing is left of a file whose lines all go', 'a\nb\n', ['-a', '-b'], ''],
    ['a byte order mark stays before a new first line', '\uFEFFa\n', ['-a', '+b'], '\uFEFFb\n'],
    ['a byte order mark stays before an inserted line', '\uFEFFa\n', ['@@', '+0', ' a'], '\uFEFF0\na\n'],
  ])('%s', (_, text, body, expected) => {
    expect(patched(text, ...body)).toBe(expected);
  });
});

describe('the report of a plan', () => {
  it('has no splices for lines that stay the same', () => {
    const plan = planFile('a\nb\n', hunksOf('@@', '-a', '+a', ' b'));
    expect(plan).toEqual({ ok: true, splices: [], matches: [{ hunk: 1, line: 1, level: 0 }], warnings: [] });
  });

  it('warns when a range decided without being exact', () => {
    const plan = planFile('x\n1\n2\n3\nx\n4\n', hunksOf('@@ -4 +4 @@', '-x', '+y'));
    expect(plan.ok && plan.warnings).toEqual([
      'hunk 1 matches 2 places; line 5 is nearest to its range and was chosen',
    ]);
  });

  const hintFor = (text: string, ...body: string[]) => {
    const plan = planFile(text, hunksOf(...body));
    if (plan.ok) throw new Error('expected a refusal');
    return describeRefusal('f.py', plan);
  };

  it('shows a hunk that does not match next to the most similar lines, with a caret below the difference', () => {
    expect(
      hintFor('def f():\n    return  1\nend\n', '@@', ' def f():', '-    return 1', '+    return 2', ' end'),
    ).toEqual({
      code: 'PATCH_MISMATCH',
      message: 'hunk 1 of f.py (line 3 of the patch) is not in the file',
      hint: [
        'read the file again and copy its lines unchanged',
        'expected lines:',
        '  "def f():"',
        '  "    return 1"',
        '  "end"',
        'most similar:',
        '  expected: "    return 1"',
        '  line 2:   "    return  1"',
        '                        ^',
      ].join('\n'),
      details: {
        path: 'f.py',
        hunk: 1,
        patchLine: 3,
        expected: ['def f():', '    return 1', 'end'],
        nearest: { line: 2, text: '    return  1' },
      },
    });
  });

  it.each([
    [
      'an unknown anchor',
      'class Foo:\n',
      ['@@ class Fox:', '-x'],
      'hunk 1 of f.py (line 3 of the patch) follows "class Fox:", which is not in the file',
    ],
    [
      'the end',
      'a\nb\n',
      ['-a', '*** End of File'],
      'hunk 1 of f.py (line 3 of the patch) is not at the end of the file',
    ],
    ['several places', 'a\na\n', ['-a'], 'hunk 1 of f.py (line 3 of the patch) matches 2 places'],
    [
      'lines of another hunk',
      'a\nb\n',
      ['@@', '-a', '-b', '@@', '-b'],
      'hunk 2 of f.py (line 6 of the patch) changes lines that another hunk changes',
    ],
  ])('names %s in one sentence', (_, text, body, message) => {
    expect(hintFor(text, ...body).message).toBe(message);
  });

  it('reports that the file already contains the new lines', () => {
    expect(hintFor('a\nB\nc\n', ' a', '-b', '+B', ' c').hint.split('\n')[0]).toBe(
      'its new lines are already at line 1; it may have been applied before',
    );
  });

  it('bounds what it shows of long lines and long hunks', () => {
    const body = Array.from({ length: 500 }, (_, i) => `-${'x'.repeat(5000)}${i}`);
    expect(JSON.stringify(hintFor(`${'x'.repeat(5000)}y\n`, ...body)).length).toBeLessThan(6000);
  });
});
