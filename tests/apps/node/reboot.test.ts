/** A machine that restarts with the state folder that it had: what it may have run is lost, and is not run again. */
import { describe, expect, it } from 'vitest';
import { ended } from '../../support/gateway.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { type FaultyPair, faultyPair, timesRun } from './faulty-pair.ts';

const BOOT = 'another-boot';

async function notices({ host }: FaultyPair): Promise<readonly string[]> {
  const all = await host.gateway.call('notice.list', {});
  return all.map(({ text }) => text.split('\n', 1)[0]!.replace(/key=[0-9a-f-]{36}/u, 'key=K'));
}

/** A request that gets lost on its way to the node, whose link breaks then. Returns the code that its caller got. */
async function lostRequest(pair: FaultyPair): Promise<unknown> {
  pair.connect();
  await pair.host.exec({ command: 'true' }); // the node has described itself
  pair.onTheWay((message, from) => (from === 0 ? [] : [message]));
  const failed = pair.host
    .exec({ command: 'printf x >> mark' })
    .catch((error: { readonly code: string }) => error.code);
  await until(async () => (await pair.openRequests()) === 1, 'the request');
  await eventLoopTurns();
  pair.cut();
  return failed;
}

describe('after a restart of its machine', () => {
  it('a node has lost its running commands', async () => {
    const pair = await faultyPair();
    pair.connect();
    const outcome = await pair.host.exec({ command: 'echo on; sleep 600', background: true });
    const { id } = 'session' in outcome ? outcome.session : { id: '' };
    await pair.rebootNode(BOOT);
    pair.connect();
    expect(await ended(pair.host, id)).toMatchObject({ status: 'failed', failure: 'lost' });
    await until(async () => (await pair.openRequests()) === 0, 'the end of the request');
    const audit = await pair.host.gateway.call('audit.list', {});
    expect(audit.filter(({ sessionId }) => sessionId === id).map(({ event }) => event)).toEqual(['started', 'ended']);
    await pair.close();
  });

  it('a request that it does not know is reported as unknown, and is not sent again', async () => {
    const pair = await faultyPair();
    expect(await lostRequest(pair)).toBe('NODE_OUTCOME_UNKNOWN');
    await pair.rebootNode(BOOT);
    expect(await reportAfterConnect(pair)).toEqual([
      'Exec outcome unknown (node=mac-1, key=K, node mac-1 was restarted or has a new database): printf x >> mark',
    ]);
  });
});

it('after a restart of the node alone, a request that it does not know never ran', async () => {
  const pair = await faultyPair();
  expect(await lostRequest(pair)).toBe('NODE_OUTCOME_UNKNOWN');
  await pair.restartNode();
  expect(await reportAfterConnect(pair)).toEqual(['Exec never ran (node=mac-1, key=K): printf x >> mark']);
});

async function reportAfterConnect(pair: FaultyPair): Promise<readonly string[]> {
  pair.connect();
  await until(async () => (await notices(pair)).length > 0, 'the report');
  const reported = await notices(pair);
  expect(timesRun(pair.node, 'mark')).toBe(0);
  await pair.close();
  return reported;
}
