import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gate, isLoopback } from '../../../src/apps/serve/gate.ts';
import { namedToken, ownToken, tokenCheck } from '../../../src/apps/serve/token.ts';
import { Fault } from '../../../src/base/fault.ts';
import { makeFolder } from '../../support/folder.ts';

const SECRET = 'a'.repeat(43);

function passing(
  more: { host?: string; origin?: string; authorization?: string; open?: boolean },
  bound = '127.0.0.1',
) {
  const look = gate({ host: bound, hasToken: tokenCheck({ secret: SECRET }) });
  const { host = '127.0.0.1:7462', origin, authorization = `Bearer ${SECRET}`, open = false } = more;
  const refusal = look({ host: host === '' ? undefined : host, origin, authorization, open });
  return refusal === undefined ? 'passes' : `${refusal.status} ${refusal.code}`;
}

describe('the gate', () => {
  it.each([
    ['127.0.0.1', 'passes'],
    ['127.0.0.1:1', 'passes'],
    ['localhost:7462', 'passes'],
    ['LOCALHOST', 'passes'],
    ['[::1]:7462', 'passes'],
    ['evil.example', '403 SERVE_HOST'],
    ['evil.example:7462', '403 SERVE_HOST'],
    ['localhost.evil.example', '403 SERVE_HOST'],
    ['127.0.0.1.evil.example', '403 SERVE_HOST'],
    ['127.0.0.2', '403 SERVE_HOST'],
    ['0.0.0.0', '403 SERVE_HOST'],
    ['', '400 SERVE_HOST'],
    ['127.0.0.1@evil.example', '400 SERVE_HOST'],
    ['127.0.0.1:99999999', '400 SERVE_HOST'],
    ['a b', '400 SERVE_HOST'],
    ['localhost,evil.example', '400 SERVE_HOST'],
    ['localhost/..', '400 SERVE_HOST'],
  ])('treats the host %j as: %s', (host, expected) => expect(passing({ host })).toBe(expected));

  it.each([
    ['http://localhost:6274', 'passes'],
    ['http://127.0.0.1', 'passes'],
    ['https://[::1]:1', 'passes'],
    ['http://evil.example', '403 SERVE_ORIGIN'],
    ['http://localhost.evil.example', '403 SERVE_ORIGIN'],
    ['http://localhost@evil.example', '403 SERVE_ORIGIN'],
    ['http://evil.example#localhost', '403 SERVE_ORIGIN'],
    ['file://', '403 SERVE_ORIGIN'],
    ['ftp://localhost', '403 SERVE_ORIGIN'],
    ['null', '403 SERVE_ORIGIN'],
    ['', '403 SERVE_ORIGIN'],
  ])('treats the origin %j as: %s', (origin, expected) => expect(passing({ origin })).toBe(expected));

  it.each([
    [`Bearer ${SECRET}`, 'passes'],
    [`bearer   ${SECRET}`, 'passes'],
    [SECRET, '401 SERVE_UNAUTHORIZED'],
    [`Basic ${SECRET}`, '401 SERVE_UNAUTHORIZED'],
    [`Bearer ${SECRET}x`, '401 SERVE_UNAUTHORIZED'],
    [`Bearer ${SECRET.slice(1)}`, '401 SERVE_UNAUTHORIZED'],
    [`Bearer ${SECRET}, Bearer x`, '401 SERVE_UNAUTHORIZED'],
    ['Bearer ', '401 SERVE_UNAUTHORIZED'],
    ['Bearer', '401 SERVE_UNAUTHORIZED'],
    ['', '401 SERVE_UNAUTHORIZED'],
  ])('treats the authorization %j as: %s', (authorization, expected) =>
    expect(passing({ authorization })).toBe(expected),
  );

  it('lets everybody in where everybody may ask, if the name is right', () => {
    expect(passing({ open: true, authorization: '' })).toBe('passes');
    expect(passing({ open: true, authorization: '', host: 'evil.example' })).toBe('403 SERVE_HOST');
  });

  it('knows the name that it was bound to, and on every address those of this machine', () => {
    expect(passing({ host: 'box.lan:1' }, 'box.lan')).toBe('passes');
    expect(passing({ host: '127.0.0.1' }, '0.0.0.0')).toBe('passes');
    expect(passing({ host: '0.0.0.0' }, '0.0.0.0')).toBe('403 SERVE_HOST');
    expect(passing({ host: 'box.lan' }, '0.0.0.0')).toBe('403 SERVE_HOST');
  });

  it('recognizes loopback addresses', () => {
    const all = ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example'];
    expect(all.filter(isLoopback)).toEqual(['127.0.0.1', '127.9.9.9', '::1', 'localhost']);
  });
});

function asFolder(file: string): void {
  rmSync(file);
  mkdirSync(file, { mode: 0o700 });
}

describe('the token', () => {
  it('is made once, long and random, for its owner alone', () => {
    const stateDir = makeFolder();
    const first = ownToken(stateDir);
    expect(ownToken(stateDir)).toEqual(first);
    expect(first.secret).toMatch(/^[\w-]{43}$/u);
    expect(readFileSync(first.file, 'utf8')).toBe(`${first.secret}\n`);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    expect(statSync(join(stateDir, 'serve')).mode & 0o777).toBe(0o700);
    expect(ownToken(makeFolder()).secret).not.toBe(first.secret);
  });

  it.each<[string, (file: string) => void, string]>([
    ['that others may read', (file) => chmodSync(file, 0o640), 'other users can read or write it'],
    ['that is a folder', asFolder, 'it is not a regular file of at most 4096 bytes'],
    [
      'that is too short',
      (file) => writeFileSync(file, 'short\n'),
      'it does not contain a token of at least 32 characters',
    ],
    [
      'with letters that no header carries',
      (file) => writeFileSync(file, 'ä'.repeat(40)),
      'it does not contain a token',
    ],
    [
      'that is too long',
      (file) => writeFileSync(file, 'a'.repeat(5_000)),
      'it is not a regular file of at most 4096 bytes',
    ],
  ])('refuses a file %s', (_, spoil, why) => {
    const file = join(makeFolder(), 'token');
    writeFileSync(file, SECRET, { mode: 0o600 });
    spoil(file);
    expect(() => namedToken(file)).toThrow(Fault);
    expect(() => namedToken(file)).toThrow(why);
  });

  it('refuses a link and a folder that others may write', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'real'), SECRET, { mode: 0o600 });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    expect(() => namedToken(join(folder, 'link'))).toThrow('it is a symlink');
    mkdirSync(join(folder, 'serve'));
    chmodSync(join(folder, 'serve'), 0o777);
    expect(() => ownToken(folder)).toThrow('other users can');
  });
});
