import { describe, expect, it } from 'vitest';
import { assembleTools, openGateway } from '../../src/apps/assemble.ts';
import { startTimeOf } from '../../src/hosts/process/start-time.ts';
import { daemonPlace } from '../support/daemon.ts';
import { until } from '../support/patience.ts';
import { makeFolder } from '../support/folder.ts';

/** A toolbox that finds its own way to the daemon of a state folder. */
function toolbox(stateDir: string, agent = 'main') {
  return assembleTools({ workspace: makeFolder(), stateDir, agent, environment: { PATH: '/usr/bin:/bin', HOME: '/' } });
}

describe('a toolbox of the library', () => {
  it('starts the daemon at the first command, and shares it with others', async () => {
    const { stateDir } = daemonPlace();
    const begun = await toolbox(stateDir).call('exec', { command: 'exec sleep 60', background: true });
    expect(begun.details).toMatchObject({ status: 'running' });
    const sessionId = begun.details['sessionId'] as string;
    const list = async (agent: string) =>
      (await toolbox(stateDir, agent).call('process', { action: 'list' })).details['sessions'];
    expect([await list('main'), await list('other')]).toMatchObject([[{ sessionId, status: 'running' }], []]);
    const gateway = await openGateway({ stateDir });
    expect(await gateway.call('daemon.status', {})).toMatchObject({ stateDir, sessions: { running: 1, finished: 0 } });
    gateway.close();
  });

  it('finds its way again after the daemon has gone', async () => {
    const { stateDir } = daemonPlace();
    const tools = toolbox(stateDir);
    const ran = async () => (await tools.call('exec', { command: 'echo x' })).details;
    expect(await ran()).toMatchObject({ status: 'completed', aggregated: 'x\n' });
    const gateway = await openGateway({ stateDir });
    const pid = (await gateway.call('daemon.status', {})).pid;
    await gateway.call('daemon.stop', { force: true });
    await until(() => startTimeOf(pid) === undefined, 'the end of the daemon');
    expect(await ran()).toMatchObject({ status: 'completed', aggregated: 'x\n' });
    const other = await openGateway({ stateDir });
    expect((await other.call('daemon.status', {})).pid).not.toBe(pid);
    other.close();
  });

  it('forwards notices and approval requests', async () => {
    const { stateDir } = daemonPlace();
    const { details } = await toolbox(stateDir).call('exec', { command: 'touch x', host: 'gateway' });
    const gateway = await openGateway({ stateDir });
    const [approval] = await gateway.call('approval.list', {});
    expect(approval).toMatchObject({ id: details['approvalId'], slug: details['approvalSlug'], state: 'pending' });
    const heard: string[] = [];
    const stop = new AbortController();
    const hearing = gateway.notices(
      {},
      ({ kind }) => {
        heard.push(kind);
        if (kind === 'exec-finished') stop.abort();
      },
      stop.signal,
    );
    const answer = await gateway.call('approval.resolve', { id: approval!.id, decision: 'allow-once', by: 'test' });
    expect(answer).toMatchObject({ ok: true, stored: [] });
    await hearing;
    expect(heard).toEqual(['approval-requested', 'approval-resolved', 'exec-finished']);
    gateway.close();
  });
});
