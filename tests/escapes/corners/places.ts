/** Where a change goes: context, ranges, order, ambiguity, the end of the file. */
import type { EscapeCase } from '../case.ts';
import { applies, declines, update } from './corner.ts';

const twins = 'fn a() {\nx\n}\nfn b() {\nx\n}\n';
const lines = 'l1\nl2\nl3\n';
const tenX = 'x\n1\nx\n2\nx\n3\nx\n4\nx\n5\n';

export const PLACES: readonly EscapeCase[] = [
  applies('a first change without a place mark', { 'a.txt': 'a\nb\n' }, update('a.txt', '-a', '+A'), {
    'a.txt': 'A\nb\n',
  }),
  applies('two changes', { 'a.txt': 'a\nb\nc\nd\n' }, update('a.txt', '@@', '-a', '+A', '@@', '-d', '+D'), {
    'a.txt': 'A\nb\nc\nD\n',
  }),
  applies('a place named by a line', { 'a.txt': twins }, update('a.txt', '@@ fn b() {', '-x', '+y'), {
    'a.txt': 'fn a() {\nx\n}\nfn b() {\ny\n}\n',
  }),
  applies(
    'a place named by a line, with marks on both sides',
    { 'a.txt': twins },
    update('a.txt', '@@ fn b() { @@', '-x', '+y'),
    { 'a.txt': 'fn a() {\nx\n}\nfn b() {\ny\n}\n' },
  ),
  applies(
    'places inside places',
    { 'a.txt': 'class A\n  run\n    x\nclass B\n  run\n    x\n' },
    update('a.txt', '@@ class B', '@@   run', '-    x', '+    y'),
    { 'a.txt': 'class A\n  run\n    x\nclass B\n  run\n    y\n' },
  ),
  applies(
    'a place that is repeated as the first line of context',
    { 'a.txt': twins },
    update('a.txt', '@@ fn b() {', ' fn b() {', '-x', '+y'),
    { 'a.txt': 'fn a() {\nx\n}\nfn b() {\ny\n}\n' },
  ),
  applies(
    'a place that is the beginning of a line',
    { 'a.txt': 'fn a() {\nx\n}\nfn bar(int q) {\nx\n}\n' },
    update('a.txt', '@@ fn bar', '-x', '+y'),
    { 'a.txt': 'fn a() {\nx\n}\nfn bar(int q) {\ny\n}\n' },
  ),
  declines('a place that is not there', { 'a.txt': twins }, update('a.txt', '@@ fn zzz() {', '-x', '+y')),
  declines(
    'a place that two lines could be',
    { 'a.txt': 'if (q) {\nx\n}\nif (q) {\nx\n}\n' },
    update('a.txt', '@@ if (q) {', '-x', '+y'),
  ),
  declines('old lines that stand twice', { 'a.txt': 'x\ny\nx\n' }, update('a.txt', '@@', '-x', '+Z')),
  declines(
    'a block that stands twice',
    { 'a.txt': 'a\nb\nc\na\nb\nc\n' },
    update('a.txt', '@@', ' a', '-b', '+B', ' c'),
  ),
  applies(
    'a line that occurs twice, once after the change before it',
    { 'a.txt': 'x\ny\nx\n' },
    update('a.txt', '@@', '-y', '+Y', '@@', '-x', '+Z'),
    { 'a.txt': 'x\nY\nZ\n' },
  ),
  applies(
    'changes in another order than the file has',
    { 'a.txt': 'a\nb\nc\nd\n' },
    update('a.txt', '@@', '-d', '+D', '@@', '-a', '+A'),
    { 'a.txt': 'A\nb\nc\nD\n' },
  ),
  declines(
    'changes that overlap',
    { 'a.txt': 'a\nb\nc\n' },
    update('a.txt', '@@', '-a', '-b', '+AB', '@@', '-b', '-c', '+BC'),
  ),
  declines(
    'the same change twice where it fits once',
    { 'a.txt': 'a\nb\n' },
    update('a.txt', '@@', '-a', '+A', '@@', '-a', '+A'),
  ),
  applies(
    'a range that decides between equal lines',
    { 'a.txt': tenX },
    update('a.txt', '@@ -5,1 +5,1 @@', '-x', '+Z'),
    { 'a.txt': 'x\n1\nx\n2\nZ\n3\nx\n4\nx\n5\n' },
  ),
  applies(
    'ranges that drift by what came before',
    { 'a.txt': tenX },
    update('a.txt', '@@ -1,2 +1,4 @@', ' x', '+n', '+n', ' 1', '@@ -7,1 +9,1 @@', '-x', '+Z'),
    { 'a.txt': 'x\nn\nn\n1\nx\n2\nx\n3\nZ\n4\nx\n5\n' },
  ),
  applies(
    'a range with wrong numbers and only one place',
    { 'a.txt': lines },
    update('a.txt', '@@ -90,7 +90,9 @@', '-l2', '+L2'),
    { 'a.txt': 'l1\nL2\nl3\n' },
  ),
  applies('a range with a heading', { 'a.txt': lines }, update('a.txt', '@@ -2,1 +2,1 @@ function l()', '-l2', '+L2'), {
    'a.txt': 'l1\nL2\nl3\n',
  }),
  applies(
    'context lines without their blank',
    { 'a.txt': 'alpha\nbeta\ngamma\n' },
    update('a.txt', '@@', 'alpha', '-beta', '+BETA', 'gamma'),
    { 'a.txt': 'alpha\nBETA\ngamma\n' },
  ),
  applies(
    'the seed: a range and context without its blank',
    { 'a.js': 'function hello() {\n console.log("Hi");\n}\n' },
    update(
      'a.js',
      '@@ -1,3 +1,4 @@',
      'function hello() {',
      '- console.log("Hi");',
      '+ console.log("Hello, World!");',
      '}',
    ),
    { 'a.js': 'function hello() {\n console.log("Hello, World!");\n}\n' },
  ),
  applies('an addition at the end', { 'a.txt': lines }, update('a.txt', '@@', '+l4'), { 'a.txt': `${lines}l4\n` }),
  applies('an addition after a place', { 'a.txt': lines }, update('a.txt', '@@ l1', '+new'), {
    'a.txt': 'l1\nnew\nl2\nl3\n',
  }),
  applies('an addition after a range', { 'a.txt': lines }, update('a.txt', '@@ -2,0 +3,1 @@', '+new'), {
    'a.txt': 'l1\nl2\nnew\nl3\n',
  }),
  applies('an addition before the first line', { 'a.txt': lines }, update('a.txt', '@@', '+l0', ' l1'), {
    'a.txt': `l0\n${lines}`,
  }),
  applies('an addition to an empty file', { 'a.txt': '' }, update('a.txt', '@@', '+l1'), { 'a.txt': 'l1\n' }),
  applies(
    'the last of equal lines, at the end of the file',
    { 'a.txt': 'x\ny\nx\n' },
    update('a.txt', '@@', '-x', '+Z', '*** End of File'),
    { 'a.txt': 'x\ny\nZ\n' },
  ),
  applies('an addition at the end of the file', { 'a.txt': 'x\ny\n' }, update('a.txt', '@@', '+z', '*** End of File'), {
    'a.txt': 'x\ny\nz\n',
  }),
  declines(
    'the end of the file where it is not',
    { 'a.txt': 'x\ny\nz\n' },
    update('a.txt', '@@', '-y', '+Y', '*** End of File'),
  ),
  applies('a blank line before the end of the patch', { 'a.txt': 'a\nb\nc\n' }, update('a.txt', '@@', '-b', '+B', ''), {
    'a.txt': 'a\nB\nc\n',
  }),
  applies('an empty line as context', { 'a.txt': 'a\n\nb\n' }, update('a.txt', '@@', ' a', '', '-b', '+B'), {
    'a.txt': 'a\n\nB\n',
  }),
  applies('the whole content taken away', { 'a.txt': 'a\nb\n' }, update('a.txt', '@@', '-a', '-b'), { 'a.txt': '' }),
  declines('an update without a change in it', { 'a.txt': 'a\n' }, update('a.txt')),
  declines('a place mark with nothing after it', { 'a.txt': 'a\n' }, update('a.txt', '@@')),
  declines('old lines that are not there', { 'a.txt': 'a\nb\n' }, update('a.txt', '@@', '-zzz', '+y')),
  declines('an update of a file that is not there', {}, update('gone.txt', '@@', '-a', '+b')),
  declines('an update of a folder', { 'x/y': '1\n' }, update('x', '@@', '-1', '+2')),
  applies('a change that changes nothing', { 'a.txt': 'a\n' }, update('a.txt', '@@', '-a', '+a'), {}),
  applies('context and nothing else', { 'a.txt': 'a\nb\n' }, update('a.txt', '@@', ' a', ' b'), {}),
  applies(
    'the file lines of git in a section',
    { 'a.txt': 'one\n' },
    update('a.txt', '--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-one', '+two'),
    { 'a.txt': 'two\n' },
  ),
  applies('a unified diff alone', { 'a.txt': 'one\n' }, '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n', {
    'a.txt': 'two\n',
  }),
];
