import { expect, it } from 'vitest';
import { invitationText, newInvitation, parseInvitation } from '../../../src/hosts/identity/invitation.ts';
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

it.each([
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
