/** What the letters and bytes of a file are, how they are found, and that the others stay. */
import { allows, type EscapeCase } from '../case.ts';
import { file } from '../ground.ts';
import { applies, declines, update } from './corner.ts';

const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'));

const found: readonly EscapeCase[] = [
  applies(
    'blanks at the end of a line in the file',
    { 'a.txt': 'foo   \nbar\n' },
    update('a.txt', '@@', ' foo', '-bar', '+BAR'),
    { 'a.txt': 'foo   \nBAR\n' },
  ),
  applies(
    'blanks at the end of a line in the patch',
    { 'a.txt': 'foo\nbar\n' },
    update('a.txt', '@@', ' foo  ', '-bar', '+BAR'),
    { 'a.txt': 'foo\nBAR\n' },
  ),
  applies('another indentation', { 'a.txt': '\tfoo\n\tbar\n' }, update('a.txt', '@@', ' foo', '-\tbar', '+\tBAR'), {
    'a.txt': '\tfoo\n\tBAR\n',
  }),
  applies(
    'curly quotes and long dashes',
    { 'a.txt': 'say “hi” — it’s ok\nz\n' },
    update('a.txt', '@@', ' say "hi" - it\'s ok', '-z', '+Z'),
    { 'a.txt': 'say “hi” — it’s ok\nZ\n' },
  ),
  applies('blanks that do not break', { 'a.txt': 'a\u00a0b\nz\n' }, update('a.txt', '@@', ' a b', '-z', '+Z'), {
    'a.txt': 'a\u00a0b\nZ\n',
  }),
  applies(
    'composed against decomposed letters',
    { 'a.txt': 'cafe\u0301\nz\n' },
    update('a.txt', '@@', ' caf\u00e9', '-z', '+Z'),
    { 'a.txt': 'cafe\u0301\nZ\n' },
  ),
  applies('a zero-width space', { 'a.txt': 'a\u200bb\nz\n' }, update('a.txt', '@@', ' ab', '-z', '+Z'), {
    'a.txt': 'a\u200bb\nZ\n',
  }),
  applies('an ellipsis', { 'a.txt': 'wait…\nz\n' }, update('a.txt', '@@', ' wait...', '-z', '+Z'), {
    'a.txt': 'wait…\nZ\n',
  }),
  applies(
    'a blank line that has blanks in it',
    { 'a.txt': 'a\n  \nb\n' },
    update('a.txt', '@@', ' a', '', '-b', '+B'),
    { 'a.txt': 'a\n  \nB\n' },
  ),
  applies(
    'the exact one of two that differ in blanks',
    { 'a.txt': 'foo \nfoo\n' },
    update('a.txt', '@@', '-foo', '+bar'),
    { 'a.txt': 'foo \nbar\n' },
  ),
  declines('two that both differ in blanks', { 'a.txt': 'foo \nx\nfoo  \n' }, update('a.txt', '@@', '-foo', '+bar')),
  declines('letters that only look alike', { 'a.txt': 'аpple\n' }, update('a.txt', '@@', '-apple', '+pear')),
];

const kept: readonly EscapeCase[] = [
  applies('CRLF', { 'a.txt': 'a\r\nb\r\n' }, update('a.txt', '@@', '-b', '+B', '+C'), { 'a.txt': 'a\r\nB\r\nC\r\n' }),
  applies('CR alone', { 'a.txt': 'a\rb\rc\r' }, update('a.txt', '@@', '-b', '+B'), { 'a.txt': 'a\rB\rc\r' }),
  applies(
    'mixed line ends, the replaced line giving its own',
    { 'a.txt': 'a\r\nb\nc\r\n' },
    update('a.txt', '@@', '-b', '+B'),
    { 'a.txt': 'a\r\nB\nc\r\n' },
  ),
  applies('mixed line ends, the CRLF one replaced', { 'a.txt': 'a\nb\r\nc\n' }, update('a.txt', '@@', '-b', '+B'), {
    'a.txt': 'a\nB\r\nc\n',
  }),
  applies('a file without a final newline', { 'a.txt': 'a\nb' }, update('a.txt', '@@', '-b', '+B'), {
    'a.txt': 'a\nB',
  }),
  applies('a file without a final newline, changed above', { 'a.txt': 'a\nb' }, update('a.txt', '@@', '-a', '+A'), {
    'a.txt': 'A\nb',
  }),
  applies('a byte order mark before the changed line', { 'a.txt': '\ufeffa\nb\n' }, update('a.txt', '@@', '-a', '+A'), {
    'a.txt': '\ufeffA\nb\n',
  }),
  applies(
    'a byte order mark before a line of context',
    { 'a.txt': '\ufeffa\nb\n' },
    update('a.txt', '@@', ' a', '-b', '+B'),
    { 'a.txt': '\ufeffa\nB\n' },
  ),
  applies('bytes that are not UTF-8', { 'a.txt': latin1('caf\u00e9\nx\n') }, update('a.txt', '@@', '-x', '+X'), {
    'a.txt': latin1('caf\u00e9\nX\n'),
  }),
  applies('UTF-16 with its mark', { 'a.txt': utf16('a\nb\n') }, update('a.txt', '@@', '-b', '+B'), {
    'a.txt': utf16('a\nB\n'),
  }),
  applies('blanks at the end of an added line', { 'a.txt': 'a\n' }, update('a.txt', '@@', '-a', '+A  '), {
    'a.txt': 'A  \n',
  }),
  applies('tabs', { 'a.txt': '\ta\t\n' }, update('a.txt', '@@', '-\ta\t', '+\tA\t'), { 'a.txt': '\tA\t\n' }),
  applies('dollar signs', { 'a.txt': 'a\n' }, update('a.txt', '@@', '-a', "+$& $1 $$ $'"), {
    'a.txt': "$& $1 $$ $'\n",
  }),
  applies('old lines that begin with dashes', { 'a.txt': '--x\ny\n' }, update('a.txt', '@@', '---x', '+--z'), {
    'a.txt': '--z\ny\n',
  }),
  applies('context that begins with stars', { 'a.txt': '*** hi\ny\n' }, update('a.txt', '@@', ' *** hi', '-y', '+Y'), {
    'a.txt': '*** hi\nY\n',
  }),
  applies(
    'an end marker as context',
    { 'a.txt': '*** End Patch\ny\n' },
    update('a.txt', '@@', ' *** End Patch', '-y', '+Y'),
    { 'a.txt': '*** End Patch\nY\n' },
  ),
  applies(
    'headers as changed lines',
    { 'a.txt': '*** Add File: q\n' },
    update('a.txt', '@@', '-*** Add File: q', '+*** Add File: r'),
    { 'a.txt': '*** Add File: r\n' },
  ),
  applies(
    'separators that are not line ends, beside the change',
    { 'a.txt': 'a\u2028b\u000bc\ny\n' },
    update('a.txt', '@@', '-y', '+Y'),
    { 'a.txt': 'a\u2028b\u000bc\nY\n' },
  ),
];

const paths: readonly EscapeCase[] = [
  applies('a blank in a path', { 'a b.txt': 'one\n' }, update('a b.txt', '@@', '-one', '+two'), { 'a b.txt': 'two\n' }),
  applies('a quoted path', { 'a.txt': 'one\n' }, update('"a.txt"', '@@', '-one', '+two'), { 'a.txt': 'two\n' }),
  applies('a back-ticked path', { 'a.txt': 'one\n' }, update('`a.txt`', '@@', '-one', '+two'), { 'a.txt': 'two\n' }),
  applies('quotes that are part of a name', { '"a.txt"': 'one\n' }, update('"a.txt"', '@@', '-one', '+two'), {
    '"a.txt"': 'two\n',
  }),
  applies('a reference mark before a path', { 'a.txt': 'one\n' }, update('@a.txt', '@@', '-one', '+two'), {
    'a.txt': 'two\n',
  }),
  declines('a backslash for a slash', { 'x/a.txt': 'one\n' }, update('x\\a.txt', '@@', '-one', '+two')),
  applies('an arrow in a name', { 'a->b.txt': 'one\n' }, update('a->b.txt', '@@', '-one', '+two'), {
    'a->b.txt': 'two\n',
  }),
  allows(
    'the other name of the parameter',
    { tool: 'apply_patch', args: { patch: update('a.txt', '@@', '-one', '+two') } },
    { 'a.txt': 'two\n' },
    file('a.txt', 'one\n'),
  ),
  allows(
    'a dry run, which writes nothing',
    { tool: 'apply_patch', args: { input: update('a.txt', '@@', '-one', '+two'), dryRun: true } },
    {},
    file('a.txt', 'one\n'),
  ),
];

export const BYTES: readonly EscapeCase[] = [...found, ...kept, ...paths];
