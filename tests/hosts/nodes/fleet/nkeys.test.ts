import { expect, it } from 'vitest';
import { isSignedBy, newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { newSeed, nkeyOf, publicBytes, publicNkey, seedText } from '../../../../src/hosts/nodes/fleet/nkeys.ts';

// The example of the documentation of NKeys.
const SEED = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const PUBLIC = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4';

it('has the form of NATS', () => {
  expect(nkeyOf('user', SEED)?.publicKey).toBe(PUBLIC);
  expect(publicNkey('user', publicBytes('user', PUBLIC)!)).toBe(PUBLIC);
});

it.each(['operator', 'account', 'user'] as const)('signs with a new key of an %s', (role) => {
  const seed = newSeed(role);
  const key = nkeyOf(role, seed)!;
  const message = Buffer.from('message');
  expect(seed.slice(0, 2) + key.publicKey[0]).toBe({ operator: 'SOO', account: 'SAA', user: 'SUU' }[role]);
  expect(isSignedBy(publicBytes(role, key.publicKey)!, message, key.sign(message))).toBe(true);
});

it('is another form of the key of a machine', () => {
  const { publicKey } = newIdentity();
  expect(Buffer.from(publicBytes('user', publicNkey('user', publicKey))!)).toEqual(Buffer.from(publicKey));
});

it.each([
  ['a changed letter', SEED.replace('SSL3', 'SSL4')],
  ['another role', seedText('account', new Uint8Array(32))],
  ['a public key', PUBLIC],
  ['other letters', SEED.toLowerCase()],
  ['nothing', ''],
])('refuses %s as the private key of a user', (_, text) => {
  expect(nkeyOf('user', text)).toBeUndefined();
});
