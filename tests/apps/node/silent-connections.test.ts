/** Machines that connect to a gateway and say nothing must not lock out its nodes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runs } from '../../support/budget.ts';
import { until } from '../../support/patience.ts';
import { runPincer } from '../serve/serving.ts';
import { invitedNode, RUNS_ALL, started, startedGateway } from './machines.ts';

const CONNECTIONS = runs(1_000, 3_000);
const AT_ONCE = 50;

it('serves its nodes and lets them reconnect beside a thousand silent connections', async () => {
  const { gateway, url, running } = await startedGateway();
  const { node, running: linked } = await invitedNode(gateway, RUNS_ALL, 'n');
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const port = Number(new URL(url).port);
  for (let made = 0; made < CONNECTIONS; made += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, CONNECTIONS - made) }, async () => {
        const socket = connect(port, '127.0.0.1');
        sockets.add(socket);
        socket.on('error', () => {});
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      }),
    );
  expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'hi'])).stdout).toBe('hi\n');
  await linked.end('SIGKILL');
  const again = started(node, ['node', 'run']);
  await until(() => again.state() === 'connected', 'the connection');
  expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'echo', 'again'])).stdout).toBe('again\n');
  expect(running.child.exitCode).toBeNull();
});
