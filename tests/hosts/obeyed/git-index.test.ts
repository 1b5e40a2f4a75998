import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitlinksIn } from '../../../src/hosts/obeyed/git/git-index.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

const HASH_BYTES = { sha1: 20, sha256: 32 };
/** From here on git writes blocks for two threads. */
const BLOCK_ENTRIES = 20_000;
const LONG = `vendor/${'long'.repeat(50)}`;

/** The index of a repository with another one at `vendor/inner`; the other names are around it. */
function indexOf(version: string, format: string): Buffer {
  const folder = makeFolder(Object.fromEntries(['a', 'vendor-a', LONG, 'vendor/z', 'zz'].map((name) => [name, ''])));
  const object = '1'.repeat(format === 'sha256' ? 64 : 40);
  const script = `git init -q --object-format=${format} . && git add . && git update-index --add --cacheinfo 160000,${object},vendor/inner && git update-index --index-version ${version}`;
  runGit(folder, script);
  return readFileSync(join(folder, '.git/index'));
}

function runGit(folder: string, script: string): void {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('sh', ['-c', script], { cwd: folder, env, stdio: 'pipe' });
}

function bodyOf(index: Buffer, format: 'sha1' | 'sha256'): Buffer {
  return index.subarray(0, index.length - HASH_BYTES[format]);
}

/** An index of one entry without a checksum. */
function indexWith(entry: { mode?: number; name?: string; length?: number; tail?: string }): Buffer {
  const { mode = 0o160000, name = 'sub', length = name.length, tail = '' } = entry;
  const head = Buffer.alloc(62);
  head.writeUInt32BE(mode, 24);
  head.writeUInt16BE(length, 60);
  const padding = '\0'.repeat(8 - ((62 + name.length) % 8));
  const parts = [Buffer.from('DIRC\0\0\0\u0002\0\0\0\u0001'), head, Buffer.from(name + padding + tail, 'latin1')];
  return Buffer.concat([...parts, Buffer.alloc(20)]);
}

describe('the index of a repository', () => {
  it.each([
    ['of version 2', '2', 'sha1', 'sha256'],
    ['of version 4, in which names share their beginnings', '4', 'sha1', 'sha256'],
    ['with longer names of objects', '2', 'sha256', 'sha1'],
    ['of version 4 with longer names of objects', '4', 'sha256', 'sha1'],
  ] as const)('finds gitlinks: one %s', (_, version, format, other) => {
    const index = indexOf(version, format);
    const unchecked = Buffer.concat([bodyOf(index, format), Buffer.alloc(HASH_BYTES[format])]);
    expect([index, unchecked].map((each) => gitlinksIn(each, format))).toEqual([['vendor/inner'], ['vendor/inner']]);
    const broken = Buffer.from(index);
    broken[broken.length - 1]! ^= 1;
    const others = [
      gitlinksIn(index, other),
      ...[index.subarray(0, 200), broken].map((each) => gitlinksIn(each, format)),
    ];
    expect(others).toEqual([undefined, undefined, undefined]);
  });

  it('may have entries in blocks that are read at the same time', () => {
    const options = ['-c index.threads=2', '-c index.version=4'];
    const names = Array.from({ length: BLOCK_ENTRIES }, (_, i) => `100644 ${'1'.repeat(40)} 0\tf${i}`);
    const folder = makeFolder({ entries: [...names, `160000 ${'1'.repeat(40)} 0\tz`, ''].join('\n') });
    runGit(folder, `git init -q . && git ${options.join(' ')} update-index --index-info < entries`);
    const index = readFileSync(join(folder, '.git/index'));
    const blocks = index.indexOf('IEOT');
    expect([blocks > 0, gitlinksIn(index, 'sha1')]).toEqual([true, ['z']]);
    const body = bodyOf(index, 'sha1');
    const lastCount = blocks + 8 + body.readUInt32BE(blocks + 4) - 1;
    for (const at of [lastCount, blocks + 8 + 4 + 3, body.indexOf('EOIE') + 8 + 3]) {
      const other = Buffer.concat([body, Buffer.alloc(20)]);
      other[at]! ^= 1;
      expect(gitlinksIn(other, 'sha1')).toBeUndefined();
    }
  });

  it('is unknown where a part of it is in another file', () => {
    const folder = makeFolder({ sub: '' });
    const object = '1'.repeat(40);
    const script = `git init -q . && git add sub && git update-index --split-index && git update-index --cacheinfo 160000,${object},sub`;
    runGit(folder, script);
    expect(gitlinksIn(readFileSync(join(folder, '.git/index')), 'sha1')).toBeUndefined();
  });

  it.each([
    ['a repository with further bits of its mode', { mode: 0o160644 }, ['sub']],
    ['no entry of a known kind', { mode: 0o040000 }, undefined],
    ['a name that is longer than the flags say', { length: 2 }, undefined],
    ['a name with a zero', { name: 's\0b' }, undefined],
    ['an empty name', { name: '', length: 0 }, undefined],
    ['a name that is not UTF-8', { name: 's\u00ffb' }, undefined],
    ['a name that leads upwards', { name: 'a/../sub' }, undefined],
    ['a name with a dot', { name: './sub' }, undefined],
    ['an absolute name', { name: '/sub' }, undefined],
    ['a name that ends in a slash', { name: 'sub/' }, undefined],
    ['an unknown extension', { tail: 'abcd\0\0\0\0' }, undefined],
    ['a known extension', { tail: 'TREE\0\0\0\u0002xx' }, ['sub']],
    ['an extension that is too long', { tail: 'TREE\0\0\0\u0009x' }, undefined],
    ['bytes behind the extensions', { tail: 'x' }, undefined],
    ['a split index', { tail: 'link\0\0\0\0' }, undefined],
  ] as const)('with %s', (_, entry, expected) => {
    expect(gitlinksIn(indexWith(entry), 'sha1')).toEqual(expected);
  });

  it('is read without end nor error, whatever is in it', () => {
    const head = Buffer.from('DIRC\0\0\0\u0002\0\0\0');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom('sha1', 'sha256'), (bytes, format) => {
        const found = gitlinksIn(Buffer.concat([head, bytes, Buffer.alloc(HASH_BYTES[format])]), format);
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
    expect(gitlinksIn(Buffer.concat([bytes, Buffer.alloc(20)]), 'sha1')).toBeUndefined();
  });
});
