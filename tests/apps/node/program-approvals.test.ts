/** The built program: a node asks, and a person answers at the gateway or on the node. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import type { NodeDetails } from '../../../src/wire/nodes/administration.ts';
import type { Notice } from '../../../src/wire/notice.ts';
import { until } from '../../support/patience.ts';
import { type Home, runPincer } from '../serve/serving.ts';
import { invitedNode, json, started, startedGateway, type StartedNode } from './machines.ts';

async function machines(nodeConfig: object = {}): Promise<StartedNode & { readonly gateway: Home }> {
  const { gateway } = await startedGateway({});
  return { gateway, ...(await invitedNode(gateway, nodeConfig)) };
}

async function pendingAt(machine: Home): Promise<readonly ApprovalInfo[]> {
  return ((await json(machine, ['approvals', 'list'])) as { approvals: readonly ApprovalInfo[] }).approvals;
}

function onNode(machine: Home, options: readonly string[], ...command: readonly string[]) {
  return runPincer(machine, ['exec', '--host', 'node', ...options, '--', ...command]);
}

async function notices(machine: Home): Promise<readonly string[]> {
  const { stdout } = await runPincer(machine, ['events', '--json']);
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as Notice);
  return all.filter(({ approvalId }) => approvalId !== undefined).map(({ text }) => text.split('\n', 1)[0]!);
}

describe('pincer approvals at the gateway', () => {
  it('lists a question of a node with its name, and an answer runs the command', async () => {
    const { gateway, node } = await machines();
    const asked = await onNode(gateway, [], 'touch', 'ran');
    expect([asked.code, asked.stderr]).toEqual([4, expect.stringContaining('touch ran on node n (')]);
    const [approval] = await pendingAt(gateway);
    expect(approval).toMatchObject({ binding: { host: 'node', command: 'touch ran' }, node: { name: 'n' } });
    expect((await pendingAt(node)).map(({ id }) => id)).toEqual([approval!.id]);
    const listed = await runPincer(gateway, ['approvals', 'list', '--human']);
    expect(listed.stdout).toContain(`on node n in ${node.workspace}`);
    const allowed = await runPincer(gateway, ['approvals', 'allow', approval!.slug, '--human']);
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      expect.stringMatching(/^allowed \w+, session \S+: touch ran\n/u),
    ]);
    expect(existsSync(join(node.workspace, 'ran'))).toBe(true);
    await until(async () => (await notices(gateway)).length >= 3, 'the notices');
    expect(await notices(gateway)).toEqual([
      `Approval required (${approval!.slug}, node=n): touch ran`,
      expect.stringMatching(/: allow-once by /u),
      expect.stringMatching(/^Exec finished \(node=n id=\S+, session=\S+, code 0\)$/u),
    ]);
  });

  it('denies with a reason; a denial on the node is reported', async () => {
    const { gateway, node } = await machines();
    await onNode(gateway, [], 'touch', 'a');
    const [first] = await pendingAt(gateway);
    expect((await runPincer(gateway, ['approvals', 'deny', first!.slug, '--reason', 'not here'])).code).toBe(0);
    await onNode(gateway, [], 'touch', 'b');
    const [second] = await pendingAt(gateway);
    await runPincer(node, ['approvals', 'deny', second!.slug]);
    const denied = [
      `Exec denied (node=n id=${first!.id}, user-denied: not here): touch a`,
      `Exec denied (node=n id=${second!.id}, user-denied): touch b`,
    ];
    await until(async () => (await notices(gateway)).includes(denied[1]!), 'the denial');
    expect(await notices(gateway)).toEqual(expect.arrayContaining(denied));
    expect([existsSync(join(node.workspace, 'a')), existsSync(join(node.workspace, 'b'))]).toEqual([false, false]);
  });

  it('lets exec --wait wait for the answer, and pass on output and exit code', async () => {
    const { gateway } = await machines();
    const waiting = onNode(gateway, ['--wait'], 'sh', '-c', 'echo out; exit 3');
    await until(async () => (await pendingAt(gateway)).length > 0, 'the question');
    const [approval] = await pendingAt(gateway);
    await runPincer(gateway, ['approvals', 'allow', approval!.slug]);
    const { code, stdout } = await waiting;
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'out\n' });
  });

  it('says where to answer where the node accepts no answers from its gateway', async () => {
    const { gateway, node } = await machines({ node: { answers: 'none' } });
    const asked = await onNode(gateway, [], 'touch', 'ran');
    const [approval] = await pendingAt(gateway);
    expect(asked.stderr).toContain(`hint: answer it on node n: pincer approvals allow ${approval!.slug}`);
    const refused = await runPincer(gateway, ['approvals', 'allow', approval!.slug, '--human']);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('refused: not-authorised — node n:')]);
    await runPincer(node, ['approvals', 'allow', approval!.slug]);
    await until(() => existsSync(join(node.workspace, 'ran')), 'the command');
  });
});

it('node.exec=off stops the gateway at once: old questions are answered on the node, and old sessions get no input', async () => {
  const { gateway, node } = await machines();
  await onNode(gateway, ['--pty', '--background'], 'sh');
  const [shell] = await pendingAt(gateway);
  await runPincer(gateway, ['approvals', 'allow', shell!.slug]);
  await until(async () => ((await json(gateway, ['ps'])) as readonly object[]).length === 1, 'the session');
  const [{ id: sessionId }] = (await json(gateway, ['ps'])) as readonly [{ readonly id: string }];
  await onNode(gateway, ['--background'], 'touch', 'ran');
  const [question] = await pendingAt(gateway);
  await json(node, ['config', 'set', 'node.exec', '"off"']);
  const isOff = async () => {
    const { connected, offer } = (await json(gateway, ['nodes', 'show', 'n'])) as NodeDetails;
    return connected && offer.exec === 'off';
  };
  await until(isOff, 'the new offer');
  const typed = JSON.stringify({ action: 'write', sessionId, data: 'touch typed\n' });
  const written = await runPincer(gateway, ['call', 'process', typed]);
  expect(written.stdout + written.stderr).toContain('node.exec is off');
  const refused = await runPincer(gateway, ['approvals', 'allow', question!.slug, '--human']);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('older than node.exec=off')]);
  expect(existsSync(join(node.workspace, 'ran'))).toBe(false);
  await runPincer(node, ['approvals', 'allow', question!.slug]);
  await until(() => existsSync(join(node.workspace, 'ran')), 'the command');
  expect((await runPincer(gateway, ['kill', sessionId])).code).toBe(0);
  expect(existsSync(join(node.workspace, 'typed'))).toBe(false);
});

describe('SIGKILL of a node', () => {
  it('whose command has just been allowed: it is lost, reported once, and its question is closed', async () => {
    const { gateway } = await startedGateway({});
    const { node, running } = await invitedNode(gateway, {});
    const ran = join(node.workspace, 'ran');
    await onNode(gateway, ['--background'], 'sh', '-c', 'echo x >> ran; sleep 600');
    const [{ id, slug }] = (await pendingAt(gateway)) as readonly [ApprovalInfo];
    const allowed = runPincer(gateway, ['approvals', 'allow', slug]);
    await until(() => existsSync(ran), 'the command');
    await running.end('SIGKILL');
    started(node, ['node', 'run']);
    await allowed;
    const show = () => json(gateway, ['approvals', 'show', id]) as Promise<ApprovalInfo>;
    await until(async () => (await show()).outcome !== undefined, 'the outcome');
    expect(await show()).toMatchObject({ state: 'allowed', outcome: expect.stringMatching(LOST) as string });
    await until(
      async () => ((await json(gateway, ['nodes', 'show', 'n'])) as NodeDetails).requests?.length === 0,
      'the end',
    );
    expect((await notices(gateway)).slice(1).toSorted()).toEqual([
      expect.stringMatching(/: allow-once by /u),
      expect.stringMatching(LOST),
    ]);
    expect(readFileSync(ran, 'utf8')).toBe('x\n');
    const { stdout } = await runPincer(gateway, ['events', '--audit', '--json']);
    expect(stdout).not.toContain('request never ran');
  });
});

it('a removed node denies the questions of its gateway', async () => {
  const { gateway, node } = await machines();
  await onNode(gateway, [], 'touch', 'ran');
  const [{ slug }] = (await pendingAt(node)) as readonly [ApprovalInfo];
  await json(gateway, ['nodes', 'remove', 'n']);
  await until(async () => (await pendingAt(node)).length === 0, 'the denial');
  expect(await json(node, ['approvals', 'show', slug])).toMatchObject({ state: 'denied', resolvedBy: 'pincer' });
  expect(existsSync(join(node.workspace, 'ran'))).toBe(false);
});

it.each(['forgets its gateway', 'is paired with another gateway'])(
  'a machine that %s denies its questions',
  async (how) => {
    const { gateway, node, running } = await machines();
    await onNode(gateway, [], 'touch', 'ran');
    const [{ slug }] = (await pendingAt(node)) as readonly [ApprovalInfo];
    await running.end();
    if (how === 'forgets its gateway') await json(node, ['node', 'forget']);
    else {
      const { gateway: other } = await startedGateway({});
      const { invitation } = (await json(other, ['nodes', 'invite'])) as { readonly invitation: string };
      expect((await runPincer(node, ['node', 'pair', '--invitation', invitation])).code).toBe(0);
    }
    expect(await pendingAt(node)).toEqual([]);
    expect(await json(node, ['approvals', 'show', slug])).toMatchObject({ state: 'denied', resolvedBy: 'pincer' });
  },
);

/** With a session where the gateway had heard of it. */
const LOST = /^Exec finished \(node=n id=[^ ,]+(?:, session=[^ ,]+)?, lost\)$/u;
