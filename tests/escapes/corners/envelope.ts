/** What may stand around the operations, and how they are headed. */
import type { EscapeCase } from '../case.ts';
import { saying } from '../case.ts';
import { applies, body, declines, update } from './corner.ts';

const a = { 'a.txt': 'one\n' };
const two = { 'a.txt': 'two\n' };
const plain = update('a.txt', '@@', '-one', '+two');
const indented = (text: string, by: string): string => text.replace(/^(?=.)/gmu, by);

export const ENVELOPE: readonly EscapeCase[] = [
  applies('a plain update', a, plain, two),
  declines('a patch without its end, which was cut off', a, plain.replace('*** End Patch\n', '')),
  declines('a patch cut off in the middle of a line', a, '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+tw'),
  declines('a patch without its beginning', a, plain.replace('*** Begin Patch\n', '')),
  declines('prose instead of a patch', a, 'Please change one to two in a.txt.'),
  declines('nothing but blanks', a, ' \n\t\n'),
  declines('an empty patch', a, body()),
  applies('a here-document with the usual word', a, `<<'EOF'\n${plain}EOF\n`, two),
  applies('a here-document with another word', a, `<<"PATCH"\n${plain}PATCH\n`, two),
  applies('a here-document without quotes', a, `<<END\n${plain}END`, two),
  applies('a whole command with a here-document', a, `apply_patch <<'X'\n${plain}X\n`, two),
  applies('a code fence', a, `\`\`\`diff\n${plain}\`\`\`\n`, two),
  applies('a code fence without a language', a, `\`\`\`\n${plain}\`\`\``, two),
  applies('prose before and after', a, `Here it is:\n\n${plain}\nDone.`, two),
  applies('blank lines around', a, `\n\n${plain}\n\n`, two),
  applies('blanks after the markers', a, plain.replaceAll(' Patch\n', ' Patch  \n'), two),
  applies('two blocks', a, `${body('*** Add File: b.txt', '+x')}\n${plain}`, { ...two, 'b.txt': 'x\n' }),
  applies('two blocks without a blank line', a, body('*** Add File: b.txt', '+x') + plain, { ...two, 'b.txt': 'x\n' }),
  applies(
    'three blocks in order on one file',
    a,
    plain + update('a.txt', '@@', '-two', '+three') + update('a.txt', '@@', '-three', '+four'),
    { 'a.txt': 'four\n' },
  ),
  declines('two blocks of which the second fails', a, plain + update('a.txt', '@@', '-none', '+x')),
  applies('CRLF in the patch', a, plain.replaceAll('\n', '\r\n'), two),
  applies(
    'blank lines between operations',
    a,
    body('*** Add File: b.txt', '+x', '', '*** Update File: a.txt', '@@', '-one', '+two', ''),
    { ...two, 'b.txt': 'x\n' },
  ),
  applies('a header in other letters', a, plain.replace('Update File', 'UPDATE FILE'), two),
  applies('a header without a blank after its colon', a, plain.replace('File: ', 'File:'), two),
  applies(
    'markers in other letters',
    a,
    plain.replace('Begin Patch', 'begin patch').replace('End Patch', 'END PATCH'),
    two,
  ),
  applies('blanks after a path', a, plain.replace('a.txt', 'a.txt   '), two),
  applies('a padded header', a, plain.replace('*** Update', '  *** Update'), two),
  applies('a patch that is indented as a whole', a, indented(plain, '    '), two),
  applies('a patch that is indented by a tab', a, indented(plain, '\t'), two),
  declines(
    'an unknown environment',
    a,
    body('*** Environment ID: env_123', '*** Update File: a.txt', '@@', '-one', '+two'),
  ),
  declines(
    'an operation that does not exist',
    a,
    body('*** Update File: a.txt', '@@', '-one', '+two', '*** Copy File: a.txt'),
  ),
  declines('a header without a path', a, body('*** Delete File:')),
  applies('the word of the seed for an update', a, plain.replace('Update', 'Modify'), two),
  saying(
    'Success. Updated the following files:\nA b.txt\nM a.txt\nD c.txt',
    applies(
      'the summary in its order',
      { ...a, 'c.txt': 'x\n' },
      body('*** Delete File: c.txt', '*** Update File: a.txt', '@@', '-one', '+two', '*** Add File: b.txt', '+x'),
      { ...two, 'b.txt': 'x\n', 'c.txt': null },
    ),
  ),
];
