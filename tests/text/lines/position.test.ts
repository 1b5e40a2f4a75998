import { describe, expect, it } from 'vitest';
import { linesOf, PositionFinder, positionAt } from '../../../src/text/lines/position.ts';
import { fc } from '../../support/property.ts';

const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', 'é', '😀'), maxLength: 40 });

describe('positions', () => {
  it('are the same from the finder as counted one by one', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 12 }), (content, offsets) => {
        const finder = new PositionFinder(content);
        for (const offset of offsets.map((each) => Math.min(each, content.length)))
          expect(finder.at(offset)).toEqual(positionAt(content, offset));
      }),
    );
  });

  it('count lines and columns from 1, in UTF-16 units', () => {
    expect(positionAt('a\r\n😀b', 5)).toEqual({ line: 2, column: 3 });
    expect(positionAt('', 0)).toEqual({ line: 1, column: 1 });
  });

  it('have lines that join to the text', () => {
    fc.assert(
      fc.property(text, (content) => {
        expect(linesOf(content).join('')).toBe(content);
      }),
    );
  });
});
