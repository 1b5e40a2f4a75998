import { posix, win32 } from 'node:path';
import { expect, it } from 'vitest';
import { isBelow, isInside, partBelow } from '../../src/base/inside.ts';
import { fc } from '../support/property.ts';

it.each([
  ['/a/b', '/a', true, true],
  ['/a', '/a', true, false],
  ['/ab', '/a', false, false],
  ['/', '/a', false, false],
  ['/a', '/', true, true],
  ['/', '/', true, false],
  ['/a/b', '/a/', true, true],
  ['/a/', '/a', true, true],
  ['/a', '/a/', true, true],
  ['a/b', 'a', true, true],
  ['..a', 'a', false, false],
  ['/a\\b', '/a', false, false],
])('%s in %s: inside %s, below %s', (path, folder, inside, below) => {
  expect([isInside(path, folder), isBelow(path, folder)]).toEqual([inside, below]);
});

const names = fc.array(fc.constantFrom('a', 'ab', '..a', 'b '), { maxLength: 4 });

it.each([
  ['posix', posix, '/'],
  ['win32', win32, 'C:\\'],
])('agrees with relative() of %s on normalised absolute paths', (_, path, root) => {
  fc.assert(
    fc.property(names, names, (one, other) => {
      const [inner, folder] = [path.resolve(root, ...one), path.resolve(root, ...other)];
      const way = path.relative(folder, inner);
      const outside = way.split(path.sep)[0] === '..';
      expect(isInside(inner, folder, path.sep)).toBe(!outside);
      expect(isBelow(inner, folder, path.sep)).toBe(!outside && way !== '');
      expect(partBelow(inner, folder, path.sep)).toBe(outside || way === '' ? undefined : way);
    }),
  );
});
