import { expect, it } from 'vitest';
import { fsPath, isUtf8Path, nameFromBytes } from '../../../src/hosts/obeyed/path-bytes.ts';
import { anyCharacter, fc, runs } from '../../support/property.ts';

it('preserves the bytes of every path', () => {
  const name = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const path = fsPath(names.map(nameFromBytes).join('/'));
      const bytes = Buffer.concat(names.flatMap((each, i) => (i === 0 ? [each] : [Buffer.from('/'), each])));
      expect(Buffer.from(path as string).equals(bytes)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

it.each([
  ['caf\u00e9 \u{1f600}', true],
  ['\ufffd', true],
  ['s\udcffc', false],
])('knows that %j is UTF-8: %j', (path, isUtf8) => {
  expect(isUtf8Path(path)).toBe(isUtf8);
});
