import { expect, test } from 'vitest';
import { TextLog } from '../../../../../src/page/screens/sessions/live/text-log.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (log: TextLog): string =>
  log.blocks.value.map((block) => (block.gap === undefined ? block.text : `[${block.gap.bytes}]`)).join('');

test('text grows in its last block, and full blocks stay as they are', () => {
  const log = new TextLog();
  log.add(bytes('one\r\n'), 'out');
  const [first] = log.blocks.value;
  log.add(bytes('two\n'), 'out');
  expect(log.blocks.value.map(({ id }) => id)).toEqual([first!.id]);
  log.add(bytes(`${'x'.repeat(100)}\n`.repeat(300)), 'out');
  const before = log.blocks.value;
  log.add(bytes('end'), 'out');
  expect(before.length).toBeGreaterThan(3);
  expect(log.blocks.value.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  expect(textOf(log)).toMatch(/^one\ntwo\nx+\n[^]*end$/u);
});

test('a character may arrive in two pieces, also with the other stream between', () => {
  const log = new TextLog();
  const [first, ...rest] = bytes('ä');
  log.add(Uint8Array.of(first!), 'out');
  log.add(bytes('!'), 'err');
  log.add(Uint8Array.from(rest), 'out');
  expect(textOf(log)).toBe('!ä');
});

test('only the end stays, and the size of the rest is said', () => {
  const log = new TextLog();
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 200; i++) log.add(bytes(line.repeat(100)), 'out');
  log.add(bytes('the end'), 'out');
  const [first] = log.blocks.value;
  const shown = log.blocks.value.reduce((sum, block) => sum + (block.text?.length ?? 0), 0);
  expect(shown).toBeLessThanOrEqual(256 * 1024);
  expect(first).toMatchObject({ gap: { why: 'skipped', bytes: 200 * 100 * 100 + 7 - shown } });
  expect(textOf(log)).toMatch(/the end$/u);
});

test('gaps that leave the view keep their reasons', () => {
  const log = new TextLog();
  log.add(bytes('start\n'), 'out');
  log.gap({ why: 'dropped', bytes: 1000 });
  for (let i = 0; i < 40; i++) log.add(bytes(`${'x'.repeat(7999)}\n`), 'out');
  const shown = log.blocks.value.reduce((sum, block) => sum + (block.text?.length ?? 0), 0);
  expect(log.blocks.value.slice(0, 2).map(({ gap }) => gap)).toEqual([
    { why: 'skipped', bytes: 6 + 40 * 8000 - shown },
    { why: 'dropped', bytes: 1000 },
  ]);
});

test('a gap stands where the output is missing', () => {
  const log = new TextLog();
  log.add(bytes('a'), 'out');
  log.gap({ why: 'dropped', bytes: 12 });
  log.add(bytes('b'), 'out');
  expect(textOf(log)).toBe('a[12]b');
});

test('hidden characters count for more than others, because each is an element', () => {
  const log = new TextLog();
  for (let i = 0; i < 40; i++) log.add(bytes('\u0001\u0002'.repeat(4 * 1024)), 'out');
  const shown = log.blocks.value.reduce((sum, block) => sum + (block.text?.length ?? 0), 0);
  expect(shown).toBeLessThanOrEqual(8 * 1024);
  expect(log.blocks.value[0]).toMatchObject({ gap: { why: 'skipped', bytes: 40 * 8 * 1024 - shown } });
});
