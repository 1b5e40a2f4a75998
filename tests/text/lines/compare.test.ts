import { expect, it } from 'vitest';
import { changedLines, lineSplices } from '../../../src/text/lines/compare.ts';
import { applySplices } from '../../../src/text/lines/splice.ts';
import { fc } from '../../support/property.ts';

const text = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '😀'), { maxLength: 12 }).map((parts) => parts.join(''));

it.each([
  ['line by line', lineSplices],
  ['as one run of lines', changedLines],
])('the splices %s make one text of the other', (_how, splicesOf) => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applySplices(before, splicesOf(before, after))).toBe(after);
    }),
  );
});

it('equal lines at both ends stay unchanged', () => {
  expect(changedLines('a\nb\nc\nd\n', 'a\nx\ny\nd\n')).toEqual([{ start: 2, end: 6, text: 'x\ny\n' }]);
});
