import { describe, expect, it } from 'vitest';
import { paintedScreen } from '../../../../src/apps/cli/attach/screen.ts';

describe('a screen painted anew', () => {
  it('has every row in its place and the cursor in its own', () => {
    expect(paintedScreen({ lines: ['ab', '', 'c'], cursor: { row: 2, col: 1 }, alternate: false })).toBe(
      '\u001b[H\u001b[2J\u001b[1;1Hab\u001b[2;1H\u001b[3;1Hc\u001b[3;2H',
    );
  });

  it('is the alternate one for a full-screen program, and shows what a row would have a terminal do', () => {
    expect(paintedScreen({ lines: ['\u001b[31m'], cursor: { row: 0, col: 0 }, alternate: true })).toBe(
      '\u001b[?1049h\u001b[H\u001b[2J\u001b[1;1H\\u001b[31m\u001b[1;1H',
    );
  });
});
