import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRunning } from '../../../src/hosts/process/running.ts';
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
  const running = createRunning({
    launch: launchOf([sh('echo late')]),
    listener: {
      output: (_stream, bytes) => heard.push(Buffer.from(bytes).toString()) > 0,
      exited: ({ kind }) => heard.push(kind),
    },
    owner: 'test',
    graceMs: 0,
    warnings: [],
    resize: () => undefined,
    hunts: new Set(),
    gone: () => undefined,
  });
  const take = running.receive('out', ours)!;
  running.started({ type: 'started', id: 1, processes: [], pty: false, warnings: [] });
  running.ended({ kind: 'code', code: 0 });
  ours.on('data', (bytes) => void take(bytes)).resume();
  theirs.end('late\n');
  // All at once, as when this process gets no processor: the timer is due before anything can be read.
  for (const end = performance.now() + PAUSE_MS; performance.now() < end; );
  await running.told;
  expect(heard).toEqual(['late\n', 'code']);
});
