/** The built program at work: a frame that violates the protocol closes the link, both ends log why, and the node connects again. */
import { expect, it, onTestFinished } from 'vitest';
import {
  NATS_KINDS,
  type NatsFrame,
  natsFrame,
  readNatsFrame,
} from '../../../src/hosts/channel/carriers/nats-frames.ts';
import { closeNats, connectNats } from '../../../src/hosts/channel/carriers/nats-connect.ts';
import { frame } from '../../../src/hosts/channel/frames.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { gatewayUser, readNatsCredentials } from '../../../src/hosts/nodes/fleet/credentials.ts';
import { type NatsCluster, natsCluster } from '../../support/nats-cluster.ts';
import { until } from '../../support/patience.ts';
import { natsGateway, natsNode, onNode } from './nats-homes.ts';

/** Kind and epoch of a message of a link; its number and payload follow. */
const NUMBER_AT = 17;
const NUMBER_BYTES = 6;
/** Less than the time between two pings. */
const QUIET_MS = 500;

type Direction = 'to the gateway' | 'to the node';

/** Reads all frames between a gateway and a node, and sends others in their name, as a hostile NATS server could. */
async function manInTheMiddle(cluster: NatsCluster) {
  const user = gatewayUser(readNatsCredentials(cluster.files.otherCreds), newIdentity(), Date.now());
  const nats = await connectNats({ servers: cluster.servers.split(','), user, name: 'test' });
  onTestFinished(() => closeNats(nats));
  const last = new Map<Direction, { readonly subject: string; number: number; data: NatsFrame }>();
  let heardAt = 0;
  const follow = (direction: Direction, topic: string): void =>
    void nats.subscribe(topic, {
      callback(_error, { subject, data }) {
        heardAt = performance.now();
        const found = readNatsFrame(data.slice());
        if (found?.kind === NATS_KINDS.data) last.set(direction, { subject, number: found.number, data: found });
        const known = last.get(direction);
        if (found?.kind === NATS_KINDS.credit && known !== undefined) known.number = found.number;
      },
    });
  follow('to the gateway', 'pin.n.*.u.*');
  follow('to the node', 'pin.n.*.d.*');
  await nats.flush();
  return {
    /** `make` gets the last message of the link, and the same header for the next one. */
    async send(direction: Direction, make: (last: Uint8Array, header: Uint8Array) => Uint8Array): Promise<void> {
      await until(() => performance.now() - heardAt > QUIET_MS, 'the end of the frames on the way');
      const { subject, number, data } = last.get(direction)!;
      const message = Buffer.from(data.payload);
      const header = Buffer.from(message.subarray(0, NUMBER_AT + NUMBER_BYTES));
      header[0] = 1; // data
      header.writeUIntLE(message.readUIntLE(NUMBER_AT, NUMBER_BYTES) + 1, NUMBER_AT, NUMBER_BYTES);
      nats.publish(subject, natsFrame(NATS_KINDS.data, data.connection, number + 1, make(message, header)));
    },
  };
}

const VIOLATIONS = [
  ['a repeated frame', /protocol violation: message \d+ instead of \d+/u, (message: Uint8Array) => message],
  [
    'a frame of the wrong shape',
    /protocol violation: .*JSON/u,
    (_: Uint8Array, header: Uint8Array) => Buffer.concat([header, frame('message', 0, Buffer.from('{'))]),
  ],
  [
    'bytes that no credit was given for',
    /protocol violation: (?:bytes of the stream|a stream of|an answer to)/u,
    (_: Uint8Array, header: Uint8Array) =>
      // One id is that of a call of the receiver, which has none with a stream. Those of the sender's calls may be late.
      Buffer.concat([header, ...[1_000, 1_001].map((id) => frame('out', id, Buffer.from('x')))]),
  ],
] as const;

it.each(['to the gateway', 'to the node'] as const)(
  'logs at both ends why a link was closed: %s',
  async (direction) => {
    const cluster = await natsCluster();
    const middle = await manInTheMiddle(cluster);
    const { gateway, running: atGateway } = await natsGateway(cluster);
    const { running: atNode } = await natsNode(gateway);
    for (const [what, reason, make] of VIOLATIONS) {
      await until(async () => (await onNode(gateway, 'echo', 'hi')).stdout === 'hi\n', `a command before ${what}`);
      const [gatewayLines, nodeLines] = [atGateway.stderr().length, atNode.lines.length];
      await middle.send(direction, make);
      const logged = (): readonly string[] =>
        atGateway
          .stderr()
          .slice(gatewayLines)
          .split('\n')
          .filter((line) => line.includes('is disconnected'));
      const shown = () => atNode.lines.slice(nodeLines).filter(({ state }) => state === 'disconnected');
      await until(() => logged().length > 0 && shown().length > 0, `the lines about ${what}`);
      expect(logged()).toEqual([expect.stringMatching(/node n \(\w+\) is disconnected: /u)]);
      expect([logged()[0], shown()[0]?.['reason']]).toEqual([
        expect.stringMatching(reason),
        expect.stringMatching(reason),
      ]);
      await until(() => atNode.state() === 'connected', `the connection after ${what}`);
    }
    expect((await onNode(gateway, 'echo', 'after all')).stdout).toBe('after all\n');
  },
);
