import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoriesIn } from '../../../src/hosts/obeyed/git-index.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

const LONG = `vendor/${'long'.repeat(50)}`;

/** The index of a repository with another one at `vendor/inner`; the other names are around it. */
function indexOf(version: string, format: string): Buffer {
  const folder = makeFolder(Object.fromEntries(['a', 'vendor-a', LONG, 'vendor/z', 'zz'].map((name) => [name, ''])));
  const object = '1'.repeat(format === 'sha256' ? 64 : 40);
  const script = `git init -q --object-format=${format} . && git add . && git update-index --add --cacheinfo 160000,${object},vendor/inner && git update-index --index-version ${version}`;
  execFileSync('sh', ['-c', script], {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'pipe',
  });
  return readFileSync(join(folder, '.git/index'));
}

describe('the index of a repository', () => {
  it.each([
    ['of version 2', '2', 'sha1', 20],
    ['of version 4, in which names share their beginnings', '4', 'sha1', 20],
    ['with longer names of objects', '2', 'sha256', 32],
    ['of version 4 with longer names of objects', '4', 'sha256', 32],
  ] as const)('says where other repositories are: one %s', (_, version, format, hashBytes) => {
    const index = indexOf(version, format);
    expect(repositoriesIn(index, hashBytes)).toEqual(['vendor/inner']);
    expect(repositoriesIn(index.subarray(0, 200), hashBytes)).not.toEqual(['vendor/inner']);
  });

  it('is read without end nor error, whatever is in it', () => {
    const head = Buffer.from('DIRC');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(20, 32), (bytes, hashBytes) => {
        const found = repositoriesIn(Buffer.concat([head, bytes]), hashBytes);
        expect(found === undefined || Array.isArray(found)).toBe(true);
      }),
    );
  });

  it.each([
    ['something else', Buffer.from('something else')],
    ['an unknown version', Buffer.from([...Buffer.from('DIRC'), 0, 0, 0, 9, 0, 0, 0, 0])],
    [
      'more entries than bytes',
      Buffer.concat([
        Buffer.from('DIRC'),
        Buffer.from([0, 0, 0, 2, 0, 0, 0, 9]),
        Buffer.alloc(90, '\0\0\u00e0\0', 'latin1'),
      ]),
    ],
  ])('is unknown where it is %s', (_, bytes) => {
    expect(repositoriesIn(bytes, 20)).toBeUndefined();
  });
});
