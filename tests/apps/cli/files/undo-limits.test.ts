import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { callTool, pincer } from '../../../support/pincer.ts';

const TOO_LARGE = 65 << 20;
const SENTENCE = 'this change cannot be undone: it has more than 64 MB';

function withLargeFile(name: string): string {
  const folder = makeFolder({ 'ws/x': '' });
  writeFileSync(join(folder, 'ws', name), Buffer.alloc(TOO_LARGE, 'line\n'));
  return folder;
}

it('B11: a tool says that a change is too large to be undone', () => {
  const folder = withLargeFile('big.txt');
  const { text, details } = callTool(folder, 'write', { path: 'big.txt', content: 'small' });
  expect([text.includes(`[Note: ${SENTENCE}]`), details['warnings']]).toEqual([true, [SENTENCE]]);
  expect(pincer(folder, ['undo']).status).toBe(1);
});

it('B11: a deletion that is too large to be undone is announced', () => {
  const folder = withLargeFile('big.txt');
  const { details } = callTool(folder, 'apply_patch', {
    input: '*** Begin Patch\n*** Delete File: big.txt\n*** End Patch',
  });
  expect([details['warnings'], existsSync(join(folder, 'ws/big.txt'))]).toEqual([[SENTENCE], false]);
});

it('B11: the command line says so before it writes', () => {
  const folder = makeFolder({ 'ws/x': '' });
  const big = join(folder, 'ws/big.jsonl');
  writeFileSync(big, `${JSON.stringify({ pad: 'x'.repeat(TOO_LARGE) })}\n{"a":1}\n`);
  const { ino } = statSync(big);
  const { status, stderr } = pincer(folder, ['path', 'set', '--human', 'oc://big.jsonl/L1/pad', 'short']);
  expect([status, stderr, statSync(big).ino === ino]).toEqual([0, `pincer: ${SENTENCE}\n`, false]);
});

it('B11: undo removes the folders that a change had made, and redo makes them again', () => {
  const folder = makeFolder({ 'ws/kept/x': '' });
  const names = () => readdirSync(join(folder, 'ws'), { recursive: true }).map(String).sort();
  callTool(folder, 'write', { path: 'kept/new/deep/a.txt', content: 'a' });
  const made = names();
  pincer(folder, ['undo']);
  expect(names()).toEqual(['kept', 'kept/x']);
  pincer(folder, ['redo']);
  expect(names()).toEqual(made);
  writeFileSync(join(folder, 'ws/kept/new/mine.txt'), 'mine');
  pincer(folder, ['undo']);
  expect(names()).toEqual(['kept', 'kept/new', 'kept/new/mine.txt', 'kept/x']);
});
