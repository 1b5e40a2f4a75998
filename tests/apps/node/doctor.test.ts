/** What the built program says about settings that name nodes, and about pairings that are not confirmed. */
import { describe, expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

async function findings(machine: Home, id: string): Promise<readonly Shown[]> {
  const { checks } = (await json(machine, ['doctor'])) as { readonly checks: readonly Shown[] };
  return checks.filter((check) => check.id === id);
}

const human = async (machine: Home, ...args: readonly string[]): Promise<string> =>
  (await runPincer(machine, [...args, '--human'])).stdout;

describe('settings that name nodes', () => {
  it('are named by nodes rename and nodes remove, and by doctor', async () => {
    const agents = { list: [{ id: 'main' }, { id: 'writer', tools: { fs: { node: 'build' } } }] };
    const { gateway } = await startedGateway({ ...RUNS_ALL, agents });
    await invitedNode(gateway, RUNS_ALL, 'build');
    const set = await json(gateway, [
      'config',
      'set',
      'agents.list[0]',
      '{"id":"main","tools":{"exec":{"node":"docs"}}}',
    ]);
    expect(JSON.stringify(set)).toContain('no paired node is called');
    await json(gateway, ['config', 'set', 'tools.exec.nodes', '["build"]']);
    const renamed = await human(gateway, 'nodes', 'rename', 'build', 'other');
    const gone = (path: string) => `${path}: no paired node is called "build"; pincer nodes list shows them`;
    const lost = [gone('tools.exec.nodes[0]'), gone('agents.list[1].tools.fs.node')];
    expect(renamed).toMatch(/^renamed build to other \([a-z2-7]{32}\)\n/u);
    expect(renamed.split('\n').slice(1, -1)).toEqual(lost.map((text) => `warning: ${text}`));
    const [, ...problems] = await findings(gateway, 'gateway');
    expect(problems.map(({ message }) => message).toSorted()).toEqual(
      [
        ...lost,
        'agents.list[0].tools.exec.node: no paired node is called "docs"; pincer nodes list shows them',
      ].toSorted(),
    );
    expect(problems.find(({ message }) => message.startsWith('agents.list[1]'))?.fix).toBe(
      `pincer config set 'agents.list[1].tools.fs.node' <node>`,
    );
    await json(gateway, ['config', 'set', 'tools.exec.nodes', '["other"]']);
    expect(await json(gateway, ['nodes', 'remove', 'other'])).toMatchObject({
      warnings: ['tools.exec.nodes[0]: node "other" was removed; pincer nodes list shows the paired ones'],
    });
  });

  it('are reported where no machine was ever paired', async () => {
    const [finding] = await findings(home({ tools: { exec: { node: 'mac' } } }), 'gateway');
    expect(finding).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('tools.exec.node: no paired node'),
    });
  });
});

describe('a pairing that is not confirmed', () => {
  it('is reported on both machines, and approve prints the digits for an id, too', async () => {
    const { gateway, url } = await startedGateway();
    const node = home(RUNS_ALL);
    const running = started(node, ['node', 'run', '--gateway', url, '--name', 'n']);
    await until(() => running.state() === 'pending', 'the request');
    const { code } = running.lines.at(-1) as { readonly code: string };
    const [pending] = (await json(gateway, ['nodes', 'pending'])) as readonly { readonly id: string }[];
    const approved = await human(gateway, 'nodes', 'approve', pending!.id);
    expect(approved).toBe(`paired n (${pending!.id})\nrun there: pincer node confirm ${code}\n`);
    await until(() => running.state() === 'connected', 'the connection');
    expect((await findings(node, 'own-node'))[0]).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('not confirmed'),
      fix: expect.stringContaining('pincer node confirm'),
    });
    const restricted = async () =>
      (await findings(gateway, 'gateway')).find(({ message }) => message.includes('restrictions'));
    expect(await restricted()).toMatchObject({ status: 'warn', fix: expect.stringContaining('pincer node confirm') });
    await json(node, ['node', 'confirm', code]);
    await until(async () => (await restricted()) === undefined, 'the confirmation');
    expect((await findings(node, 'own-node')).map(({ status }) => status)).toEqual(['ok', 'ok']);
  });
});

describe('a gateway behind a proxy', () => {
  it.each([
    ['127.0.0.1:7463', 'ok', 'a reverse proxy terminates TLS'],
    ['0.0.0.0:7463', 'fail', 'which is not loopback'],
  ])('that listens on %s is %s', async (listen, status, text) => {
    const found = await findings(home({ nodes: { listen, tls: 'proxy' } }), 'gateway');
    expect(found).toContainEqual(expect.objectContaining({ status, message: expect.stringContaining(text) }));
  });
});
