/** A node that says that it runs on macOS. It accepts commands, records what it receives, and ends them at once. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { dialWebSocket } from '../../../src/hosts/channel/carriers/websocket.ts';
import { openLink } from '../../../src/hosts/channel/link.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { greetGateway } from '../../../src/hosts/identity/handshake.ts';
import { parseInvitation } from '../../../src/hosts/identity/invitation.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { NODE_METHODS, type NodeMethods } from '../../../src/wire/nodes/methods.ts';
import { ENDED_NODE_SESSION, NODE_SESSION } from '../../support/node-session.ts';

type Start = NodeMethods['exec.start']['params'];

/** Returns the requests that it receives. */
export async function connectMac(invitationText: string, name: string): Promise<readonly Start[]> {
  const invitation = parseInvitation(invitationText);
  const carrier = await dialWebSocket(invitation.url, { rejectUnauthorized: false });
  onTestFinished(() => carrier.close('the test is over'));
  const offer = { exec: 'judged', files: 'none', pty: true } as const;
  const hello = { version: '0', name, platform: 'darwin', offer, instance: randomUUID() } as const;
  const { welcome } = await greetGateway(carrier, newIdentity(), hello, { invitation });
  const received: Start[] = [];
  openLink(carrier, {
    epoch: (await welcome).epoch,
    side: 'opener',
    methods: NODE_METHODS,
    serve: (call) => serve(call, received),
  });
  return received;
}

async function serve(call: IncomingCall, received: Start[]): Promise<unknown> {
  const { method, params, event, signal } = call;
  if (method === 'node.describe')
    return { path: '/opt/homebrew/bin:/usr/bin:/bin', workspace: '/', store: 's', platform: 'darwin', version: '0' };
  if (method === 'notice.follow') return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
  if (method !== 'exec.start') throw new Fault('NODE_METHOD_REFUSED', `no method ${method}`);
  const start = params as Start;
  received.push(start);
  const started = { agent: start.caller.agent, command: start.request.command };
  event({ type: 'accepted', session: { ...NODE_SESSION, ...started } });
  return { session: { ...ENDED_NODE_SESSION, ...started } };
}
