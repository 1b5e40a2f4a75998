/** An attacker who has recorded a whole handshake, and sends its messages again. */
import { expect, it } from 'vitest';
import { acceptNode, type Decision, greetGateway } from '../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';

const WELCOME: Decision = { answer: 'welcome', epoch: 'epoch-0001' };
const HELLO = {
  version: '1',
  name: 'mac',
  platform: 'linux',
  offer: { exec: 'judged', files: 'none', pty: true },
  instance: 'instance-1',
} as const;
const gateway = newIdentity();
const node = newIdentity();

/** The messages of both ends, each in order. The attacker even has the TLS exporter of the recorded connection. */
async function recorded(): Promise<readonly [readonly Uint8Array[], readonly Uint8Array[]]> {
  const messages: [Uint8Array[], Uint8Array[]] = [[], []];
  const [near, far] = memoryCarriers({
    onTheWay: (message, from) => {
      messages[from].push(Uint8Array.from(message));
      return [message];
    },
  });
  await Promise.all([
    acceptNode(far, gateway, async () => WELCOME, { version: '1' }),
    greetGateway(near, node, HELLO).then(({ welcome }) => welcome),
  ]);
  return messages;
}

it('does not pass for the node: the gateway has another nonce each time', async () => {
  const [sent] = await recorded();
  const [near, far] = memoryCarriers();
  let next = 0;
  near.on({ message: () => void near.send(sent[++next] ?? sent[0]!), room() {}, down() {} });
  near.send(sent[0]!);
  const asked: string[] = [];
  const accepted = acceptNode(
    far,
    gateway,
    async ({ id }) => {
      asked.push(id);
      return WELCOME;
    },
    { version: '1' },
  );
  await expect(accepted).rejects.toMatchObject({ code: 'NODE_IDENTITY' });
  expect(asked).toEqual([]);
});

it('does not pass for the gateway: the node has another nonce each time', async () => {
  const [, answers] = await recorded();
  const [near, far] = memoryCarriers();
  let next = 0;
  far.on({ message: () => void far.send(answers[next++] ?? answers.at(-1)!), room() {}, down() {} });
  await expect(greetGateway(near, node, HELLO, { expected: gateway.id })).rejects.toMatchObject({
    code: 'NODE_IDENTITY',
  });
});
