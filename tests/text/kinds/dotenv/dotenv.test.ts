import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/index.ts';
import { kindOfFile } from '../../../../src/text/kinds/extension.ts';
import type { NewValue } from '../../../../src/text/kind.ts';
import { positionAt } from '../../../../src/text/lines/position.ts';
import { parseDocument } from '../../../../src/text/path/document.ts';
import { findOcPaths, resolveOcPath } from '../../../../src/text/path/read.ts';
import { deleteOcPath, setOcPath } from '../../../../src/text/path/set.ts';
import {
  matchesResolveBack,
  ownValueChangesNothing,
  removalLeavesTheRest,
  writtenTextReadsBack,
} from '../../../contracts/kind-laws.ts';
import { runs } from '../../../support/budget.ts';
import { fc } from '../../../support/property.ts';

const values = (text: string) =>
  Array.from(findOcPaths(parseDocument(text, 'dotenv'), parseOcPath('oc://x.env/*')), ({ path, match }) => [
    path.slice('oc://x.env/'.length),
    match.kind === 'leaf' ? match.valueText : match.kind,
  ]);

function set(text: string, at: string, value: NewValue | string, create = false): string {
  const outcome = setOcPath(parseDocument(text, 'dotenv'), parseOcPath(`oc://x.env/${at}`), value, { create });
  return outcome.ok ? outcome.text : `${outcome.reason}: ${outcome.detail}`;
}

function remove(text: string, at: string): string {
  const outcome = deleteOcPath(parseDocument(text, 'dotenv'), parseOcPath(`oc://x.env/${at}`));
  return outcome.ok ? outcome.text : `${outcome.reason}: ${outcome.detail}`;
}

describe('an environment file', () => {
  it.each([
    ['.env', 'dotenv'],
    ['a/.ENV', 'dotenv'],
    ['.env.local', 'dotenv'],
    ['prod.env', 'dotenv'],
    ['.env.yaml', 'yaml'],
    ['.env.json', 'jsonc'],
    ['.environment', 'none'],
    ['env', 'none'],
  ])('is recognized by its name: %s is %s', (name, kind) => expect(kindOfFile(name)).toBe(kind));

  it.each([
    [
      'plain values',
      'A=1\nB=two words\n',
      [
        ['A', '1'],
        ['B', 'two words'],
      ],
    ],
    ['blanks around', '  A = b  \n', [['A', 'b']]],
    [
      'export',
      'export A=1\nexport\tB=2\nexport=3\n',
      [
        ['A', '1'],
        ['B', '2'],
        ['export', '3'],
      ],
    ],
    [
      'comments',
      '# A=1\nA=b # c\nB=b#c\nC="d" # e\n  # f\n',
      [
        ['A', 'b'],
        ['B', 'b#c'],
        ['C', 'd'],
      ],
    ],
    [
      'no value',
      'A=\nB= # c\nC=""\nD=#x\nE=   \nF=',
      [
        ['A', ''],
        ['B', ''],
        ['C', ''],
        ['D', '#x'],
        ['E', ''],
        ['F', ''],
      ],
    ],
    ['double quotes', String.raw`A="x\n\t\"\\\$y\q"`, [['A', 'x\n\t"\\$y\\q']]],
    ['single quotes', String.raw`A='x\n"$y'`, [['A', String.raw`x\n"$y`]]],
    ['backquotes', "A=`it's`", [['A', "it's"]]],
    [
      'several lines',
      'A="x\ny"\nB=\'p\nq\'\nC=1',
      [
        ['A', 'x\ny'],
        ['B', 'p\nq'],
        ['C', '1'],
      ],
    ],
    [
      'Windows endings',
      'A="x\r\ny"\r\nB=1\r\n',
      [
        ['A', 'x\ny'],
        ['B', '1'],
      ],
    ],
    ['a byte order mark', '\uFEFFA=1\n', [['A', '1']]],
    ['a dot and a dash in a key', 'a.b-c=1', [['"a.b-c"', '1']]],
    ['nothing', '', []],
    [
      'the same key again',
      'A=1\nB=2\nA=3\n',
      [
        ['#0', '1'],
        ['B', '2'],
        ['#2', '3'],
      ],
    ],
  ])('is read: %s', (_, text, expected) => expect(values(text)).toEqual(expected));

  it.each([
    ['A=1\nnot a line\n', 2, 1, 'this line is neither KEY=value nor a comment'],
    ['A: b\n', 1, 1, 'this line is neither KEY=value nor a comment'],
    ['1A=b\n', 1, 1, 'this line is neither KEY=value nor a comment'],
    ['A=1\nB="x\ny\n', 2, 3, 'the quote is not closed'],
    ['A="x" y\n', 1, 6, 'unexpected text after the closing quote; quote the whole value'],
    ["A='x\\'\n", 1, 5, 'loaders disagree about a backslash before this closing quote'],
  ])('is refused with its line: %j', (text, line, column, message) => {
    const [problem] = parseDocument(text, 'dotenv').problems;
    expect({ ...positionAt(text, problem!.offset), message: problem!.message }).toEqual({ line, column, message });
    expect(set(text, 'A', '2')).toBe(
      `parse-error: line ${line}, column ${column}: ${message}; correct the file by hand first`,
    );
  });

  it('uses the last of several lines with the same key, as loaders do', () => {
    const text = 'A=1\nB=2\nA=3\n';
    expect(resolveOcPath(parseDocument(text, 'dotenv'), parseOcPath('oc://x.env/A'))).toMatchObject({
      valueText: '3',
      line: 3,
    });
    expect(set(text, 'A', '4')).toBe('A=1\nB=2\nA=4\n');
    expect(set(text, '#0', '4')).toBe('A=4\nB=2\nA=3\n');
    expect(remove(text, '#0')).toBe('B=2\nA=3\n');
    expect(remove(text, 'A')).toMatch(/^not-writable: A is set more than once/u);
  });
});

describe('setting a variable', () => {
  it.each([
    ['plain stays plain', 'A=1 # c\nB=2\n', 'A', 'x', 'A=x # c\nB=2\n'],
    ['double stays double', 'A="1" # c', 'A', 'x y', 'A="x y" # c'],
    ['single stays single', "export A='1'", 'A', 'x"$y', `export A='x"$y'`],
    ['backquotes stay', 'A=`1`', 'A', `'"`, 'A=`\'"`'],
    ['plain is quoted where it must be', 'A=1', 'A', 'x y', 'A="x y"'],
    ['a sign of comment is quoted', 'A=1', 'A', 'x#y', 'A="x#y"'],
    ['a quote is never escaped where it need not be', 'A="1"', 'A', 'x"y', `A='x"y'`],
    ['a backslash goes into single quotes', 'A=1', 'A', 'x\\y', "A='x\\y'"],
    ['what needs escapes gets them', "A='1'", 'A', `'"\\`, String.raw`A="'\"\\"`],
    ['a newline is escaped', 'A=1', 'A', 'x\ny', String.raw`A="x\ny"`],
    ['several lines stay several lines', 'A="x\r\ny"\r\nB=1\r\n', 'A', 'p\nq\nr', 'A="p\r\nq\r\nr"\r\nB=1\r\n'],
    ['an empty value is filled', 'A= # c\n', 'A', 'x', 'A=x # c\n'],
    ['a value is emptied', 'A=1 # c\n', 'A', '', 'A= # c\n'],
    ['a byte order mark stays', '\uFEFFA=1\n', 'A', '2', '\uFEFFA=2\n'],
    ['numbers and truth values as JSON', 'A=x', 'A', { json: true }, 'A=true'],
    ['a new variable', 'A=1\n', '+B', 'x y', 'A=1\nB="x y"\n'],
    ['a new variable behind an unfinished line', 'A=1', '+B', '2', 'A=1\nB=2'],
    ['a new variable with Windows endings', 'A=1\r\n', '+B', '2', 'A=1\r\nB=2\r\n'],
    ['a new variable where all are exported', 'export A=1\n', '+B', '2', 'export A=1\nexport B=2\n'],
    ['a new variable in an empty file', '', '+B', '"2"', `B='"2"'\n`],
  ] as const)('%s', (_, text, at, value, expected) => expect(set(text, at, value)).toBe(expected));

  it('creates a missing variable with --create, with the unchanged text', () => {
    expect(set('', 'B', '"2"', true)).toBe(`B='"2"'\n`);
  });

  it.each([
    ['A=1', '+A', 'x', 'exists'],
    ['A=1', 'B', 'x', 'unresolved'],
    ['A=1', '+', 'x', 'type-mismatch'],
    ['A=1', '+B/c', 'x', 'type-mismatch'],
    ['A=1', '+"b c"', 'x', 'parse-error'],
    ['A=1', 'A', { json: null }, 'type-mismatch'],
    ['A=1', 'A', 'x\0y', 'parse-error'],
  ] as const)('%j %s %j is refused: %s', (text, at, value, reason) =>
    expect(set(text, at, value)).toMatch(new RegExp(`^${reason}:`, 'u')),
  );

  it.each([
    ['A=1\nB=2 # c\nC=3\n', 'B', 'A=1\nC=3\n'],
    ['A=1\nB="x\ny"\n', 'B', 'A=1\n'],
    ['A=1\r\nB=2', 'B', 'A=1'],
    ['\uFEFFA=1\n', 'A', '\uFEFF'],
    ['A=1', 'A', ''],
  ])('deleting removes the line: %j %s', (text, at, expected) => expect(remove(text, at)).toBe(expected));
});

describe('the laws', () => {
  const blank = fc.constantFrom('', ' ', '\t');
  const inner = fc.string({
    unit: fc.constantFrom('a', 'Z', '0', ' ', '$', '#', '=', '.', 'é', '\u{1F600}'),
    maxLength: 6,
  });
  const value = fc.oneof(
    inner.map((text) => text.trim().replace(/\s#.*/u, '')),
    inner.map((text) => `"${text}"`),
    inner.map((text) => `'${text}'`),
    inner.map((text) => `"${text}\\n\\"\n${text}"`),
    inner.map((text) => `\`${text}\``),
  );
  const entry = fc
    .tuple(
      blank,
      fc.constantFrom('', 'export '),
      fc.constantFrom('A', 'B', 'C_1', 'd.e-f'),
      blank,
      value,
      fc.constantFrom('', ' ', ' # c'),
    )
    .map(([before, exported, key, gap, text, after]) => `${before}${exported}${key}${gap}=${gap}${text}${after}`);
  const file = fc
    .tuple(
      fc.constantFrom('', '\uFEFF'),
      fc.array(fc.oneof(entry, fc.constantFrom('', '# x=1', '  ')), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
    )
    .map(([mark, lines, eol, ended]) => mark + lines.join(eol) + (ended ? eol : ''));
  const anything = fc.string({
    unit: fc.constantFrom('a', 'B', '"', "'", '`', '\\', '#', ' ', '$', '\n', '\r', '=', '\t', 'é'),
    maxLength: 12,
  });

  it('hold for generated files and any new value', () => {
    fc.assert(
      fc.property(file, anything, (text, next) => {
        matchesResolveBack(text, 'dotenv');
        ownValueChangesNothing(text, 'dotenv');
        writtenTextReadsBack(text, 'dotenv', next);
        removalLeavesTheRest(text, 'dotenv');
      }),
      { numRuns: runs(500) },
    );
  });

  it('never throw for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('A', '=', '"', "'", '`', '\\', '#', ' ', '\n', '\r', 'export '),
          maxLength: 30,
        }),
        (text) => {
          const document = parseDocument(text, 'dotenv');
          expect(document.text).toBe(text);
          if (document.problems.length === 0) matchesResolveBack(text, 'dotenv');
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});
