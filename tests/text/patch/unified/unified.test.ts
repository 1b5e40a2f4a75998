import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../src/base/fault.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';
import type { PatchOperation } from '../../../../src/text/patch/operation.ts';
import { parsePatch } from '../../../../src/text/patch/parse.ts';
import { planFile } from '../../../../src/text/patch/plan.ts';
import { patched } from '../patched.ts';

const TWICE = 'start:\n  step();\n  return 0;\n}\n\nother\nstart:\n  step();\n  return 0;\n}\n';
const SECOND_CHANGED = 'start:\n  step();\n  return 0;\n}\n\nother\nstart:\n  stop();\n  return 0;\n}\n';
const HUNK = ['@@ -7,4 +7,4 @@', ' start:', '-  step();', '+  stop();', '   return 0;', ' }'];

/** What a diff of one file makes of its text. */
function applied(text: string, diff: string): string {
  const [operation] = parsePatch(diff).operations;
  if (operation?.kind !== 'update') throw new Error('expected an update');
  const plan = planFile(text, operation.hunks);
  return plan.ok ? applySplices(text, plan.splices) : `refused: ${plan.reason}`;
}

function briefly(operation: PatchOperation): string {
  const { kind, path } = operation;
  const hunks = 'hunks' in operation ? operation.hunks?.map(({ body }) => body.join('|')).join(' & ') : undefined;
  if (kind === 'add') return `add ${path} ${JSON.stringify(operation.content)} ${operation.mode?.toString(8) ?? '-'}`;
  return `${kind} ${path}${kind === 'update' && operation.moveTo !== undefined ? ` to ${operation.moveTo}` : ''}: ${hunks ?? '-'}`;
}

const brief = (...lines: readonly string[]) => parsePatch(lines.join('\n')).operations.map(briefly);

function messageOf(...lines: readonly string[]): string {
  try {
    return brief(...lines).join('; ');
  } catch (error) {
    return (error as Fault).message;
  }
}

describe('a range that is right', () => {
  it.each([
    ['one newline behind the diff', '\n'],
    ['no newline behind the diff', ''],
    ['several newlines behind the diff', '\n\n\n'],
    ['the end of a mail behind the diff', '\n-- \n2.39.2\n\n'],
  ])('is where the change happens, with %s', (_, end) => {
    expect(applied(TWICE, `--- a/f\n+++ b/f\n${HUNK.join('\n')}${end}`)).toBe(SECOND_CHANGED);
  });

  it.each([
    ['counted right', HUNK],
    ['counted wrong', ['@@ -7,3 +7,9 @@', ...HUNK.slice(1)]],
    ['not counted', ['@@ -7 @@', ...HUNK.slice(1)]],
  ])('is where the change happens before *** End Patch, with an empty line behind the hunk, %s', (_, hunk) => {
    expect(patched(TWICE, ...hunk, '')).toBe(SECOND_CHANGED);
  });

  it('distinguishes the empty line after a counted hunk from a context line when the range is wrong', () => {
    const moved = `\n\n${TWICE}`;
    expect(patched(moved, ...HUNK, '')).toBe(`\n\n${SECOND_CHANGED}`);
  });

  it('works in the first line and keeps its byte order mark', () => {
    const hunk = '@@ -1,2 +1,2 @@\n-\uFEFFone\n+\uFEFFuno\n two\n';
    expect(applied('\uFEFFone\ntwo\n', `--- a/f\n+++ b/f\n${hunk}`)).toBe('\uFEFFuno\ntwo\n');
  });

  it('works at the end of a file without a newline', () => {
    const hunk = '@@ -3 +3 @@\n-x\n\\ No newline at end of file\n+y\n';
    expect(applied('x\nq\nx', `--- a/f\n+++ b/f\n${hunk}`)).toBe('x\nq\ny\n');
  });
});

describe('the counts of a hunk', () => {
  const file = ['--- a/f', '+++ b/f'];
  it.each([
    [
      'lines that look like a file header',
      ['@@ -1,2 +1,2 @@', '--- old', '+++ new', ' x'],
      ['update f: --- old|+++ new| x'],
    ],
    [
      'lines that look like a file header, before another file',
      ['@@ -1 +1 @@', '--- old', '+++ new', '--- a/g', '+++ b/g', '@@ -1 +1 @@', '-1', '+2'],
      ['update f: --- old|+++ new', 'update g: -1|+2'],
    ],
    ['an empty context line', ['@@ -1,2 +1,3 @@', '+x', ' y', '', ''], ['update f: +x| y|']],
    ['the end of a mail', ['@@ -1 +1 @@', '-1', '+2', '-- ', '2.39.2', ''], ['update f: -1|+2']],
    [
      'the head of the next file by svn',
      [
        '@@ -1 +1 @@',
        '-1',
        '+2',
        '',
        'Index: g',
        '=====',
        '--- g\t(revision 1)',
        '+++ g\t(working copy)',
        '@@ -1 +1 @@',
        '-3',
        '+4',
      ],
      ['update f: -1|+2', 'update g: -3|+4'],
    ],
  ])('end it: %s', (_, lines, expected) => {
    expect(brief(...file, ...lines)).toEqual(expected);
  });

  it.each([
    [
      'too low',
      ['@@ -1 +1 @@', ' a', '-1', '+2', ' b', '@@ -9,9 +9,9 @@', '-3', '+4'],
      ['update f:  a|-1|+2| b & -3|+4'],
    ],
    [
      'too high',
      ['@@ -1,7 +1,7 @@', '-1', '+2', '--- a/g', '+++ b/g', '@@ -1,5 +1 @@', '-3', '+4', ''],
      ['update f: -1|+2', 'update g: -3|+4'],
    ],
    ['too high before a mail ends', ['@@ -1,7 +1,7 @@', '-1', '+2', '-- ', '2.39.2'], ['update f: -1|+2']],
  ])('are overlooked when they are %s', (_, lines, expected) => {
    expect(brief(...file, ...lines)).toEqual(expected);
  });
});

describe('the git header', () => {
  it.each([
    ['a new empty file', ['diff --git a/n b/n', 'new file mode 100644', 'index 0000000..e69de29'], 'add n "" -'],
    [
      'a new program',
      ['diff --git a/n b/n', 'new file mode 100755', '--- /dev/null', '+++ b/n', '@@ -0,0 +1 @@', '+x'],
      'add n "x\\n" 755',
    ],
    ['a new empty file in a folder b', ['diff --git b/n b/n', 'new file mode 100644'], 'add b/n "" -'],
    [
      'a new file in a folder b',
      ['diff --git b/n b/n', 'new file mode 100644', '--- /dev/null', '+++ b/n', '@@ -0,0 +1 @@', '+x'],
      'add b/n "x\\n" -',
    ],
    ['a name with blanks', ['diff --git a/x y b/x y', 'new file mode 100644'], 'add x y "" -'],
    ['a quoted name', ['diff --git "a/\\303\\244" "b/\\303\\244"', 'new file mode 100644'], 'add ä "" -'],
    [
      'a deleted empty file',
      ['diff --git a/n b/n', 'deleted file mode 100644', 'index e69de29..0000000'],
      'delete n: ',
    ],
    [
      'a deleted file',
      ['diff --git a/n b/n', 'deleted file mode 100644', '--- a/n', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'],
      'delete n: -x',
    ],
    [
      'a renamed file',
      ['diff --git a/n b/m', 'similarity index 100%', 'rename from n', 'rename to m'],
      'update n to m: ',
    ],
    ['a mode', ['diff --git a/n b/n', 'old mode 100644', 'new mode 100755'], 'update n: '],
    ['prefixes of its own', ['diff --git i/n w/n', '--- i/n', '+++ w/n', '@@ -1 +1 @@', '-x', '+y'], 'update n: -x|+y'],
    [
      'two trees',
      ['diff -ru old/s/n new/s/n', '--- old/s/n', '+++ new/s/n', '@@ -1 +1 @@', '-x', '+y'],
      'update s/n: -x|+y',
    ],
  ])('is done: %s', (_, lines, expected) => {
    expect(brief(...lines, 'diff --git a/z b/z', '--- a/z', '+++ b/z', '@@ -1 +1 @@', '-a', '+b', '')).toEqual([
      expected,
      'update z: -a|+b',
    ]);
  });

  it.each([
    [
      'a copy',
      ['diff --git a/f b/g', 'similarity index 100%', 'copy from f', 'copy to g'],
      'line 3 of the patch copies a file',
    ],
    [
      'a link',
      ['diff --git a/f b/f', 'new file mode 120000', '--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+x'],
      'line 2 of the patch is about a symlink or a submodule',
    ],
    [
      'two names',
      ['--- x', '+++ y', '@@ -1 +1 @@', '-x', '+y'],
      'line 1 of the patch names two files, "x" and "y", without a rename',
    ],
    ['nothing', ['diff --git a/f b/f', 'index 1..2'], 'line 1 of the patch names a file without a change'],
    ['a hunk without a file', ['@@ -1 +1 @@', '-x', '+y'], 'line 1 of the patch is a hunk without a file'],
    [
      'a new file with old lines',
      ['--- /dev/null', '+++ b/f', '@@ -1,2 +1 @@', ' x', '-y'],
      'line 3 of the patch has old lines in a new file',
    ],
    ['another dialect', ['*** Update File: q', '@@', '-x', '+y'], 'line 1 of the patch is a header outside a block'],
  ])('is refused: %s', (_, lines, expected) => {
    expect(messageOf(...lines, 'diff --git a/z b/z', '--- a/z', '+++ b/z', '@@ -1 +1 @@', '-a', '+b', '')).toBe(
      expected,
    );
  });

  it('ends where the next file begins, also when its names have blanks', () => {
    const lines = [
      'diff --git a/f b/f',
      'deleted file mode 100644',
      'diff --git a/g h b/i',
      'rename from g h',
      'rename to i',
    ];
    expect(brief(...lines)).toEqual(['delete f: ', 'update g h to i: ']);
  });

  const rename = (from: string, to: string) => [
    `diff --git a/${from} b/${to}`,
    `rename from ${from}`,
    `rename to ${to}`,
  ];

  it('is about the files as they were before all of it', () => {
    const lines = ['diff --git a/a b/a', 'new file mode 100644', ...rename('a', 'b'), ...rename('b', 'c')];
    expect(brief(...lines)).toEqual(['update b to c: ', 'update a to b: ', 'add a "" -']);
  });

  it('is refused for a cycle of renames', () => {
    expect(messageOf(...rename('a', 'b'), ...rename('b', 'a'))).toBe(
      'line 1 of the patch moves "a" in a cycle of renames',
    );
  });

  it('leaves a mode unchanged and warns', () => {
    const lines = [
      'diff --git a/n b/n',
      'old mode 100644',
      'new mode 100755',
      '--- a/n',
      '+++ b/n',
      '@@ -1 +1 @@',
      '-a',
      '+b',
    ];
    expect(parsePatch(lines.join('\n')).warnings).toEqual(['the mode of n is unchanged; a patch changes content only']);
  });
});
