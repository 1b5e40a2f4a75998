import { describe, expect, it } from 'vitest';
import { visible, visibleLine, visibleStyled } from '../../../src/apps/terminal/visible.ts';
import { anyCharacter, fc } from '../../support/property.ts';

it.each([
  ['an escape sequence', '\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['a control of one character', 'a\u009b31mb', 'a\\u009b31mb'],
  ['a lone return', 'good\rbad', 'good\\u000dbad'],
  ['a mark of direction', 'a\u202eb', 'a\\u202eb'],
  ['a filler that fonts leave out', 'a\u3164b', 'a\\u3164b'],
  ['a tag', 'a\u{e0041}', 'a\\udb40\\udc41'],
])('%s is shown instead of obeyed', (_what, text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('lines, tabs and letters of all scripts stay', () => {
  const text = '## Café\r\n\t- 😀 漢\u3000字 نمی\u200cخواهم 👩\u200d💻\n';
  expect(visible(text)).toBe(text);
});

it('a name with a line feed stays on its line', () => {
  expect(visibleLine('a\nFS_OK: fine\r\n')).toBe('a\\u000aFS_OK: fine\\u000d\\u000a');
});

it('JSON stays the same JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(JSON.parse(visibleLine(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
    }),
  );
});

describe('visibleStyled', () => {
  it.each([
    ['plain', 'plain\n\ttext', 'plain\n\ttext'],
    ['our styles', '\u001b[31mred\u001b[39m', '\u001b[31mred\u001b[39m'],
    ['a style that hides text', '\u001b[8mx', '\\u001b[8mx'],
    ['a style that hides text beside another', '\u001b[1;8mx', '\u001b[1mx'],
    ['a title', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
    ['a carriage return', 'a\rb\r\nc', 'a\\u000db\r\nc'],
    ['a mode that looks like a style', '\u001b[>4mx', '\\u001b[>4mx'],
  ])('%s', (_, text, shown) => {
    expect(visibleStyled(text)).toBe(shown);
  });
});
