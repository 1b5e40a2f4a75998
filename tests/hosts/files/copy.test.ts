import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orderSplices, writeSpliced } from '../../../src/hosts/files/write/copy.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

/** What is written when a content of so many bytes is read, which may turn out to be shorter. */
function written(target: string, content: Buffer, splices: Parameters<typeof orderSplices>[0], size = content.length) {
  const fd = openSync(target, 'w');
  try {
    const source = {
      size,
      read: (offset: number, into: Uint8Array) => content.copy(into, 0, offset, offset + into.length),
    };
    return { size: writeSpliced(fd, source, orderSplices(splices, size)), bytes: readFileSync(target) };
  } finally {
    closeSync(fd);
  }
}

/** Splices one by one, from the last to the first. */
function plainly(content: Buffer, splices: Parameters<typeof orderSplices>[0]): Buffer {
  return splices.reduceRight<Buffer>(
    (bytes, { start, end, bytes: put }) => Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(end)]),
    content,
  );
}

describe('writing content with splices', () => {
  it.each([
    ['small', 200],
    ['longer than one buffer', 300_000],
  ])('equals splicing one by one, however dense the splices of a %s file are', (_, size) => {
    const content = Buffer.from(Array.from({ length: size }, (_each, i) => 97 + (i % 23)));
    const target = join(makeFolder({}), 'out');
    const splice = fc.tuple(fc.tuple(fc.nat(size), fc.nat(size)), fc.uint8Array({ maxLength: 40 }));
    fc.assert(
      fc.property(fc.array(splice, { maxLength: 12 }), (parts) => {
        const offsets = parts.flatMap(([span]) => span).sort((a, b) => a - b);
        const splices = parts.map(([, bytes], i) => ({ start: offsets[2 * i]!, end: offsets[2 * i + 1]!, bytes }));
        const expected = plainly(content, splices);
        const { size: count, bytes } = written(target, content, splices);
        expect([count, bytes.equals(expected)]).toEqual([expected.length, true]);
      }),
    );
  });

  it.each([
    ['few splices', 1],
    ['many splices', 100],
  ])('returns undefined when a source with %s has become shorter', (_, count) => {
    const splices = Array.from({ length: count }, (_each, i) => ({ start: i, end: i, bytes: Buffer.from('x') }));
    const target = join(makeFolder({}), 'out');
    expect(written(target, Buffer.alloc(100_000), splices, 100_001).size).toBeUndefined();
  });
});
