import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { listPatch, pathVariants } from '../../../src/text/patch/list-patch.ts';
import { parsePatch } from '../../../src/text/patch/parse.ts';
import { faultOf } from '../../support/fault.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

const block = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const CHANGE = ['*** Update File: a.txt', '@@', '-one', '+two'];
const WHOLE = block(...CHANGE);

/** What a patch does, in few words. */
function brief(text: string): readonly string[] {
  return parsePatch(text).operations.map((operation) => {
    if (operation.kind === 'add') return `add ${operation.path} ${JSON.stringify(operation.content)}`;
    if (operation.kind === 'delete') return `delete ${operation.path}`;
    const to = operation.moveTo === undefined ? '' : ` to ${operation.moveTo}`;
    return `update ${operation.path}${to} ${operation.hunks.map(({ body }) => body.join('|')).join(' / ')}`.trimEnd();
  });
}

describe('what surrounds a patch', () => {
  it.each([
    ['nothing', WHOLE],
    ['a here-document', `<<'EOF'\n${WHOLE}\nEOF\n`],
    ['a here-document of another word', `<<"DONE"\n${WHOLE}\nDONE`],
    ['a whole command', `apply_patch <<EOF\n${WHOLE}\nEOF`],
    ['a fence', `\`\`\`diff\n${WHOLE}\n\`\`\`\n`],
    ['blank lines', `\n\n${WHOLE}\n\n`],
    ['a byte order mark', `\uFEFF${WHOLE}`],
    ['CRLF', WHOLE.replaceAll('\n', '\r\n')],
    ['blanks around the markers', `  *** Begin Patch \n${CHANGE.join('\n')}\n\t*** End Patch  `],
    ['indentation of everything', WHOLE.replaceAll(/^/gmu, '    ')],
    ['markers in another case', '*** BEGIN PATCH\n*** update file:a.txt\n@@\n-one\n+two\n*** end patch'],
    ['blank lines between the operations', block('', ...CHANGE.slice(0, 1), '', ...CHANGE.slice(1), '')],
    ['the local environment', block('*** Environment ID: local', ...CHANGE)],
  ])('may be %s', (_, text) => {
    expect({ ...parsePatch(text), operations: brief(text).map((line) => line.replace(/\|$/u, '')) }).toEqual({
      operations: ['update a.txt -one|+two'],
      warnings: [],
    });
  });

  it('is ignored with a warning when it is prose', () => {
    expect(parsePatch(`Here it is:\n\n${WHOLE}\nThat should do.\nTell me.`).warnings).toEqual([
      'line 1 outside *** Begin Patch and *** End Patch was ignored',
      '2 lines, from line 9, outside *** Begin Patch and *** End Patch were ignored',
    ]);
  });

  it.each([
    ['blank lines between', '\n\n'],
    ['nothing between', '\n'],
  ])('may be another block with %s', (_, between) => {
    expect(brief(block('*** Add File: b', '+x') + between + WHOLE)).toEqual(['add b "x\\n"', 'update a.txt -one|+two']);
  });
});

describe('operations', () => {
  it.each([
    ['an addition', ['*** Add File: d/e', '+a', '+', '+b'], 'add d/e "a\\n\\nb\\n"'],
    ['an addition without marks', ['*** Add File: e', 'a', '', '  b', ''], 'add e "a\\n\\n  b\\n"'],
    ['an addition of nothing', ['*** Add File: e'], 'add e ""'],
    ['a blank line without its mark', ['*** Add File: e', '+a', '', '+b', ''], 'add e "a\\n\\nb\\n"'],
    ['a range above an addition', ['*** Add File: e', '@@ -0,0 +1 @@', '+a'], 'add e "a\\n"'],
    [
      'file headers above an addition',
      ['*** Add File: e', '--- /dev/null', '+++ b/e', '@@ -0,0 +1 @@', '+a'],
      'add e "a\\n"',
    ],
    ['the end of an addition', ['*** Add File: e', '+a', '*** End of File'], 'add e "a\\n"'],
    ['an addition without a last newline', ['*** Add File: e', '+a', '\\ No newline at end of file'], 'add e "a"'],
    ['markers inside of an addition', ['*** Add File: e', '+*** End Patch'], 'add e "*** End Patch\\n"'],
    [
      'an indented marker in a plain addition',
      ['*** Add File: e', 'a', '  *** End Patch', 'b'],
      'add e "a\\n  *** End Patch\\nb\\n"',
    ],
    ['a deletion', ['*** Delete File: e'], 'delete e'],
    ['a deletion with the old content', ['*** Delete File: e', '-a', '-b'], 'delete e'],
    ['an update by its other name', ['*** Modify File: e', ' a', '-b'], 'update e  a|-b'],
    ['an update with a move', ['*** Update File: e', '*** Move to: f', '@@', '-b'], 'update e to f -b'],
    ['a move alone', ['*** Update File: e', '*** Move to: f'], 'update e to f'],
    ['a move by an arrow', ['*** Move File: d e -> f'], 'update d e to f'],
    ['a renaming', ['*** Rename File: e->f', '@@', '+a'], 'update e to f +a'],
    ['file headers in an update', ['*** Update File: e', '--- a/e', '+++ b/e', '@@ -1 +1 @@', '-b'], 'update e -b'],
    ['removed dashes without a header behind them', ['*** Update File: e', '--- a', '+++ b'], 'update e --- a|+++ b'],
    ['a marker as context', ['*** Update File: e', ' *** End Patch', '-b'], 'update e  *** End Patch|-b'],
    ['an indented header', ['  *** Delete File: e'], 'delete e'],
  ])('understands %s', (_, lines, expected) => {
    expect(brief(block(...lines))).toEqual([expected]);
  });

  it('reads the text after @@ as range, heading or anchors', () => {
    const text = block(
      '*** Update File: e',
      '@@ -3,9 +4 @@ fn f',
      '-a',
      '@@ class A @@',
      '@@   def m',
      '-b',
      '@@ ... @@',
      '-c',
    );
    const [update] = parsePatch(text).operations;
    expect(
      update?.kind === 'update' ? update.hunks.map(({ line, anchors, range }) => ({ line, anchors, range })) : [],
    ).toEqual([
      { line: 3, anchors: [], range: { start: 3, heading: 'fn f' } },
      { line: 5, anchors: ['class A', '  def m'], range: undefined },
      { line: 8, anchors: [], range: undefined },
    ]);
  });

  it('lists what a patch does to which path, from the same parser', () => {
    const text = block(
      '*** Add File: a',
      '+*** Delete File: z',
      '*** Move File: b -> c',
      '*** Delete File: d',
      ...CHANGE,
    );
    expect(listPatch(text)).toEqual([
      { operation: 'add', path: 'a', line: 2 },
      { operation: 'move', path: 'b', moveTo: 'c', line: 4 },
      { operation: 'delete', path: 'd', line: 5 },
      { operation: 'update', path: 'a.txt', line: 6 },
    ]);
  });

  it.each([
    ['a.txt', ['a.txt']],
    ['"a b.txt"', ['"a b.txt"', 'a b.txt']],
    ['`a`', ['`a`', 'a']],
    ['\'a"', ['\'a"']],
  ])('reads the path %s in all its ways', (path, readings) => {
    expect(pathVariants(path)).toEqual(readings);
  });
});

describe('an invalid patch', () => {
  it.each([
    ['no Begin line', '*** Update File: a\n@@\n-a\n*** End Patch', 'the patch has no *** Begin Patch line'],
    ['no End line', '*** Begin Patch\n*** Update File: a\n@@\n-a\n', 'the patch ends without *** End Patch'],
    [
      'an indented End line that is not the last',
      `${WHOLE.replace('*** End', ' *** End')}\n+x y`,
      'the patch ends without *** End Patch',
    ],
    ['a Begin line in a block', `*** Begin Patch\n${WHOLE}`, 'line 2 of the patch begins a block inside another one'],
    ['a header behind the block', `${WHOLE}\n*** Delete File: a`, 'line 7 of the patch is a header outside a block'],
    [
      'another folder',
      `cd src && apply_patch <<EOF\n${WHOLE}\nEOF`,
      'line 1 of the patch changes the folder before the patch',
    ],
    [
      'an unknown header',
      block(...CHANGE, '*** Copy File: b'),
      'line 6 of the patch is not a header: "*** Copy File: b"',
    ],
    ['text where a header is expected', block('hello'), 'line 2 of the patch is not a header: "hello"'],
    ['a header without a path', block('*** Add File: '), 'line 2 of the patch has no path'],
    ['a move to nowhere', block('*** Move File: a'), 'line 2 of the patch does not name both paths'],
    ['a move with two arrows', block('*** Move File: a -> b -> c'), 'line 2 of the patch does not name both paths'],
    ['an update of nothing', block('*** Update File: a'), 'line 2 of the patch updates "a" without a hunk'],
    ['a hunk of nothing', block('*** Update File: a', '@@ x'), 'line 3 of the patch opens a hunk that has no lines'],
    [
      'lines behind the end of the file',
      block(...CHANGE, '*** End of File', ' x'),
      'line 7 of the patch follows *** End of File',
    ],
    [
      'an addition that mixes marks',
      block('*** Add File: a', '+a', 'b'),
      'line 4 of the patch is in the body of a new file without a +: "b"',
    ],
    [
      'an addition that mixes them late',
      block('*** Add File: a', 'a', '+b'),
      'line 4 of the patch has a + in the body of a new file whose other lines have none',
    ],
    [
      'a deletion with a body of its own',
      block('*** Delete File: a', 'b'),
      'line 3 of the patch follows a deletion: "b"',
    ],
    ['half of a surrogate pair', block('*** Add File: a', '+\uD83D'), 'line 3 of the patch contains a lone surrogate'],
  ])('is refused: %s', (_, text, message) => {
    expect(faultOf(() => parsePatch(text))).toMatchObject({ code: 'PATCH_SYNTAX', message });
  });

  it('is refused when it is for another environment', () => {
    expect(faultOf(() => parsePatch(block('*** Environment ID: box', ...CHANGE)))).toMatchObject({
      code: 'PATCH_ENVIRONMENT',
      message: 'the patch is for the environment "box", which does not exist',
    });
  });

  it('never throws anything but a fault', () => {
    const piece = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      ' *** End Patch',
      '*** Add File: a',
      '*** Update File: a',
      '*** Delete File: a',
      '*** Move File: a -> b',
      '*** Move to: b',
      '*** End of File',
      '@@',
      '@@ x',
      '@@ -1 +1 @@',
      '-a',
      '+a',
      ' a',
      'a',
      '',
      '--- a/a',
      '+++ b/a',
      'diff --git a/a b/a',
      'rename from a',
      'rename to b',
      '\\ No newline at end of file',
      '\r',
      '```',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string({ unit: anyCharacter })), { maxLength: 14 }),
        (lines) => {
          try {
            parsePatch(lines.join('\n'));
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
          }
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('a plain unified diff', () => {
  it('is read when there is no Begin line', () => {
    const text = [
      'diff --git a/a.txt b/a.txt',
      'index 1..2 100644',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,2 +1,2 @@',
      ' x',
      '-one',
      '+two',
      'diff --git a/n b/n',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/n',
      '@@ -0,0 +1 @@',
      '+new',
      '\\ No newline at end of file',
      'diff --git a/o b/o',
      'deleted file mode 100644',
      '--- a/o',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-1',
      'diff --git a/r b/s',
      'similarity index 100%',
      'rename from r',
      'rename to s',
      'diff --git a/t b/u',
      'rename from t',
      'rename to u',
      '--- a/t',
      '+++ b/u',
      '@@ -1 +1 @@',
      '-a',
      '+b',
    ].join('\n');
    expect(brief(text)).toEqual([
      'update a.txt  x|-one|+two',
      'add n "new"',
      'delete o',
      'update r to s',
      'update t to u -a|+b',
    ]);
  });

  it.each([
    ['names without prefixes', '--- x\t2026-01-01\n+++ x\t2026-01-02\n@@ -1 +1 @@\n-a\n+b', ['update x -a|+b']],
    [
      'names that git quotes',
      '--- "a/\\303\\244 \\"x\\""\n+++ "b/\\303\\244 \\"x\\""\n@@ -1 +1 @@\n-a\n+b',
      ['update ä "x" -a|+b'],
    ],
    [
      'removed lines that look like a header',
      '--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- y\n-z\n+w\n',
      ['update x --- y|-z|+w'],
    ],
  ])('may have %s', (_, text, expected) => {
    expect(brief(text)).toEqual(expected);
  });

  it('is refused when it changes a binary file', () => {
    const text = 'diff --git a/x b/x\nBinary files a/x and b/x differ\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n';
    expect(faultOf(() => parsePatch(text))).toMatchObject({
      message: 'line 2 of the patch is a change of a binary file',
    });
  });
});
