import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writePrivate } from '../../../src/hosts/files/write-private.ts';
import { makeFolder } from '../../support/folder.ts';

describe('a private file', () => {
  it.each([{ once: false }, { once: true }])(
    'is readable for its owner only, and leaves no temporary file (%o)',
    (how) => {
      const folder = makeFolder();
      const path = join(folder, 'key');
      writePrivate(path, 'one', { ...how, durable: true });
      expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([
        0o600,
        'one',
        ['key'],
      ]);
    },
  );

  it('is replaced, and with `once` the first one stays', () => {
    const folder = makeFolder();
    const path = join(folder, 'key');
    writePrivate(path, 'one');
    writePrivate(path, 'two');
    writePrivate(path, 'three', { once: true });
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['two', ['key']]);
  });

  it('replaces a link and does not write through it', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'theirs'), 'theirs');
    symlinkSync('theirs', join(folder, 'key'));
    writePrivate(join(folder, 'key'), 'ours');
    expect(['theirs', 'key'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['theirs', 'ours']);
  });

  it('refuses a link at the path of the temporary file', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'theirs'), 'theirs');
    symlinkSync('theirs', join(folder, 'temp'));
    expect(() => writePrivate(join(folder, 'key'), 'ours', { temp: join(folder, 'temp') })).toThrow('EEXIST');
    expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('theirs');
  });

  it('is not written if the check throws', () => {
    const folder = makeFolder();
    const check = (): never => {
      throw new Error('lock lost');
    };
    expect(() => writePrivate(join(folder, 'key'), 'ours', { check })).toThrow('lock lost');
    expect(readdirSync(folder)).toEqual([]);
  });
});
