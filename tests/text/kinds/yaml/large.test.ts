import { describe, expect, it } from 'vitest';
import { insert, remove, set } from './edits.ts';

const steps = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `  - id: s${from + n} # step\n    env:\n      LEVEL: info\n`).join('');
const before = `name: big\nsteps:\n${steps(0, 2000)}`;
const after = `${steps(2001, 4000)}tail: [a, b]\n`;
const text = `${before}  - id: here # step\n    env:\n      LEVEL: info\n${after}`;
/** The same for the full reader, where an anchored key has a row after all others. */
const anchored = (part: string) => part.replace('name: big', '&n name: big').replace('tail: [a, b]', 'tail: *n');

describe.each([
  ['by the scanner', (part: string) => part],
  ['by the full reader', anchored],
])('a text of 200 KB read %s', (_reader, form) => {
  const changed = (middle: string) => form(before + middle + after);

  it.each([
    [
      'writes a leaf',
      set(form(text), ['steps', '2000', 'id'], 'there'),
      '  - id: there # step\n    env:\n      LEVEL: info\n',
    ],
    [
      'writes lines',
      set(form(text), ['steps', '2000', 'env', 'LEVEL'], 'p\nq'),
      '  - id: here # step\n    env:\n      LEVEL: |-\n        p\n        q\n',
    ],
    [
      'writes JSON',
      set(form(text), ['steps', '2000', 'env'], { json: [1, 'x'] }),
      '  - id: here # step\n    env:\n      - 1\n      - x\n',
    ],
    [
      'inserts',
      insert(form(text), ['steps', '2000', 'env'], 'NEW', '1'),
      '  - id: here # step\n    env:\n      LEVEL: info\n      NEW: 1\n',
    ],
    ['removes an item', remove(form(text), ['steps', '2000']), ''],
    ['removes an entry', remove(form(text), ['steps', '2000', 'id']), '  - env:\n      LEVEL: info\n'],
    [
      'leaves an empty map',
      remove(form(text), ['steps', '2000', 'env', 'LEVEL']),
      '  - id: here # step\n    env: {}\n',
    ],
  ])('%s', (_what, result, middle) => {
    expect(result === changed(middle)).toBe(true);
  });
});
