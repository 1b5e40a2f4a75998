import { expect, it } from 'vitest';
import { invitationText, newInvitation, parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { natsToken } from '../../../src/wire/nodes/handshake.ts';
import { Mismatch } from '../../../src/wire/mismatch.ts';
import { check } from '../../../src/wire/schema.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { faultOf } from '../../support/fault.ts';

const invitation = newInvitation('wss://gateway.example:7443', newIdentity().id);

it('survives being copied as one word of text', () => {
  const text = invitationText(invitation);
  expect(text).toMatch(/^[\w-]+$/u);
  expect(parseInvitation(` ${text}\n`)).toEqual(invitation);
});

it('carries a token for NATS', () => {
  const token = `${'a'.repeat(60)}.${'b'.repeat(600)}.${'c'.repeat(86)}`;
  const withToken = { ...newInvitation('nats://127.0.0.1:4222,nats://127.0.0.1:4223', newIdentity().id), token };
  expect(parseInvitation(invitationText(withToken))).toEqual(withToken);
});

it('says that TLS ends at a proxy, and a release that does not know this refuses it', () => {
  const proxied = { ...invitation, proxy: true as const };
  const text = invitationText(proxied);
  expect(parseInvitation(text)).toEqual(proxied);
  const parts = JSON.parse(Buffer.from(text.slice('pincer-invite-'.length), 'base64url').toString()) as unknown[];
  expect(parts).toHaveLength(5);
  expect(() => check(natsToken, parts[4], 'token')).toThrow(Mismatch); // where the other release expects a token
});

it.each([
  ['for a proxy without TLS', invitationText({ ...invitation, url: 'ws://127.0.0.1:7463', proxy: true })],
  ['with another token', invitationText({ ...invitation, token: 'a.b.c' })],
  ['empty', ''],
  ['cut off', invitationText(invitation).slice(0, -9)],
  ['another text', 'https://example.com'],
  ['too long', invitationText({ ...invitation, url: `wss://${'x'.repeat(4000)}` })],
  ['for a file', invitationText({ ...invitation, url: 'file:///etc/passwd' })],
  ['without a secret', invitationText({ ...invitation, secret: '' })],
])('refuses a text that is %s', (_name, text) => {
  expect(faultOf(() => parseInvitation(text)).code).toBe('NODE_INVITATION');
});
