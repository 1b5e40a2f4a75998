/** A real node in this process, connected to a gateway in this process over a real network connection. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { dial } from '../../../src/apps/cli/node/dial.ts';
import { connectNode } from '../../../src/apps/node/connection.ts';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { nodeKeysIn } from '../../../src/hosts/identity/node-keys.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';
import { linkedNode, type LinkedNode, OPEN } from './linked-node.ts';

export interface InvitedNode {
  readonly node: LinkedNode;
  /** How often the node has connected. */
  readonly links: () => number;
}

export interface InvitedNodeOptions {
  /** The address of the gateway (default: the one that it tells). */
  readonly url?: string;
  readonly workspace?: string;
}

/** Pairs with an invitation, and waits for the link. It runs every command, and dials again after milliseconds. */
export async function invitedNode(
  { gateway }: Pick<TestGateway, 'gateway'>,
  { url, workspace }: InvitedNodeOptions = {},
): Promise<InvitedNode> {
  const asked = { by: 'test', ...(url === undefined ? {} : { url }) };
  const invitation = parseInvitation((await gateway.call('node.invite', asked)).invitation);
  const node = await linkedNode(OPEN, (workspace === undefined ? {} : { terms: { workspace } }) as never);
  let links = 0;
  const offer = { exec: 'judged', files: 'none', pty: true } as const;
  const hello = { version: '1', name: 'n', platform: 'linux', offer, instance: randomUUID() } as const;
  const connection = connectNode({
    url: invitation.url,
    keys: nodeKeysIn(node.stateDir),
    store: node.store,
    calls: node.calls,
    invitation,
    hello: async () => hello,
    dial,
    firstDelayMs: 2,
    longestDelayMs: 20,
    onState: ({ state }) => {
      if (state === 'connected') links++;
    },
  });
  onTestFinished(() => connection.close());
  await until(() => links === 1, 'the first link');
  return { node, links: () => links };
}
