import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/wire/approval.ts';
import { UNTIL_GO } from '../../support/patience.ts';
import { JUDGED, pending, testGateway } from '../../support/gateway.ts';

const main = { agent: 'main' };

async function asked(command: string, more: object = {}) {
  const test = await testGateway(JUDGED);
  const { id } = pending(await test.exec({ command, ...more }));
  const outcome = (options: object = {}) => test.gateway.call('approval.outcome', { id, caller: main, ...options });
  const resolve = (decision: Decision) => test.gateway.call('approval.resolve', { id, decision, by: 'tester' });
  return { ...test, id, outcome, resolve };
}

describe('the outcome of an approval', () => {
  it('is the pending request until a person answers', async () => {
    const { outcome, id } = await asked('touch x');
    expect(await outcome()).toMatchObject({ status: 'approval-pending', approval: { id, state: 'pending' } });
  });

  it('is what the command did, once it was allowed', async () => {
    const { outcome, resolve } = await asked('printf out; exit 3');
    await resolve('allow-once');
    expect(await outcome()).toMatchObject({
      status: 'completed',
      session: { exitCode: 3 },
      output: { text: 'out' },
    });
  });

  it('is the result of the command also for a caller that asks before it starts', async () => {
    const { outcome, resolve } = await asked('printf out');
    const answers = [resolve('allow-once'), resolve('allow-once')];
    const early = outcome();
    expect((await Promise.all(answers)).map(({ ok }) => ok)).toEqual([true, false]);
    expect(await early).toMatchObject({ status: 'completed', session: { exitCode: 0 }, output: { text: 'out' } });
  });

  it('B23: is a denial of the user', async () => {
    const { outcome, resolve } = await asked('touch x');
    await resolve('deny');
    expect(await outcome()).toMatchObject({
      status: 'denied',
      reason: 'user-denied',
      message: 'the command was not run: the user denied it',
    });
  });

  it('waits at most the given time, and the command continues', async () => {
    const { outcome, resolve, gateway } = await asked('sleep 30');
    await resolve('allow-once');
    const running = await outcome({ yieldMs: 10 });
    expect(running).toMatchObject({ status: 'running', session: { backgrounded: true } });
    if (!('session' in running)) throw new Error('no session');
    await gateway.call('session.kill', { caller: main, sessionId: running.session.id });
  });

  it('ends the command when the waiting is aborted', async () => {
    const { resolve, gateway, id } = await asked('sleep 30');
    await resolve('allow-once');
    const stop = new AbortController();
    const waiting = gateway.call('approval.outcome', { id, caller: main, yieldMs: 60_000 }, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ status: 'failed', session: { failure: 'aborted' } });
  });

  it('does not exist for another agent', async () => {
    const { gateway, id } = await asked('touch x');
    await expect(gateway.call('approval.outcome', { id, caller: { agent: 'other' } })).rejects.toMatchObject({
      code: 'APPROVAL_UNKNOWN',
    });
  });
});

describe('a ticket', () => {
  it('returns the session of a request that still waits for its end', async () => {
    const { exec, folder, gateway } = await testGateway();
    const ran = exec({ command: `${UNTIL_GO}; echo done` }, { ticket: 't1' });
    const started = await gateway.call('session.started', { caller: main, ticket: 't1' });
    expect(started).toMatchObject({ status: 'running', command: `${UNTIL_GO}; echo done` });
    writeFileSync(join(folder, 'go'), '');
    expect(await ran).toMatchObject({ status: 'completed', session: { id: started.id } });
  });

  it('is waited for until the signal, and belongs to its agent', async () => {
    const { exec, gateway } = await testGateway();
    await exec({ command: 'true' }, { ticket: 't1' });
    const stop = new AbortController();
    const other = gateway.call('session.started', { caller: { agent: 'other' }, ticket: 't1' }, stop.signal);
    stop.abort();
    await expect(other).rejects.toMatchObject({ code: 'TOOL_ABORTED' });
  });
});
