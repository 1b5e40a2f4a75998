import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { identityId, isSignedBy, loadIdentity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import { faultOf } from '../../support/fault.ts';
import { makeFolder } from '../../support/folder.ts';
import { fc } from '../../support/property.ts';

it('creates the identity of a state folder once, in a private file', () => {
  const folder = join(makeFolder(), 'state');
  const first = loadIdentity(folder);
  const again = loadIdentity(folder);
  expect([again.id, again.publicKey]).toEqual([first.id, first.publicKey]);
  expect(first.id).toMatch(/^[a-z2-7]{32}$/u);
  expect(statSync(join(folder, 'identity.json')).mode & 0o777).toBe(0o600);
  const bytes = Buffer.from('x');
  expect(isSignedBy(first.publicKey, bytes, again.sign(bytes))).toBe(true);
});

it('has the id of the public key', () => {
  expect(identityId(new Uint8Array(32))).toBe('mzuhvlpymk6xo3epygfy5h4oeaejofef');
});

it('accepts no signature of another key or of other bytes', () => {
  const [one, other] = [newIdentity(), newIdentity()];
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(), (bytes, at) => {
      const signature = one.sign(bytes);
      const changed = Uint8Array.from(signature);
      changed[at % changed.length]! ^= 1;
      const more = Uint8Array.of(...bytes, 0);
      expect([
        isSignedBy(one.publicKey, bytes, signature),
        isSignedBy(other.publicKey, bytes, signature),
        isSignedBy(one.publicKey, more, signature),
        isSignedBy(one.publicKey, bytes, changed),
        isSignedBy(new Uint8Array(31), bytes, signature),
      ]).toEqual([true, false, false, false, false]);
    }),
  );
});

it.each([
  ['is not JSON', 'key', 'it does not contain a key'],
  ['lacks a key', '{"publicKey":"AAAA"}', 'it does not contain a key'],
  ['has keys that are not a pair', 'swap', 'its keys are not a pair'],
])('refuses a file that %s', (_name, content, why) => {
  const folder = makeFolder();
  loadIdentity(folder);
  const path = join(folder, 'identity.json');
  const { privateKey } = JSON.parse(readFileSync(path, 'utf8')) as { readonly privateKey: string };
  const publicKey = Buffer.from(newIdentity().publicKey).toString('base64url');
  writeFileSync(path, content === 'swap' ? JSON.stringify({ publicKey, privateKey }) : content);
  expect(faultOf(() => loadIdentity(folder))).toMatchObject({
    code: 'NODE_KEY_UNUSABLE',
    message: `${path} cannot be used: ${why}`,
  });
});

it('refuses a file that other users can read, and a link', () => {
  const folder = makeFolder();
  loadIdentity(folder);
  const path = join(folder, 'identity.json');
  chmodSync(path, 0o640);
  expect(faultOf(() => loadIdentity(folder)).message).toContain('other users can read or write it');
  const other = makeFolder();
  symlinkSync(path, join(other, 'identity.json'));
  expect(faultOf(() => loadIdentity(other)).message).toContain('it is a symlink');
});
