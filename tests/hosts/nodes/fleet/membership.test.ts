import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { membersOf } from '../../../../src/apps/node/greeting.ts';
import { acceptNode, greetGateway } from '../../../../src/hosts/identity/handshake.ts';
import { type Identity, newIdentity } from '../../../../src/hosts/identity/keys.ts';
import { userToken } from '../../../../src/hosts/nodes/fleet/claims.ts';
import {
  type AdminKeys,
  gatewayUser,
  type NatsCredentials,
  nodeToken,
  pairingToken,
  systemUser,
} from '../../../../src/hosts/nodes/fleet/credentials.ts';
import { GATEWAY_TAG, isFleetGateway } from '../../../../src/hosts/nodes/fleet/membership.ts';
import { newSeed, type Nkey, nkeyOf, type NkeyRole, publicNkey } from '../../../../src/hosts/nodes/fleet/nkeys.ts';
import { memoryCarriers } from '../../../support/memory-carrier.ts';
import { OFFER } from '../sample.ts';

const NOW = Date.now();

const newKey = (role: NkeyRole): Nkey => nkeyOf(role, newSeed(role))!;

/** Of a gateway that can revoke, and of a further one. */
function credentials(): {
  readonly own: NatsCredentials & { readonly admin: AdminKeys };
  readonly other: NatsCredentials;
} {
  const other = { account: newKey('account').publicKey, accountKey: newKey('account') };
  const system = { systemAccount: newKey('account').publicKey, systemKey: newKey('account') };
  return { own: { ...other, admin: { operatorKey: newKey('operator'), ...system } }, other };
}

const { own, other } = credentials();
const [node, gateway] = [newIdentity(), newIdentity()];
const ownToken = nodeToken(own, node, NOW);
const secret = randomBytes(32).toString('base64url');

/** With the claims of a gateway, but signed or marked in another way. */
function changed(token: string, change: (claims: Record<string, Record<string, unknown>>) => void): string {
  const [header, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, Record<string, unknown>>;
  change(claims);
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

const untagged = (): string =>
  userToken(own.accountKey, {
    name: 'gateway',
    user: publicNkey('user', gateway.publicKey),
    account: own.account,
    issuedAt: NOW,
    publish: [],
    subscribe: [],
  });

describe('a gateway belongs to the fleet of a node', () => {
  it.each([
    ['the gateway of the setup', gatewayUser(own, gateway, NOW).token],
    ['a further gateway', gatewayUser(other, gateway, NOW).token],
    ['a gateway whose token has expired', gatewayUser(own, gateway, 0).token],
  ])('as %s', (_, token) => {
    expect(isFleetGateway(token, gateway.publicKey, ownToken)).toBe(true);
  });
});

describe('a gateway does not belong to the fleet of a node', () => {
  const valid = gatewayUser(own, gateway, NOW).token;
  it.each([
    ['with the token of a node', nodeToken(own, gateway, NOW)],
    ['with the token of a machine that pairs', pairingToken(own, { id: 'invitation', secret }, NOW, NOW + 1000)],
    ['with the token of a gateway of another account', gatewayUser(credentials().own, gateway, NOW).token],
    ['with the token of another gateway', gatewayUser(own, newIdentity(), NOW).token],
    ['with a token of the system account', systemUser(own.admin, gateway, NOW).token],
    ['with a token without the tag', untagged()],
    ['with a tag that was added later', changed(untagged(), ({ nats }) => (nats!['tags'] = [GATEWAY_TAG]))],
    ['with another issuer account', changed(valid, ({ nats }) => (nats!['issuer_account'] = 'A'))],
    ['without a signature', valid.replace(/\.[^.]*$/u, '.')],
    ['with no token', ''],
  ])('%s', (_, token) => {
    expect(isFleetGateway(token, gateway.publicKey, ownToken)).toBe(false);
  });
});

/** A handshake of the node, which is paired with another gateway. */
async function greeted(membership: string | undefined, at: Identity, paired: object = {}): Promise<string> {
  const store = {
    paired: () => ({ id: 'g', url: 'nats://127.0.0.1:4222', pairedAt: 0, isBound: false, ...paired }),
    natsToken: () => ownToken,
  };
  const [near, far] = memoryCarriers();
  const accepting = acceptNode(far, at, async () => ({ answer: 'welcome', epoch: 'epoch-0001' }), {
    version: '1',
    ...(membership === undefined ? {} : { membership }),
  }).catch(() => undefined);
  const hello = { version: '1', name: 'n', platform: 'linux', offer: OFFER, instance: 'instance-1' } as const;
  const greeting = await greetGateway(near, node, hello, {
    expected: at.id,
    isMember: membersOf(store),
    binding: 'proxy',
  })
    .then(({ answer }) => answer)
    .catch((error: { readonly code: string }) => error.code);
  await accepting;
  return greeting;
}

describe('a node in the handshake', () => {
  it('accepts a gateway of its fleet', async () => {
    expect(await greeted(gatewayUser(other, gateway, NOW).token, gateway)).toBe('welcome');
  });

  it.each([
    ['no token', undefined, gateway, {}],
    ['the token of another gateway', gatewayUser(own, newIdentity(), NOW).token, gateway, {}],
    ['its own token', ownToken, node, {}],
    ['a valid token, where it was paired over TLS', gatewayUser(own, gateway, NOW).token, gateway, { isBound: true }],
    [
      'a valid token, where it was paired over WebSocket',
      gatewayUser(own, gateway, NOW).token,
      gateway,
      { url: 'wss://g' },
    ],
  ])('refuses a gateway with %s', async (_, token, at, paired) => {
    expect(await greeted(token, at, paired)).toBe('NODE_IDENTITY');
  });
});
