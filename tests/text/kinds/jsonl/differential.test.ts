import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/parse.ts';
import { stepsOf } from '../../../../src/text/address/steps.ts';
import { parseJsonl } from '../../../../src/text/kinds/jsonl/jsonl.ts';
import {
  findInLines,
  formatInLines,
  matchesOf,
  matchInLines,
  resolveInLines,
} from '../../../../src/text/kinds/jsonl/stream.ts';
import { decodeText } from '../../../../src/text/lines/bytes.ts';
import { matchOf } from '../../../../src/text/walk/match.ts';
import { locate, walk } from '../../../../src/text/walk/walk.ts';
import { formatRow, type RowTemplate } from '../../../../src/text/scan/format.ts';
import { bytesSource } from '../../../../src/text/scan/source.ts';
import { fc, runs } from '../../../support/property.ts';

const PATTERNS = [
  '*/event',
  '*/name',
  '*/n',
  '*/0',
  '*/u',
  '*/"a/b"',
  '*/$"\\u0000"',
  '*',
  '**',
  '**/event',
  '**/*',
  '*/*',
  '*/**',
  '*/u/v',
  '*/u/v/v',
  '*/u/0',
  '*/u/L1',
  '[u.v=2]/u/v',
  '[u.v!=2]',
  '*/{event,name}',
  '*/{event,0,u}',
  '*/{u,n}/{v,L1}',
  '*/{n,n}',
  '[event=tool_call]/{name,u}',
  '[u.v>1]/{u,name}',
  '*/{$last,event}',
  '*/$last',
  '*/#1',
  '[event=tool_call]',
  '[event=tool_call]/name',
  '[event=tool_call]/event',
  '[event=tool_call]/*',
  '[event=tool_call]/u/v',
  '[event=a/b]/name',
  '[event=é]/name',
  '[event=💀]/name',
  '[event!=tool_call]/name',
  '[n=5]/name',
  '[n!=5]/n',
  '[n>=5]/n',
  '[n<5]',
  '[n=true]/n',
  '[n=null]/n',
  '[u.v=tool_call]/name',
  '[u.v>1]',
  '[a.b=x]/name',
  'L1',
  'L2/event',
  'L02/name',
  'L99',
  '$first/event',
  '$last',
  '$last/name',
  '#0/event',
  '#2',
  '{L2,L1,*}/event',
  '{$last,L1}',
  '**/{*,L1}',
  '**/L1/**',
  '+',
  'L1/+',
  '*/u/+x',
];

function steps(pattern: string) {
  return stepsOf(parseOcPath(`oc://f.jsonl/${pattern}`));
}

function expected(bytes: Uint8Array, pattern: string) {
  const document = parseJsonl(decodeText(bytes));
  return Array.from(walk(document, steps(pattern)), (found) => ({
    names: found.names,
    match: matchOf(document, found),
  }));
}

function streamed(bytes: Uint8Array, pattern: string, windowBytes: number) {
  const batches = findInLines(bytesSource(bytes), steps(pattern), { windowBytes });
  return Array.from(batches).flatMap((batch) => [...matchesOf(batch)]);
}

/** A string as JSON writes it, each unit plain or escaped. */
const spelled = (texts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...texts), fc.array(fc.integer({ min: 0, max: 39 }), { minLength: 12, maxLength: 12 }))
    .map(([text, dice]) => {
      let out = '"';
      for (let i = 0; i < text.length; i++) {
        const hex = `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
        const die = dice[i % dice.length]!;
        const plain = JSON.stringify(text[i]).slice(1, -1);
        out +=
          die === 0
            ? hex
            : die === 1
              ? hex.toUpperCase().replace('\\U', '\\u')
              : text[i] === '/' && die === 2
                ? '\\/'
                : plain;
      }
      return `${out}"`;
    });

const blank = fc.constantFrom('', '', '', ' ', '\t', '  ');
const key = spelled(['event', 'name', 'n', 'u', 'v', 'a/b', 'a.b', '\u0000', 'L1', '']);
const text = spelled([
  'tool_call',
  'tool_calls',
  'a/b',
  'é',
  '💀',
  'x',
  '5',
  '5.0',
  'null',
  'true',
  '',
  'a"b',
  'a\\b',
  'line\nend',
  '{"event":"tool_call"}',
]);
const scalar = fc.oneof(
  text,
  fc.constantFrom(
    '5',
    '5.0',
    '-5',
    '0.5e1',
    '1e999',
    '1e-999',
    '12345678901234567890',
    'true',
    'false',
    'null',
    '"\\ud83d"',
    '"\\udc80"',
  ),
  fc.constantFrom('01', '1.', '+1', 'nul', '"\\x"', "'a'", '"\t"', '', 'undefined'),
);
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    scalar,
    fc
      .tuple(blank, fc.array(fc.tuple(key, blank, tie('value')), { maxLength: 3 }), blank)
      .map(([a, entries, b]) => `{${a}${entries.map(([k, gap, v]) => `${k}${gap}:${gap}${v}`).join(`${b},${a}`)}}`),
    fc.tuple(blank, fc.array(tie('value'), { maxLength: 3 })).map(([a, items]) => `[${a}${items.join(`,${a}`)}]`),
  ),
})).value;

const wanted = fc
  .tuple(spelled(['event', 'name', 'n', 'u']), spelled(['tool_call', 'é', '💀', 'a/b', '5']))
  .map(([k, v]) => [k, '', v] as const);
const soundScalar = fc.oneof(
  text,
  fc.constantFrom('5', '5.0', '7', 'true', 'null', '{"v":2}', '{"v":"tool_call"}', '[]', '{}', '[1,[2]]', '{"L1":1}'),
);
const record = fc
  .tuple(
    blank,
    fc.array(fc.oneof(wanted, fc.tuple(key, blank, fc.oneof(soundScalar, soundScalar, soundScalar, value))), {
      maxLength: 5,
    }),
    blank,
  )
  .map(([a, entries, b]) => `${a}{${b}${entries.map(([k, gap, v]) => `${k}${gap}:${gap}${v}`).join(`,${b}`)}${b}}${a}`);
/** Lines that a fast path must leave to the parser. */
const ODD_LINES = [
  '',
  ' ',
  '\t\r',
  '{"event":"tool_call"',
  '{"event":"tool_call","name":1,}',
  '{"event":"tool_call"/*c*/,"name":1}//x',
  '{"event":"tool_call"} {"event":"tool_call"}',
  '\ufeff{"event":"tool_call","name":"bom"}',
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `{"u":${'['.repeat(63)}${']'.repeat(63)},"event":"deep"}`,
  '{"event":"tool_call","name":"' + 'x'.repeat(90) + '"}',
  '{"name":"' + 'y'.repeat(1100) + '","event":"tool_call","n":' + '1'.repeat(250) + '}',
  '{"é":1,"event":"tool_call","name":"späť"}',
  '{"u":{"\\u0076":1,"v":2},"name":"x"}',
  '{"name":"y","u":{"\\u0076":"tool_call"}}',
  '{"u\\u002ev":7,"u":{"v":2},"name":"z"}',
  `{"event":"tool_call","u":${'['.repeat(64)}${']'.repeat(64)}]`,
  '{"é":1,"event":"x","name":"plain"}',
  '{"ev\\u0065nt":"tool\\u005Fcall","event":"other","name":"dup","name":"second"}',
];

const line = fc.oneof(
  { weight: 8, arbitrary: record },
  { weight: 2, arbitrary: value },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...ODD_LINES),
  },
);

/** Bytes of lines with mixed endings, sometimes with an invalid UTF-8 byte. */
const file = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 30 }),
    fc.boolean(),
    fc.boolean(),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0x80, 0xff, 0xc3, 0xed)), { maxLength: 2 }),
  )
  .map(([lines, hasMark, isOpen, damage]) => {
    let all = `${hasMark ? '\ufeff' : ''}${lines.map(([each, end]) => each + end).join('')}`;
    if (isOpen) all = all.replace(/\r?\n$/, '');
    const bytes = new TextEncoder().encode(all);
    for (const [at, byte] of damage) if (bytes.length > 0 && at % 3 === 0) bytes[at % bytes.length] = byte;
    return bytes;
  });

const windowBytes = fc.constantFrom(1, 2, 16, 64, 100, 1000, 4096);

describe('streaming agrees with the document in memory', () => {
  it.each(ODD_LINES)('for the line %s', (odd) => {
    const bytes = new TextEncoder().encode(`{"event":"a"}\n${odd}\n{"event":"b"}`);
    for (const pattern of PATTERNS) expect(streamed(bytes, pattern, 4096)).toEqual(expected(bytes, pattern));
  });

  it('for find', () => {
    fc.assert(
      fc.property(file, fc.constantFrom(...PATTERNS), windowBytes, (bytes, pattern, window) => {
        expect(streamed(bytes, pattern, window)).toEqual(expected(bytes, pattern));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('for rows formatted as text', () => {
    const template: RowTemplate = {
      leaf: [
        '→ L',
        { insert: 'line' },
        ':',
        { insert: 'column' },
        ' "',
        { insert: 'value' },
        '" (',
        { insert: 'type' },
        ')\n',
      ],
      container: ['container L', { insert: 'line' }, ' [', { insert: 'type' }, ']\n'],
    };
    const patterns = PATTERNS.filter((pattern) => /^(?:\*|\[[^\]]*\])\/(?:\w+|\$?".*")$/.test(pattern));
    fc.assert(
      fc.property(file, fc.constantFrom(...patterns), windowBytes, (bytes, pattern, window) => {
        const wanted = expected(bytes, pattern).map(({ match }) => {
          if (match.kind === 'leaf')
            return formatRow(template.leaf, { ...match, value: match.valueText, type: match.leafType });
          if (match.kind === 'node')
            return formatRow(template.container, { ...match, value: '', type: match.descriptor });
          throw new Error(match.kind);
        });
        let written = '';
        let count = 0;
        for (const batch of formatInLines(bytesSource(bytes), steps(pattern), template, { windowBytes: window }) ??
          []) {
          count += batch.count;
          for (const chunk of batch.chunks) written += decodeText(chunk);
        }
        expect({ count, written }).toEqual({ count: wanted.length, written: wanted.join('') });
      }),
      { numRuns: runs(700) },
    );
  });

  it('for resolve', () => {
    const concrete = PATTERNS.filter((pattern) => /^(?:L|\$|#|\+)/.test(pattern));
    fc.assert(
      fc.property(file, fc.constantFrom(...concrete), windowBytes, (bytes, pattern, window) => {
        const document = parseJsonl(decodeText(bytes));
        const found = locate(document, steps(pattern));
        const ours = resolveInLines(bytesSource(bytes), steps(pattern), { windowBytes: window });
        expect(
          ours === undefined
            ? undefined
            : { names: ours.found.names.map(({ slot, text }) => ({ slot, text })), match: matchInLines(ours) },
        ).toEqual(found === undefined ? undefined : { names: found.names, match: matchOf(document, found) });
      }),
      { numRuns: runs(700) },
    );
  });
});
