/** Operations on whole files: add, delete, move, and several on one path. */
import { allows, type EscapeCase, saying } from '../case.ts';
import { file, link } from '../ground.ts';
import { applies, body, declines } from './corner.ts';

const a = { 'a.txt': 'one\n' };
const old = { 'e.txt': 'old\n' };

const added: readonly EscapeCase[] = [
  applies('a file in new folders', {}, body('*** Add File: x/y/e.txt', '+1', '+2'), { 'x/y/e.txt': '1\n2\n' }),
  applies('an empty file', {}, body('*** Add File: e.txt'), { 'e.txt': '' }),
  applies('a file of one empty line', {}, body('*** Add File: e.txt', '+'), { 'e.txt': '\n' }),
  applies('a body without a plus', {}, body('*** Add File: e.js', 'let a = 1;', '  a++;', '', 'done();'), {
    'e.js': 'let a = 1;\n  a++;\n\ndone();\n',
  }),
  declines('a body of which some lines have a plus', {}, body('*** Add File: e.txt', '+a', 'b', '+c')),
  declines('a body whose first line lacks its plus', {}, body('*** Add File: e.txt', 'a', '+b')),
  applies('a blank line inside a body', {}, body('*** Add File: e.txt', '+a', '', '+b'), { 'e.txt': 'a\n\nb\n' }),
  applies(
    'a blank line at the end of a body, which is dropped',
    {},
    body('*** Add File: e.txt', '+a', '', '*** Add File: f.txt', '+b'),
    { 'e.txt': 'a\n', 'f.txt': 'b\n' },
  ),
  applies('an empty line with its plus at the end', {}, body('*** Add File: e.txt', '+a', '+'), { 'e.txt': 'a\n\n' }),
  applies('a range before a body', {}, body('*** Add File: e.txt', '@@ -0,0 +1,1 @@', '+a'), { 'e.txt': 'a\n' }),
  applies('a bare place mark before a body', {}, body('*** Add File: e.txt', '@@', '+a'), { 'e.txt': 'a\n' }),
  applies('the mark of the end of file after a body', {}, body('*** Add File: e.txt', '+a', '*** End of File'), {
    'e.txt': 'a\n',
  }),
  applies('a body without a final newline', {}, body('*** Add File: e.txt', '+a', '\\ No newline at end of file'), {
    'e.txt': 'a',
  }),
  applies('pluses and minuses as content', {}, body('*** Add File: e.txt', '++a', '+-b', '+ c', '+@@'), {
    'e.txt': '+a\n-b\n c\n@@\n',
  }),
  applies('markers as content', {}, body('*** Add File: e.txt', '+*** Begin Patch', '+*** End Patch'), {
    'e.txt': '*** Begin Patch\n*** End Patch\n',
  }),
  applies('letters of other scripts', {}, body('*** Add File: 文件.txt', '+naïve 漢字 🦀'), {
    '文件.txt': 'naïve 漢字 🦀\n',
  }),
  applies('separators that are not line ends', {}, body('*** Add File: e.txt', '+a\u2028b\u000bc\u0085d'), {
    'e.txt': 'a\u2028b\u000bc\u0085d\n',
  }),
  declines('an addition over a file', old, body('*** Add File: e.txt', '+new')),
  declines('an addition over a folder', { 'e/x': 'old\n' }, body('*** Add File: e', '+new')),
  declines('an addition below a file', old, body('*** Add File: e.txt/f', '+new')),
  declines(
    'an addition below a file that the same patch adds',
    {},
    body('*** Add File: e', '+1', '*** Add File: e/f', '+2'),
  ),
  declines('two additions of one file', {}, body('*** Add File: e.txt', '+1', '*** Add File: e.txt', '+2')),
  declines(
    'two additions of one file in two spellings',
    {},
    body('*** Add File: e.txt', '+1', '*** Add File: ./d/../e.txt', '+2'),
  ),
  allows(
    'an addition over a file, as requested',
    { tool: 'apply_patch', args: { input: body('*** Add File: e.txt', '+new'), overwrite: true } },
    { 'e.txt': 'new\n' },
    file('e.txt', 'old\n'),
  ),
];

const deleted: readonly EscapeCase[] = [
  applies('a deletion', old, body('*** Delete File: e.txt'), { 'e.txt': null }),
  applies('a deletion that shows what it deletes', old, body('*** Delete File: e.txt', '-old'), { 'e.txt': null }),
  declines('a deletion of what is not there', {}, body('*** Delete File: e.txt')),
  declines('a deletion of one file twice', old, body('*** Delete File: e.txt', '*** Delete File: e.txt')),
  declines('a deletion of a full folder', { 'x/e.txt': 'old\n' }, body('*** Delete File: x')),
  saying(
    'M e.txt',
    applies(
      'a deletion and an addition, which is a replacement',
      old,
      body('*** Delete File: e.txt', '*** Add File: e.txt', '+new'),
      { 'e.txt': 'new\n' },
    ),
  ),
  declines(
    'an update of what was deleted before',
    a,
    body('*** Delete File: a.txt', '*** Update File: a.txt', '@@', '-one', '+two'),
  ),
];

const moved: readonly EscapeCase[] = [
  applies('a move without a change', a, body('*** Update File: a.txt', '*** Move to: b.txt'), {
    'a.txt': null,
    'b.txt': 'one\n',
  }),
  applies('a move with a change', a, body('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+two'), {
    'a.txt': null,
    'b.txt': 'two\n',
  }),
  applies('a move with context only', a, body('*** Update File: a.txt', '*** Move to: b.txt', '@@', ' one'), {
    'a.txt': null,
    'b.txt': 'one\n',
  }),
  applies('a move with an arrow', a, body('*** Move File: a.txt -> x/b.txt'), { 'a.txt': null, 'x/b.txt': 'one\n' }),
  applies('a renaming with an arrow', a, body('*** Rename File: a.txt -> b.txt'), { 'a.txt': null, 'b.txt': 'one\n' }),
  saying(
    'M b.txt',
    applies('a move, told by its new name', a, body('*** Move File: a.txt -> b.txt'), {
      'a.txt': null,
      'b.txt': 'one\n',
    }),
  ),
  declines(
    'a move onto a file',
    { ...a, ...old },
    body('*** Update File: a.txt', '*** Move to: e.txt', '@@', '-one', '+two'),
  ),
  declines('a move with an arrow onto a file', { ...a, ...old }, body('*** Move File: a.txt -> e.txt')),
  declines('a move of what is not there', {}, body('*** Move File: a.txt -> b.txt')),
  declines('a move onto a folder', { ...a, 'x/y': '1\n' }, body('*** Move File: a.txt -> x')),
  declines('a move without a target', a, body('*** Move File: a.txt')),
  applies(
    'a move to itself with a change',
    a,
    body('*** Update File: a.txt', '*** Move to: a.txt', '@@', '-one', '+two'),
    { 'a.txt': 'two\n' },
  ),
  applies(
    'a move to itself in another spelling',
    a,
    body('*** Update File: a.txt', '*** Move to: ./d/../a.txt', '@@', '-one', '+two'),
    { 'a.txt': 'two\n' },
  ),
  allows(
    'a move to itself through a linked folder',
    {
      tool: 'apply_patch',
      args: { input: body('*** Update File: d/f.txt', '*** Move to: e/f.txt', '@@', '-INSIDE', '+X') },
    },
    { 'd/f.txt': 'X\n' },
    link('e', 'd'),
  ),
  allows(
    'a move with execute permission',
    { tool: 'apply_patch', args: { input: body('*** Move File: run.sh -> bin/run.sh') } },
    { 'run.sh': null, 'bin/run.sh': { content: 'one\n', mode: 0o755 } },
    file('run.sh', 'one\n', 0o755),
  ),
  allows(
    'a move and a change with execute permission',
    {
      tool: 'apply_patch',
      args: { input: body('*** Update File: run.sh', '*** Move to: bin/run.sh', '@@', '-one', '+two') },
    },
    { 'run.sh': null, 'bin/run.sh': { content: 'two\n', mode: 0o755 } },
    file('run.sh', 'one\n', 0o755),
  ),
  allows(
    'a change with execute permission',
    { tool: 'apply_patch', args: { input: body('*** Update File: run.sh', '@@', '-one', '+two') } },
    { 'run.sh': { content: 'two\n', mode: 0o750 } },
    file('run.sh', 'one\n', 0o750),
  ),
  applies(
    'two files that change names through a third',
    { 'a.txt': 'A\n', 'b.txt': 'B\n' },
    body('*** Move File: a.txt -> t.txt', '*** Move File: b.txt -> a.txt', '*** Move File: t.txt -> b.txt'),
    { 'a.txt': 'B\n', 'b.txt': 'A\n' },
  ),
];

const together: readonly EscapeCase[] = [
  applies(
    'an addition and then an update of it',
    {},
    body('*** Add File: e.txt', '+1', '*** Update File: e.txt', '@@', '-1', '+2'),
    { 'e.txt': '2\n' },
  ),
  applies(
    'an addition and then a deletion of it',
    {},
    body('*** Add File: e.txt', '+1', '*** Add File: f.txt', '+2', '*** Delete File: e.txt'),
    { 'f.txt': '2\n' },
  ),
  applies(
    'two updates of one file',
    { 'a.txt': 'a\nb\n' },
    body('*** Update File: a.txt', '@@', '-a', '+A', '*** Update File: ./a.txt', '@@', '-b', '+B'),
    { 'a.txt': 'A\nB\n' },
  ),
  applies(
    'a move and then an update under the new name',
    a,
    body('*** Move File: a.txt -> b.txt', '*** Update File: b.txt', '@@', '-one', '+two'),
    { 'a.txt': null, 'b.txt': 'two\n' },
  ),
  declines(
    'a later update that does not fit',
    a,
    body('*** Add File: created.txt', '+x', '*** Update File: a.txt', '@@', '-none', '+x'),
  ),
  declines(
    'a missing later file',
    a,
    body('*** Update File: a.txt', '@@', '-one', '+two', '*** Update File: gone.txt', '@@', '-x', '+y'),
  ),
  declines(
    'a later deletion of a missing file',
    a,
    body('*** Update File: a.txt', '@@', '-one', '+two', '*** Delete File: gone.txt'),
  ),
  declines(
    'a move before an operation that fails',
    a,
    body('*** Move File: a.txt -> b.txt', '*** Delete File: gone.txt'),
  ),
  declines(
    'a line that cannot be read after one that can',
    a,
    body('*** Update File: a.txt', '@@', '-one', '+two', '*** Frobnicate: b'),
  ),
];

export const WHOLE_FILES: readonly EscapeCase[] = [...added, ...deleted, ...moved, ...together];
