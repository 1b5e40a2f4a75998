import { describe, expect, it, test } from 'vitest';
import { KEY_NAMES, KEYS } from '../../../src/hosts/sessions/input/key-table.ts';
import { encodeKeys } from '../../../src/hosts/sessions/input/keys.ts';
import { bracketedPaste } from '../../../src/hosts/sessions/input/session-stdin.ts';
import { faultOf } from '../../support/fault.ts';

const TERMINAL = { applicationCursor: false, enter: '\r' } as const;
const sent = (key: string, modes: Parameters<typeof encodeKeys>[1] = TERMINAL) => {
  const bytes = encodeKeys({ keys: [key] }, modes);
  return { text: Buffer.from(bytes).toString().replaceAll('\u001b', 'ESC') };
};

test.each([
  ['Enter', '\r'],
  ['return', '\r'],
  ['Tab', '\t'],
  ['BTab', 'ESC[Z'],
  ['S-Tab', 'ESC[Z'],
  ['Space', ' '],
  ['C-Space', '\0'],
  ['Escape', 'ESC'],
  ['Esc', 'ESC'],
  ['BSpace', '\u007f'],
  ['Backspace', '\u007f'],
  ['Up', 'ESC[A'],
  ['Down', 'ESC[B'],
  ['Right', 'ESC[C'],
  ['left', 'ESC[D'],
  ['Home', 'ESC[1~'],
  ['End', 'ESC[4~'],
  ['Insert', 'ESC[2~'],
  ['IC', 'ESC[2~'],
  ['Delete', 'ESC[3~'],
  ['DC', 'ESC[3~'],
  ['PageUp', 'ESC[5~'],
  ['PPage', 'ESC[5~'],
  ['NPage', 'ESC[6~'],
  ['PgDn', 'ESC[6~'],
  ['F1', 'ESCOP'],
  ['F4', 'ESCOS'],
  ['F5', 'ESC[15~'],
  ['F6', 'ESC[17~'],
  ['F10', 'ESC[21~'],
  ['F11', 'ESC[23~'],
  ['F12', 'ESC[24~'],
  ['KP/', 'ESCOo'],
  ['KP*', 'ESCOj'],
  ['KP-', 'ESCOm'],
  ['KP+', 'ESCOk'],
  ['KP0', 'ESCOp'],
  ['KP9', 'ESCOy'],
  ['KP.', 'ESCOn'],
  ['KPEnter', 'ESCOM'],
  ['^c', '\u0003'],
  ['^?', '\u007f'],
  ['C-c', '\u0003'],
  ['c-C', '\u0003'],
  ['C-[', 'ESC'],
  ['C-@', '\0'],
  ['M-x', 'ESCx'],
  ['C-M-x', 'ESC\u0018'],
  ['M-C-x', 'ESC\u0018'],
  ['S-a', 'A'],
  ['S-Up', 'ESC[1;2A'],
  ['M-Up', 'ESC[1;3A'],
  ['C-Up', 'ESC[1;5A'],
  ['C-S-M-Left', 'ESC[1;8D'],
  ['C-Delete', 'ESC[3;5~'],
  ['S-F1', 'ESC[1;2P'],
  ['S-F5', 'ESC[15;2~'],
  ['M-Enter', 'ESC\r'],
  ['x', 'x'],
  ['-', '-'],
  ['漢', '漢'],
])('the key %s is sent as %j', (key, expected) => {
  expect(sent(key)).toEqual({ text: expected });
});

describe('keys', () => {
  it('follow the modes that the program has set', () => {
    const modes = { applicationCursor: true, enter: '\r' } as const;
    expect([sent('Up', modes).text, sent('C-Up', modes).text, sent('Home', modes).text]).toEqual([
      'ESCOA',
      'ESC[1;5A',
      'ESC[1~',
    ]);
  });

  it('end a line with a line feed where there is no terminal', () => {
    expect(sent('Enter', { applicationCursor: false, enter: '\n' }).text).toBe('\n');
  });

  it('come after the literal text and the bytes', () => {
    const bytes = encodeKeys({ literal: 'é', hex: ['1b', '0x5B', '7'], keys: ['Enter'] }, TERMINAL);
    expect(Buffer.from(bytes).toString('latin1')).toBe(`${Buffer.from('é').toString('latin1')}\u001b[\u0007\r`);
  });

  it.each(['hello', 'C-nonsense', 'C-1', 'C-', 'Entr', 'F13', ''])('B24: are refused when %j is not a key', (key) => {
    expect(faultOf(() => sent(key))).toMatchObject({
      code: 'PARAM_INVALID',
      message: `process: unknown key ${JSON.stringify(key)}; nothing was sent`,
      hint: expect.stringMatching(/one character or Enter, Tab, .*; send text with literal$/u) as string,
    });
  });

  it.each(['zz', '123', ''])('are refused when %j is not a byte', (token) => {
    expect(faultOf(() => encodeKeys({ hex: [token] }, TERMINAL))).toMatchObject({ code: 'PARAM_INVALID' });
  });

  it('are all named in the hint', () => {
    const shown = KEY_NAMES.flatMap((name) => {
      const range = /^(F|KP)(\d+) to \D+(\d+)$/u.exec(name);
      if (range === null) return [name];
      const [, letters, first, last] = range;
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${letters}${Number(first) + at}`);
    });
    const bytesOf = (name: string) => sent(name).text;
    expect(new Set(shown.map(bytesOf))).toEqual(new Set([...KEYS.keys()].map(bytesOf)));
  });
});

test.each([
  ['line1\nline2\n', 'ESC[200~line1\nline2\nESC[201~'],
  ['a\u001b[201~rm -rf\n', 'ESC[200~arm -rf\nESC[201~'],
  ['\u001b[20\u001b[201~1~x', 'ESC[200~xESC[201~'],
  ['\u009b201~x', 'ESC[200~xESC[201~'],
])('a paste of %j cannot contain its end mark', (text, expected) => {
  expect(bracketedPaste(text).replaceAll('\u001b', 'ESC')).toBe(expected);
});
