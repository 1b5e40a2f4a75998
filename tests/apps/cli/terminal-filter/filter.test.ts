import { Terminal } from '@xterm/headless';
import { fc } from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { TerminalFilter } from '../../../../src/apps/terminal/filter/filter.ts';
import { runs } from '../../../support/budget.ts';

const ESC = '\u001b';

function filtered(pieces: readonly (string | Uint8Array)[], colour = true): Buffer {
  const filter = new TerminalFilter({ colour });
  // A copy: what `write` gives may be a part of what it was given.
  const parts = pieces.map((piece) =>
    Buffer.from(filter.write(typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
  return Buffer.concat([...parts, filter.end()]);
}

const text = (...pieces: readonly (string | Uint8Array)[]): string => filtered(pieces).toString('latin1');

describe('B17: the terminal filter', () => {
  it.each([
    ['plain text, tabs, line feeds and carriage returns', 'a\tb\r\n50%\r60%\n', 'a\tb\r\n50%\r60%\n'],
    ['colours, and ends them', `${ESC}[1;31mred`, `${ESC}[1;31mred${ESC}[0m`],
    ['256 colours and true colours', `${ESC}[38;5;208;48;2;1;2;3mx${ESC}[0m`, `${ESC}[38;5;208;48;2;1;2;3mx${ESC}[0m`],
    ['colours and underlines with colons', `${ESC}[38:2::1:2:3;4:3mx${ESC}[m`, `${ESC}[38:2::1:2:3;4:3mx${ESC}[0m`],
    ['the styles of a list that are on the list', `${ESC}[8;31;999mx${ESC}[0m`, `${ESC}[31mx${ESC}[0m`],
  ])('passes %s', (_, given, shown) => {
    expect(text(given)).toBe(shown);
  });

  it.each([
    ['a clipboard', `a${ESC}]52;c;aGk=\u0007b`, 'ab'],
    ['a clipboard that ends with ST', `a${ESC}]52;c;aGk=${ESC}\\b`, 'ab'],
    ['a title', `a${ESC}]0;owned\u0007b`, 'ab'],
    ['a title with a character whose bytes hold an 8-bit ST', `a${ESC}]0;✜ x\u0007b`, 'ab'],
    ['a link', `${ESC}]8;;http://x${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['queries', `a${ESC}[6n${ESC}[c${ESC}[>c${ESC}[?6n${ESC}Z${ESC}P$qm${ESC}\\b`, 'ab'],
    ['cursor movement', `a${ESC}[2A${ESC}[1;1H${ESC}7${ESC}8${ESC}M${ESC}Db`, 'ab'],
    ['erasing and modes', `a${ESC}[2J${ESC}[K${ESC}[?1049h${ESC}[?25l${ESC}c${ESC}(0${ESC}=b`, 'ab'],
    ['keyboard modes that end as a style does', `a${ESC}[>4;1m${ESC}[?4m${ESC}[1 mb`, 'ab'],
    ['conceal', `a${ESC}[8mb`, 'ab'],
    ['a malformed colour and what follows it', `a${ESC}[38;5;999;7mb`, 'ab'],
    ['an escape within an escape', `a${ESC}${ESC}]0;x${ESC}[31\u0018b`, 'a\\u0018b'],
    ['the start of a sequence at the end', `a${ESC}[31`, 'a'],
  ])('drops %s', (_, given, shown) => {
    expect(text(given)).toBe(shown);
  });

  it.each([
    [
      'bell, backspace, shifts, form feeds, ENQ and NUL',
      'a\u0007\b\u000e\f\u0005\0b',
      'a\\u0007\\u0008\\u000e\\u000c\\u0005\\u0000b',
    ],
    ['a C1 control as a character', 'a\u009b2Jb', 'a\\u009b2Jb'],
    ['a C1 control as a byte', Buffer.from([0x61, 0x9b, 0x32, 0x4a]), 'a\\u009b2J'],
    ['an overlong C1 control', Buffer.from([0xe0, 0x82, 0x9b]), '\u00e0\\u0082\\u009b'],
    ['a character that turns the direction of text', 'a\u202eb', 'a\\u202eb'],
    ['a string without an end from its line feed on', `a${ESC}]0;x\nb`, 'a\nb'],
  ])('shows %s', (_, given, shown) => {
    expect(text(given)).toBe(shown);
  });

  it('gives a string of any length an end', () => {
    expect(text(`${ESC}]0;`, 'x'.repeat(70_000), 'seen')).toMatch(/^x{1,9999}seen$/u);
  });

  it('takes what follows a control sequence of any length as text', () => {
    expect(text(`a${ESC}[${'1;'.repeat(100)}1mb`)).toMatch(/^a[1;]{1,99}mb$/u);
  });

  it('keeps bytes that are no UTF-8', () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0xc3, 0x62, 0xe9, 0xe8);
    expect(filtered([bytes])).toEqual(Buffer.from(bytes));
  });

  it('drops styles where there is no colour', () => {
    expect(filtered([`${ESC}[31mred${ESC}[0m`], false).toString()).toBe('red');
  });
});

const hostile = fc.constantFrom(
  ESC,
  '[',
  ']',
  '52;c;QQ==',
  '0;t',
  '\u0007',
  '\\',
  'P',
  '_',
  '?1049h',
  '?25l',
  '6n',
  'c',
  '2J',
  '5A',
  '31m',
  ';',
  ':',
  '38;5;1',
  'm',

  '>4;1m',
  '\u009b',
  '\u0090',
  '\u009c',
  '\u000e',
  '(0',
  '7',
  '8',
  'H',
  'é',
  '漢',
  '😀',
  '\n',
  '\r',
  '\t',
  '\b',
  ' ',
  'text',
  '\u0018',
  '\u202e',
);
const pieceOfOutput = fc.oneof(
  { weight: 6, arbitrary: hostile.map((part) => new Uint8Array(Buffer.from(part))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0x9b, 0x9d, 0x90, 0x9c, 0xff, 0xc2, 0xe2, 0xf0).map((byte) => Uint8Array.of(byte)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
);
const programOutput = fc.array(pieceOfOutput, { maxLength: 60 });

/** What a terminal does with these bytes beside showing them. */
async function onTerminal(bytes: Uint8Array) {
  const terminal = new Terminal({ cols: 20, rows: 6, scrollback: 1000, allowProposedApi: true, logLevel: 'off' });
  const events: string[] = [];
  terminal.onData((data) => events.push(`answered ${JSON.stringify(data)}`));
  terminal.onBinary(() => events.push('answered'));
  terminal.onTitleChange((title) => events.push(`title ${title}`));
  terminal.onBell(() => events.push('bell'));
  for (const id of [0, 2, 4, 8, 9, 10, 52, 133, 777, 1337])
    terminal.parser.registerOscHandler(id, () => events.push(`osc ${id}`) > 0);
  const modes = JSON.stringify(terminal.modes);
  await new Promise<void>((done) => terminal.write(bytes, done));
  const { cursorX, cursorY, baseY, type } = terminal.buffer.active;
  const lines = Array.from({ length: terminal.buffer.active.length }, (_, row) =>
    terminal.buffer.active.getLine(row)?.translateToString(true),
  );
  const seen = { events, hasModes: JSON.stringify(terminal.modes) === modes, type };
  terminal.dispose();
  return { ...seen, lines, cursor: { row: baseY + cursorY, col: cursorX } };
}

describe('B17: whatever a program writes, after the filter', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the form of a style
  const STYLE = /\u001b\[[\d;:]*m/gu;

  it('holds no control character but tab, line feed, carriage return and styles', () => {
    fc.assert(
      fc.property(programOutput, (pieces) => {
        const rest = filtered(pieces).toString().replace(STYLE, '');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be there
        expect(rest).not.toMatch(/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/u);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is the same however the output is cut', () => {
    fc.assert(
      fc.property(programOutput, (pieces) => {
        const whole = Buffer.concat(pieces);
        const bytes = [...whole].map((byte) => Uint8Array.of(byte));
        expect(filtered(bytes)).toEqual(filtered([whole]));
        expect(filtered(pieces)).toEqual(filtered([whole]));
      }),
      { numRuns: runs(500) },
    );
  });

  it('only writes on a terminal: no title, no clipboard, no answer, no mode, no cursor but that of its text', async () => {
    await fc.assert(
      fc.asyncProperty(programOutput, async (pieces) => {
        const shown = filtered(pieces);
        const seen = await onTerminal(shown);
        expect(seen).toMatchObject({ events: [], hasModes: true, type: 'normal' });
        const plain = Buffer.from(shown.toString('latin1').replace(STYLE, ''), 'latin1');
        expect(seen).toEqual(await onTerminal(plain));
      }),
      { numRuns: runs(300) },
    );
  });
});
