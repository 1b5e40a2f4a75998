import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Command } from '../../../src/hosts/process/command.ts';
import { StreamSockets } from '../../../src/hosts/process/streams/stream-sockets.ts';
import { makeFolder } from '../../support/folder.ts';
import { launchOf, sh } from '../../support/launching.ts';

/** Longer than a child may delay the end. */
const PAUSE_MS = 600;

async function pair(): Promise<{ ours: Socket; theirs: Socket }> {
  const path = join(makeFolder(), 's');
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(path);
  onTestFinished(() => void server.close());
  const arrived = once(server, 'connection') as Promise<[Socket]>;
  const theirs = connect(path);
  const [[ours]] = await Promise.all([arrived, once(theirs, 'connect')]);
  return { ours, theirs };
}

test('the end comes after output that a paused process has not read yet', async () => {
  const { ours, theirs } = await pair();
  const heard: string[] = [];
  const listener = {
    output: (_stream: string, bytes: Uint8Array) => heard.push(Buffer.from(bytes).toString()) > 0,
    exited: ({ kind }: { readonly kind: string }) => heard.push(kind),
  };
  const streams = new StreamSockets({
    launch: launchOf([sh('echo late')]),
    listener,
    arrived: () => command.arrived(),
    ended: () => command.streamEnded(),
  });
  const command: Command = new Command({
    listener,
    streams,
    resize: () => undefined,
    interrupt: () => undefined,
    kill: async () => undefined,
    gone: () => undefined,
  });
  const take = streams.receive('out', ours)!;
  command.started(2, false, []);
  command.ended({ kind: 'code', code: 0 });
  ours.on('data', (bytes) => void take(bytes)).resume();
  theirs.end('late\n');
  // All at once, as when this process gets no processor: the timer is due before anything can be read.
  for (const end = performance.now() + PAUSE_MS; performance.now() < end; );
  await command.exitDelivered;
  expect(heard).toEqual(['late\n', 'code']);
});
