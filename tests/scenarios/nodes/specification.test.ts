/**
 * Every sentence of the specification about nodes, through the built program.
 *
 * | sentence | test |
 * |---|---|
 * | `host=node` needs a paired node (companion app or headless node host) | needs a paired node |
 * | `node`: id or name of the node for `host=node` | chooses by id, name, binding and setting |
 * | with several nodes, set `exec.node` or `tools.exec.node` | chooses by id, name, binding and setting |
 * | `config set agents.list[0].tools.exec.node "id-or-name"`, `config get agents.list` | chooses by id, name, binding and setting |
 * | `/exec host=gateway security=allowlist ask=on-miss node=mac-1`; without arguments it shows the values | keeps `/exec` for a conversation |
 * | only overrides of the call that are not blocked are sent | sends only variables of the call |
 * | `env.PATH`, `LD_*` and `DYLD_*` are refused | sends only variables of the call |
 * | a headless node accepts PATH only where it comes before its own | puts a listed prefix before the PATH of the node |
 * | a macOS node drops PATH | drops the prefix for a macOS node |
 * | `security` is `allowlist` on nodes where it is unset, `ask` is `on-miss`; approvals come from the node's file | asks on the node |
 * | a request that needs approval answers `approval-pending` with an id at once | asks on the node |
 * | after the answer, `Exec finished` or `Exec denied` reports it | asks on the node |
 */
import { describe, expect, it } from 'vitest';
import { invitedNode, json, RUNS_ALL, startedGateway } from '../../apps/node/machines.ts';
import { type Home, runPincer } from '../../apps/serve/serving.ts';
import { until } from '../../support/patience.ts';
import { connectMac } from './mac-node.ts';

/** What a person sees: output, lines of standard error behind `! `, and an exit code other than 0. Ids are replaced. */
async function shown(machine: Home, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runPincer(machine, args);
  const errors = stderr === '' ? '' : stderr.replaceAll(/^(?=.)/gmu, '! ');
  const text = `${stdout}${errors}${code === 0 ? '' : `[exit ${code}]\n`}`;
  return text
    .replaceAll(machine.folder, '/home')
    .replaceAll(/\(\w{8}\)/gu, '(ID)')
    .replaceAll(/\b[0-9a-f]{8}\b/gu, 'SLUG');
}

const onNode = (...args: readonly string[]): readonly string[] => ['exec', '--host', 'node', ...args];

describe('a gateway', () => {
  it('needs a paired node', async () => {
    const { gateway } = await startedGateway();
    expect(await shown(gateway, onNode('--', 'true'))).toBe(
      '! NODE_NONE_PAIRED: there is no paired node to run on\n' +
        '! hint: pair one with pincer nodes invite or approve, or run on this machine with host=gateway\n[exit 3]\n',
    );
    const { running } = await invitedNode(gateway);
    expect(await shown(gateway, onNode('--', 'echo', 'hi'))).toBe('hi\n');
    await running.end();
    expect(await shown(gateway, onNode('--', 'true'))).toContain('! NODE_OFFLINE: ');
  });

  it('chooses by id, name, binding and setting', async () => {
    const { gateway } = await startedGateway({ ...RUNS_ALL, agents: { list: [{ id: 'main' }] } });
    const [one, two] = [await invitedNode(gateway, RUNS_ALL, 'mac-1'), await invitedNode(gateway, RUNS_ALL, 'mac-2')];
    const where = async (...args: readonly string[]): Promise<string> => {
      const printed = await shown(gateway, onNode(...args, '--', 'pwd'));
      return printed.replace(one.node.workspace, 'one').replace(two.node.workspace, 'two');
    };
    const nodes = (await json(gateway, ['nodes', 'list'])) as readonly { id: string; name: string }[];
    const idOfTwo = nodes.find(({ name }) => name === 'mac-2')!.id;
    expect(await where()).toBe(
      '! NODE_AMBIGUOUS: several nodes are connected, and none is named\n' +
        '! hint: set node or tools.exec.node to one of mac-1 (ID), mac-2 (ID)\n[exit 1]\n',
    );
    expect([
      await where('--node', 'mac-1'),
      await where('--node', idOfTwo),
      await where('--node', idOfTwo.slice(0, 6)),
    ]).toEqual(['one\n', 'two\n', 'two\n']);
    expect(await where('--node', 'mac-9')).toBe(
      '! NODE_UNKNOWN: there is no paired node "mac-9"\n! hint: nodes: mac-1 (ID), mac-2 (ID)\n[exit 1]\n',
    );
    expect(await shown(gateway, ['config', 'set', 'exec.node', 'mac-1', '--human'])).toBe(
      '! CONFIG_UNKNOWN_KEY: exec.node is the parameter node of a call of exec, not a setting\n' +
        '! hint: set tools.exec.node for all agents, or agents.list[0].tools.exec.node for one\n[exit 2]\n',
    );
    await shown(gateway, ['config', 'set', 'tools.exec.node', 'mac-1']);
    expect(await where()).toBe('one\n');
    await shown(gateway, ['config', 'set', 'agents.list[0].tools.exec.node', 'mac-2']);
    expect(await json(gateway, ['config', 'get', 'agents.list'])).toEqual([
      { id: 'main', tools: { exec: { node: 'mac-2' } } },
    ]);
    expect([await where(), await where('--agent', 'other'), await where('--node', 'mac-1')]).toEqual([
      'two\n',
      'one\n',
      'one\n',
    ]);
    expect(await shown(gateway, ['config', 'set', 'agents.list[0].tools.exec.node', 'nobody', '--human'])).toContain(
      'nobody',
    );
    expect(await where()).toContain('! NODE_UNKNOWN: there is no paired node "nobody"');
  });

  it('keeps /exec for a conversation', async () => {
    const { gateway } = await startedGateway();
    const [one, two] = [await invitedNode(gateway, RUNS_ALL, 'mac-1'), await invitedNode(gateway, RUNS_ALL, 'mac-2')];
    const say = (text: string, conversation = 'd'): Promise<string> =>
      shown(gateway, ['say', '--conversation', conversation, text, '--human']);
    await say('/exec host=gateway security=allowlist ask=on-miss node=mac-1', 'c');
    const values = await say('/exec', 'c');
    for (const value of ['gateway', 'allowlist', 'on-miss', 'mac-1']) expect(values).toContain(value);
    expect(await say('/exec host=node node=mac-2')).toBe(
      'exec: host=node (conversation), node=mac-2, security=full (config), ask=off (config), askFallback=deny (default)\n' +
        'commands run on node mac-2 (/exec node=), which judges them by its own rules\n',
    );
    expect(await say('/exec node=nobody')).toContain('commands fail: host=node (conversation), and there is no paired');
    await say('/exec node=mac-2');
    const inConversation = ['exec', '--conversation', 'd', '--', 'pwd'];
    expect((await runPincer(gateway, inConversation)).stdout).toBe(`${two.node.workspace}\n`);
    await say('/exec node=mac-1');
    expect((await runPincer(gateway, inConversation)).stdout).toBe(`${one.node.workspace}\n`);
    expect(await shown(gateway, onNode('--', 'pwd'))).toContain('NODE_AMBIGUOUS');
  });

  it('sends only variables of the call', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway);
    const withSecret: Home = { ...gateway, env: { ...gateway.env, OF_THE_CALLER: 'secret' } };
    const printed = await shown(withSecret, onNode('--env', 'GREETING=hi', '--', 'env'));
    expect(printed).toContain('GREETING=hi\n');
    expect(printed).not.toContain('OF_THE_CALLER');
    const refused: Record<string, string> = {
      PATH: 'it decides which program a name runs; the operator can set tools.exec.pathPrepend\n! hint: leave it out; the operator sets such variables, and tools.exec.pathPrepend for PATH',
      LD_PRELOAD:
        'it makes the system load other code into every program\n! hint: leave it out; the operator sets such variables',
      DYLD_INSERT_LIBRARIES:
        'it makes the system load other code into every program\n! hint: leave it out; the operator sets such variables',
    };
    for (const [name, why] of Object.entries(refused))
      expect(await shown(gateway, onNode('--env', `${name}=/x`, '--', 'env'))).toBe(
        `! EXEC_ENV_REFUSED: env.${name} is refused: ${why}\n[exit 1]\n`,
      );
  });

  it('puts a listed prefix before the PATH of the node', async () => {
    const { gateway } = await startedGateway({
      tools: { exec: { ...RUNS_ALL.tools.exec, pathPrepend: ['/opt/oss/bin'] } },
    });
    const { node } = await invitedNode(gateway, { ...RUNS_ALL, node: { pathPrefixes: ['/opt/oss/bin'] } });
    const path = await shown(gateway, onNode('-c', 'printf %s "$PATH"'));
    expect(path.startsWith('/opt/oss/bin:')).toBe(true);
    const own = (await runPincer(node, ['exec', '--host', 'gateway', '-c', 'printf %s "$PATH"'])).stdout;
    expect(path).toBe(`/opt/oss/bin:${own}`);
  });

  it('drops the prefix for a macOS node', async () => {
    const { gateway } = await startedGateway({
      tools: { exec: { ...RUNS_ALL.tools.exec, pathPrepend: ['/opt/oss/bin'] } },
    });
    const { invitation } = (await json(gateway, ['nodes', 'invite'])) as { invitation: string };
    const received = await connectMac(invitation, 'mac');
    await until(
      async () => ((await json(gateway, ['nodes', 'list'])) as { connected: boolean }[])[0]!.connected,
      'the node',
    );
    expect(await shown(gateway, onNode('--env', 'GREETING=hi', '--', 'uname'))).toBe(
      '! pincer: tools.exec.pathPrepend has no effect on node mac: a macOS node keeps its PATH\n',
    );
    expect(received.map(({ path, request: { env } }) => ({ path, env }))).toEqual([
      { path: undefined, env: { GREETING: 'hi' } },
    ]);
  });

  it('asks on the node', async () => {
    const { gateway } = await startedGateway({});
    const { node } = await invitedNode(gateway, {});
    const called = await runPincer(gateway, ['call', 'exec', '{"command":"uname","host":"node"}']);
    const { content, details } = JSON.parse(called.stdout) as {
      readonly content: readonly { readonly text: string }[];
      readonly details: Record<string, unknown>;
    };
    expect(details).toMatchObject({
      status: 'approval-pending',
      approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      host: 'node',
      node: { name: 'n' },
      command: 'uname',
    });
    const slug = String(details['approvalSlug']);
    expect(content[0]!.text).toContain(
      `Approval required (id ${slug}, node=n): /usr/bin/uname is not on the allowlist.`,
    );
    const question = await shown(gateway, ['approvals', 'show', slug, '--human']);
    expect(question).toContain('\n  hint: on node n: allow it: pincer approvals allowlist add /usr/bin/uname\n');
    const answeredAt = Date.now();
    expect(await shown(node, ['approvals', 'allow', slug, '--human'])).toContain('allowed SLUG, session');
    const reported = async (pattern: RegExp): Promise<boolean> =>
      pattern.test((await runPincer(gateway, ['events', '--human'])).stdout);
    const finished = `Exec finished \\(node=n id=${String(details['approvalId'])}, session=\\S+, code 0\\)\\n +Linux\\n`;
    await until(() => reported(new RegExp(finished, 'u')), 'the notice');
    const [session] = (await json(gateway, ['ps', '--all'])) as readonly Record<string, unknown>[];
    expect(session).toMatchObject({
      status: 'completed',
      command: 'uname',
      host: 'node',
      node: { name: 'n', from: 'only' },
      tail: 'Linux\n',
    });
    expect(session!['startedAt']).toBeGreaterThanOrEqual(answeredAt); // when it ran, not when it was asked about
    const listed = (await runPincer(gateway, ['ps', '--all', '--human'])).stdout.replaceAll(/ +/gu, ' ');
    expect(listed).toMatch(/^ID STATE HOST PID TIME CLIENT AGENT COMMAND\n\S+ exit 0 node n - \S+ you main uname\n$/u);
    expect((await runPincer(gateway, ['events', '--human'])).stdout).toMatch(
      /^1 \S+ node-paired pincer: node n \(\w{32}\) is paired by invitation/u,
    );
    await runPincer(node, ['approvals', 'allowlist', 'add', '/usr/bin/uname']);
    expect(await shown(gateway, onNode('--', 'uname'))).toBe('Linux\n');
    expect(await shown(gateway, onNode('--security', 'deny', '--', 'uname'))).toContain('security=deny');
    const asked = await runPincer(gateway, onNode('--ask', 'always', '--', 'uname'));
    expect(asked.code).toBe(4);
    const denied = /approval ([0-9a-f]{8})/u.exec(asked.stderr)![1]!;
    await runPincer(node, ['approvals', 'deny', denied]);
    await until(() => reported(new RegExp(`Exec denied \\(node=n id=${denied}`, 'u')), 'the denial');
  });
});
