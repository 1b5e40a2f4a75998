import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApprovalQuestion, createTools, type CreateToolsOptions } from '../../../src/apps/library/index.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { UNTIL_GO } from '../../support/patience.ts';
import { JUDGED, testGateway } from '../../support/gateway.ts';

const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/', LANG: 'C.UTF-8' };

async function make(options: Partial<CreateToolsOptions> = {}, config: ConfigFile = JUDGED) {
  const { gateway, folder, stateDir } = await testGateway(config);
  const tools = createTools({
    workspace: folder,
    stateDir: join(stateDir, 'files'),
    gateway: async () => gateway,
    environment: ENVIRONMENT,
    durable: false,
    ...options,
  });
  return { gateway, folder, exec: tools.find(({ name }) => name === 'exec')! };
}

describe('a command that needs a person', () => {
  it('returns approval-pending if no person can be asked', async () => {
    const { exec, folder } = await make();
    expect((await exec.execute('c1', { command: 'touch made' })).details).toMatchObject({ status: 'approval-pending' });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('is put to the person, and runs after a yes', async () => {
    const asked: ApprovalQuestion[] = [];
    const { exec, folder, gateway } = await make({
      approve: (question) => {
        asked.push(question);
        return { decision: 'allow-once', by: 'ada' };
      },
    });
    const { details } = await exec.execute('c7', { command: 'touch made', env: { TARGET: 'x; evil' } });
    expect(details).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(asked).toMatchObject([{ toolCallId: 'c7', command: 'touch made', cwd: folder, env: { TARGET: 'x; evil' } }]);
    expect(asked[0]!.reason).toMatch(/touch/u);
    expect(existsSync(join(folder, 'made'))).toBe(true);
    const [approval] = await gateway.call('approval.list', { state: 'all' });
    expect(approval).toMatchObject({ id: asked[0]!.approvalId, decision: 'allow-once', resolvedBy: 'ada' });
  });

  it('does not run after a denial, and reports that', async () => {
    const { exec, folder } = await make({ approve: () => 'deny', failures: 'result' });
    expect(await exec.execute('c1', { command: 'touch made' })).toMatchObject({
      isError: true,
      details: { status: 'denied', reason: 'user-denied' },
    });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it.each([undefined, 'yes', true, {}, { decision: 'allow' }])('waits in the inbox after %j', async (answer) => {
    const { exec, folder } = await make({ approve: () => answer as undefined });
    expect((await exec.execute('c1', { command: 'touch made' })).details).toMatchObject({ status: 'approval-pending' });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it('is answered with no when the call is stopped while the person thinks', async () => {
    const stop = new AbortController();
    const { exec, gateway } = await make({
      approve: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    await expect(exec.execute('c1', { command: 'touch made' }, stop.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await gateway.call('approval.list', { state: 'all' })).toMatchObject([
      { state: 'denied', resolvedBy: 'the program that runs the agent, which stopped waiting' },
    ]);
  });
});

describe('a command that was allowed', () => {
  it('is ended when the signal fires', async () => {
    const { exec, gateway } = await make({ approve: () => 'allow-once' });
    const stop = new AbortController();
    const running = exec.execute('c1', { command: 'exec sleep 60' }, stop.signal, () => {});
    const isUp = async () => (await gateway.call('session.list', { caller: { agent: 'main' } })).length > 0;
    await expect.poll(isUp).toBe(true);
    stop.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    const sessions = await gateway.call('session.list', { caller: { agent: 'main' } });
    expect(sessions.map(({ status }) => status)).toEqual(['failed']);
  });
});

describe('the host that a program chooses', () => {
  it('applies to commands without a host', async () => {
    const { exec } = await make({ host: 'gateway' }, {});
    expect((await exec.execute('c1', { command: 'touch made' })).details).toMatchObject({ status: 'approval-pending' });
  });

  it('cannot be left for one where nothing is judged', async () => {
    const { exec, folder } = await make({ host: 'gateway' }, {});
    await expect(exec.execute('c1', { command: 'touch made', host: 'sandbox' })).rejects.toMatchObject({
      code: 'EXEC_HOST_REFUSED',
    });
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });
});

describe('a command that runs', () => {
  it('reports its output before it ends', async () => {
    const { exec, folder } = await make({}, {});
    const heard: string[] = [];
    const command = `echo one; ${UNTIL_GO}; echo two`;
    const answer = await exec.execute('c1', { command, yieldMs: 50_000 }, undefined, (partial) => {
      const text = JSON.stringify(partial.content);
      heard.push(text);
      if (text.includes('one')) writeFileSync(join(folder, 'go'), '');
    });
    expect(answer.details).toMatchObject({ status: 'completed', aggregated: 'one\ntwo\n' });
    expect(heard.filter((text) => text.includes('one') && !text.includes('two'))).not.toEqual([]);
  });

  it('is ended when the signal fires', async () => {
    const { exec, gateway } = await make({}, {});
    const stop = new AbortController();
    const running = exec.execute('c1', { command: 'echo up; exec sleep 60' }, stop.signal, () => stop.abort());
    await expect(running).rejects.toMatchObject({ name: 'AbortError', message: 'Aborted' });
    const sessions = await gateway.call('session.list', { caller: { agent: 'main' } });
    expect(sessions.filter(({ status }) => status === 'running')).toEqual([]);
  });
});
