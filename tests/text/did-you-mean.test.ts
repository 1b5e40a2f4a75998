import { expect, it } from 'vitest';
import { didYouMean, nearestName } from '../../src/text/nearest-names.ts';

const FLAGS = ['--workspace', '--workdir', '--old', '--old-file', '--new', '--json'];

it.each([
  ['--workspce', '--workspace'],
  ['--wrokdir', '--workdir'],
  ['--JSON', '--json'],
  ['--odl', '--old'],
  ['--worksp', '--workspace'],
  ['--work', undefined],
  ['--frobnicate', undefined],
  ['-x', undefined],
  ['--', undefined],
])('%s is near %s', (typed, name) => {
  expect(nearestName(typed, FLAGS)).toBe(name);
});

it('there is no suggestion where no name is similar', () => {
  expect([didYouMean('--jsom', FLAGS), didYouMean('--frob', FLAGS), didYouMean('--json', FLAGS)]).toEqual([
    '; did you mean --json',
    '',
    '',
  ]);
});
