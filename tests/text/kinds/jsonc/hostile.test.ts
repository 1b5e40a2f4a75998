import { type ParseError, parseTree } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { parseOcPath } from '../../../../src/text/address/index.ts';
import { parseJsonc } from '../../../../src/text/kinds/jsonc/jsonc.ts';
import { findOcPaths, resolveOcPath } from '../../../../src/text/path/read.ts';
import { deleteOcPath, setOcPath } from '../../../../src/text/path/set.ts';
import { fc, runs } from '../../../support/property.ts';
import { processorMs } from '../../../support/patience.ts';

function address(path: string) {
  return parseOcPath(`oc://x.json/${path}`);
}

function set(text: string, path: string, value: string): string {
  const outcome = setOcPath(parseJsonc(text), address(path), { text: value });
  return outcome.ok ? outcome.text : outcome.reason;
}

function remove(text: string, path: string): string {
  const outcome = deleteOcPath(parseJsonc(text), address(path));
  return outcome.ok ? outcome.text : outcome.reason;
}

describe('comments that look like something else', () => {
  it.each([
    ['an opening mark in a line comment', '[1, // a /* b\n]', '+', '2', '[1, // a /* b\n  2,\n]'],
    [
      'the same before another comment',
      '[\n  1, // a /* b\n  /* c */ 3\n]',
      '+1',
      '2',
      '[\n  1, // a /* b\n  2,\n  /* c */ 3\n]',
    ],
    ['a comment that a lone CR ends', '[// c\r]', '+', '{}', '[// c\r\n  {}\n]'],
  ])('%s does not disturb an insertion', (_name, text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected);
  });

  it('a lone CR ends the comment of a removed entry, and what follows it stays', () => {
    expect(remove('[\n1,// c\r2,\n3]', '0')).toBe('[\n// c\r2,\n3]');
  });
});

describe('a key with a byte that is not UTF-8', () => {
  const text = '{"\udc80": {}}';

  it('is found by its address', () => {
    const paths = [...findOcPaths(parseJsonc(text), address('*'))].map(({ path }) => path);
    expect(paths).toEqual(['oc://x.json/$"\\udc80"']);
    expect(resolveOcPath(parseJsonc(text), parseOcPath(paths[0]!))).toMatchObject({ kind: 'node' });
  });

  it('is not created twice', () => {
    expect(set(text, '+$"\\udc80"', '1')).toBe('exists');
  });
});

describe('comments in every gap', () => {
  const gap = fc
    .array(
      fc.constantFrom(
        ' ',
        '\n',
        '\r\n',
        '\r',
        '\t',
        '/*c*/',
        '/* a\n b */',
        '// x\n',
        '// y\r',
        '// a /* b\n',
        '/* // */',
      ),
      {
        maxLength: 2,
      },
    )
    .map((parts) => parts.join(''));
  const array = fc
    .tuple(
      fc.array(fc.tuple(gap, fc.constantFrom('1', '"//"', '[2]', '{"k":3}'), gap), { maxLength: 4 }),
      gap,
      fc.boolean(),
    )
    .map(([items, last, trailing]) => {
      const inside = items.map((parts) => parts.join('')).join(',');
      return `[${inside}${trailing && items.length > 0 ? ',' : ''}${last}]`;
    });

  function count(text: string): number {
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    expect({ text, errors }).toEqual({ text, errors: [] });
    return tree?.children?.length ?? -1;
  }

  it('an insertion adds one element, also for another parser', () => {
    fc.assert(
      fc.property(array, fc.constantFrom('+', '+0', '+1'), (text, where) => {
        expect(count(set(text, where, '7'))).toBe(count(text) + 1);
      }),
      { numRuns: runs(300) },
    );
  });

  it('a removal removes one element, also for another parser', () => {
    fc.assert(
      fc.property(array, fc.nat(3), (text, index) => {
        const before = count(text);
        fc.pre(index < before);
        expect(count(remove(text, String(index)))).toBe(before - 1);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a long document', () => {
  const numbers = Array.from({ length: 50_000 }, (_, i) => i);
  const oneLine = `[${numbers.join(',')}]`;
  const manyKeys = `{${numbers.map((i) => `"key${i}":${i}`).join(',\n')}}`;

  it.each<[string, () => unknown]>([
    ['set in one line', () => set(oneLine, '0', '7').length],
    ['insert in one line', () => set(oneLine, '+', '7').length],
    ['find in one line', () => [...findOcPaths(parseJsonc(oneLine), address('*'))].length],
    ['find in many lines', () => [...findOcPaths(parseJsonc(manyKeys), address('*'))].length],
    ['search for a missing key', () => resolveOcPath(parseJsonc(manyKeys), address('none')) ?? 1],
  ])('%s takes linear time', (_name, work) => {
    const start = processorMs();
    expect(work()).toBeGreaterThan(0);
    expect(processorMs() - start).toBeLessThan(20_000); // a busy machine needs a tenth of it
  });
});
