import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { dialWebSocket } from '../../../src/hosts/channel/carriers/websocket.ts';
import { type Link, openLink } from '../../../src/hosts/channel/link.ts';
import { greetGateway } from '../../../src/hosts/identity/handshake.ts';
import { type Identity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import type { Invitation } from '../../../src/wire/nodes/handshake.ts';
import { OFFER } from './sample.ts';

interface Connecting {
  readonly identity?: Identity;
  readonly invitation?: Invitation;
  readonly instance?: string;
  readonly name?: string;
}

/** Connects as `pincer node run` does, up to the answer of the gateway. */
export async function greet(
  url: string,
  { identity = newIdentity(), invitation, instance, name = 'mac' }: Connecting = {},
) {
  const carrier = await dialWebSocket(url, { rejectUnauthorized: false });
  onTestFinished(() => carrier.close('the test is over'));
  const hello = {
    version: '1.2.3',
    name,
    platform: 'linux',
    offer: OFFER,
    instance: instance ?? randomUUID(),
  } as const;
  const greeted = await greetGateway(carrier, identity, hello, invitation === undefined ? {} : { invitation });
  /** Like a node of an older version, it has no methods. */
  const serve = (): Promise<never> => Promise.reject(new Fault('NODE_METHOD_REFUSED', 'no methods'));
  const link = async (): Promise<Link> =>
    openLink(carrier, { epoch: (await greeted.welcome).epoch, side: 'opener', serve });
  return { ...greeted, code: greeted.code ?? '', carrier, identity, link };
}
