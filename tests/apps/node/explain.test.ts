/** What the built program says about a command that would run on a node: the answer of that node. */
import { describe, expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, startedGateway } from './machines.ts';

describe('pincer policy explain for a node', () => {
  it('prints the verdict of the rules of the node, and says that they decided', async () => {
    const { gateway } = await startedGateway({ tools: { exec: { host: 'node' } } });
    const { node } = await invitedNode(gateway, {}, 'build');
    // A rule of the gateway decides nothing there.
    await json(gateway, ['approvals', 'allowlist', 'add', '/usr/bin/uname']);
    const missed = await runPincer(gateway, ['policy', 'explain', 'uname', '--human']);
    expect(missed.code).toBe(4);
    expect(missed.stdout).toContain('allowlist-miss: node build: /usr/bin/uname is not on the allowlist');
    expect(missed.stdout).toContain('to pass: on node build: allow it: pincer approvals allowlist add /usr/bin/uname');
    expect(missed.stdout).toContain('decided by: the rules of node build');
    await json(node, ['approvals', 'allowlist', 'add', '/usr/bin/uname']);
    expect(await json(gateway, ['policy', 'explain', 'uname'])).toMatchObject({
      verdict: 'allow',
      code: 'allowlisted',
      node: { name: 'build', from: 'only' },
      effective: { host: 'node', node: 'build' },
    });
    expect((await runPincer(gateway, ['exec', '--', 'uname'])).code).toBe(0);
  });

  it('explains what --host, --node and --agent choose, and refuses what the gateway refuses', async () => {
    const agents = { list: [{ id: 'strict', tools: { exec: { security: 'deny' } } }] };
    const { gateway } = await startedGateway({ agents });
    await invitedNode(gateway, {}, 'build');
    const explain = (...args: readonly string[]) => json(gateway, ['policy', 'explain', ...args]);
    const onNode = ['--host', 'node', '--node', 'build'];
    expect(await explain(...onNode, 'true')).toMatchObject({ verdict: 'ask', node: { name: 'build', from: 'call' } });
    const refused = await explain(...onNode, '--agent', 'strict', 'true');
    expect(refused).toMatchObject({ verdict: 'deny', effective: { security: 'deny' } });
    expect(refused).not.toHaveProperty('node');
    expect(await explain('--host', 'gateway', 'true')).toMatchObject({
      verdict: 'ask',
      effective: { host: 'gateway' },
    });
  });

  it('fails with NODE_OFFLINE where the node is not connected, also without a gateway', async () => {
    const { gateway, running } = await startedGateway({ tools: { exec: { host: 'node' } } });
    const { running: node } = await invitedNode(gateway, {}, 'build');
    await node.end();
    const isOff = async (): Promise<boolean> =>
      ((await json(gateway, ['nodes', 'list'])) as readonly { connected: boolean }[])[0]?.connected === false;
    await until(isOff, 'the end of the connection');
    const off = await runPincer(gateway, ['policy', 'explain', 'true', '--human']);
    expect([off.code, off.stderr]).toEqual([3, expect.stringContaining('NODE_OFFLINE: node build is not connected')]);
    await running.end();
    const stopped = await runPincer(gateway, ['policy', 'explain', 'true', '--human']);
    expect(stopped.stderr).toContain('because pincer gateway is not running');
    expect((await runPincer(gateway, ['status', '--human'])).stdout).toContain('node build is not connected');
  });

  it('says that there is no paired node where none was ever paired', async () => {
    const run = await runPincer(home({ tools: { exec: { host: 'node' } } }), ['policy', 'explain', 'true', '--human']);
    expect(run.stderr).toContain('NODE_NONE_PAIRED');
  });
});
