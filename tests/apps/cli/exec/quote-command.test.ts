import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoteCommand } from '../../../../src/apps/cli/exec/quote-command.ts';
import { fc, runs } from '../../../support/property.ts';

describe('words as a command', () => {
  it.each([
    [['ls', '-l', 'a.txt'], 'ls -l a.txt'],
    [['echo', 'a b', "it's", ''], "echo 'a b' 'it'\\''s' ''"],
    [['env', 'A=1', 'x'], 'env A=1 x'],
    [['A=1', 'x'], "'A=1' x"],
    [['time', 'ls'], "'time' ls"],
    [['echo', 'time', '~', '$HOME', '*'], "echo time '~' '$HOME' '*'"],
    [['[', '1', ']'], "'[' 1 ']'"],
  ])('%j', (words, text) => {
    expect(quoteCommand(words)).toBe(text);
  });

  it('are read by a shell as the same words', () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom(...`ab'"\\$\`*?[]{}()<>|&;!#~=-\t\n `) });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const text = quoteCommand(['printf', '%s\\0', '', ...words]);
        const read = execFileSync('/bin/sh', ['-c', text], { encoding: 'utf8' });
        expect(read.split('\0').slice(1, -1)).toEqual(words);
      }),
      { numRuns: runs(60) },
    );
  });
});
