import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wayOutOf } from '../../../../src/hosts/process/programs/ways-out.ts';
import { makeFolder } from '../../../support/folder.ts';

describe('the names in a folder', () => {
  const cases = [
    ['plain names', () => undefined, [undefined, undefined, undefined]],
    [
      'a link within the workspace',
      (at: string) => symlinkSync('a.txt', join(at, 'b.txt')),
      [undefined, undefined, undefined],
    ],
    [
      'a link out of the workspace',
      (at: string) => symlinkSync('/etc', join(at, 'sub', 'etc')),
      ['leads out', 'leads out', 'leads out'],
    ],
    [
      'a name with a blank',
      (at: string) => mkdirSync(join(at, 'x ')),
      [undefined, undefined, 'be split into several names'],
    ],
    [
      'a name with a quote',
      (at: string) => writeFileSync(join(at, "it's"), ''),
      [undefined, undefined, 'be split into several names'],
    ],
    [
      'a name with a dash first',
      (at: string) => mkdirSync(join(at, 'sub', '-f')),
      [undefined, 'would be an option', 'would be an option'],
    ],
  ] as const;

  it.each(cases)('%s: read through links, as whole arguments, split', (_, prepare, expected) => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'a.txt'), '');
    prepare(folder);
    const found = [undefined, 'whole', 'split'].map((use) =>
      wayOutOf(folder, folder, use as 'whole' | 'split' | undefined),
    );
    expect(found).toEqual(expected.map((part) => (part === undefined ? undefined : expect.stringContaining(part))));
  });
});
