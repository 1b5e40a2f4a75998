import { expect, it } from 'vitest';
import { renderMatch } from '../../../../src/apps/cli/path/render-text.ts';
import { paint } from '../../../../src/apps/terminal/paint.ts';

it('shows control characters of a match, whoever sent it', () => {
  const hostile = '\u001b]0;x\u0007';
  const shown = [
    { kind: 'node', line: 1, descriptor: hostile },
    { kind: 'insertion-point', line: 1, container: hostile },
  ].map((match) => renderMatch(match as never, paint(false)));
  expect(shown).toEqual([
    String.raw`node @ L1 [\u001b]0;x\u0007]`,
    String.raw`insertion-point @ L1 [\u001b]0;x\u0007]`,
  ]);
});
