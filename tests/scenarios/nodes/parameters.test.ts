/**
 * The sentences of the specification about every command, for commands on a node, through the built program.
 *
 * | sentence | test |
 * |---|---|
 * | `workdir`, `env`, `timeout`, `security`, `ask`, `elevated` | takes every parameter |
 * | `yieldMs` and `background` continue a command in the background; `process` polls it, sends keys, submits, pastes | runs in a terminal |
 * | a background session that ends is reported (`tools.exec.notifyOnExit`) | runs in the background |
 * | `ps` shows the host, `logs`, `attach` and `kill` work as on this machine | is seen, read, continued and ended by a person |
 * | a session belongs to its agent; `process` sees only those of its agent | runs in the background |
 * | without `process`, exec runs synchronously and ignores `yieldMs` and `background` | runs synchronously |
 * | `tools.deny: ["exec"]` disables it | is denied by the tool policy |
 * | `Exec running` is reported once after `tools.exec.approvalRunningNoticeMs` | reports a long command once |
 * | `security=allowlist` rejects chains and redirections, and compares resolved paths | judges as this machine does |
 * | `/exec` needs an authorised sender (`commands.allowFrom`, pairing) and changes only the conversation | obeys authorised senders |
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { invitedNode, json, RUNS_ALL, startedGateway } from '../../apps/node/machines.ts';
import { type Home, PROGRAM, runPincer } from '../../apps/serve/serving.ts';
import { UNTIL_GO, until } from '../../support/patience.ts';

interface Called {
  readonly details: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function call(machine: Home, tool: 'exec' | 'process', args: object, agent = 'main'): Promise<Called> {
  const { stdout, stderr } = await runPincer(machine, ['call', tool, JSON.stringify(args), '--agent', agent]);
  if (stdout === '') throw new Error(stderr);
  const { details, content } = JSON.parse(stdout) as {
    readonly details: Called['details'];
    readonly content: readonly { readonly text: string }[];
  };
  return { details, text: content[0]!.text };
}

const onNode = (machine: Home, args: object, agent?: string): Promise<Called> =>
  call(machine, 'exec', { host: 'node', ...args }, agent);

async function noticesOf(machine: Home, kind: string): Promise<readonly string[]> {
  const { stdout } = await runPincer(machine, ['events', '--json']);
  const all = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, string>]));
  return all.filter((notice) => notice['kind'] === kind).map(({ text }) => text!);
}

describe('a command on a node', () => {
  it('takes every parameter', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway);
    const both = await onNode(gateway, {
      command: 'printf "%s " "$GREETING"; pwd',
      workdir: '/',
      env: { GREETING: 'hi' },
    });
    expect([both.text, both.details]).toEqual([
      'hi /',
      expect.objectContaining({ status: 'completed', cwd: '/', exitCode: 0 }),
    ]);
    expect(both.details['node']).toMatchObject({ name: 'n', from: 'only' });
    expect((await onNode(gateway, { command: 'pwd', workdir: '.' })).text).toBe(node.workspace);
    expect((await onNode(gateway, { command: 'sleep 600', timeout: 1 })).details).toMatchObject({
      status: 'failed',
      code: 'EXEC_TIMEOUT',
    });
    expect((await onNode(gateway, { command: 'true', security: 'deny' })).details).toMatchObject({
      status: 'denied',
      reason: 'security=deny',
    });
    expect((await onNode(gateway, { command: 'true', ask: 'always' })).details).toMatchObject({
      status: 'approval-pending',
    });
    expect((await onNode(gateway, { command: 'echo hi', elevated: true })).text).toContain(
      'elevated has no effect on a node',
    );
    expect((await onNode(gateway, { command: 'true', node: 'nobody' })).details).toMatchObject({
      code: 'NODE_UNKNOWN',
      candidates: [{ name: 'n', connected: true }],
    });
  });

  it('runs in a terminal, with every action of process', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway);
    const { details } = await onNode(gateway, { command: 'bash --norc --noprofile', pty: true, background: true });
    const session = (action: string, more: object = {}): Promise<Called> =>
      call(gateway, 'process', { action, sessionId: details['sessionId'], ...more });
    const prints = (what: RegExp): Promise<void> =>
      until(async () => what.test((await session('log')).text), String(what));
    await session('resize', { cols: 132, rows: 40 });
    await session('write', { data: 'stty size\n' });
    await prints(/^40 132$/mu);
    await session('send-keys', { keys: ['e', 'c', 'h', 'o', 'Space', 'k', 'e', 'y', 's', 'Enter'] });
    await prints(/^keys$/mu);
    await session('paste', { text: 'echo pasted' });
    await session('submit');
    await prints(/^pasted$/mu);
    expect((await session('screen')).text).toContain('\npasted\n');
    await session('send-keys', { keys: ['C-d'] });
    await until(async () => (await session('poll')).details['status'] === 'completed', 'the end');
    expect((await session('poll')).details).toMatchObject({ status: 'completed', exitCode: 0 });
    expect((await session('remove')).text).toContain('removed');
    expect((await call(gateway, 'process', { action: 'list' })).details).toMatchObject({ sessions: [] });
  });

  it('runs in the background, for its agent only, and its end is reported', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway);
    const go = (): void => writeFileSync(join(node.workspace, 'go'), '');
    const first = await onNode(gateway, { command: `echo begun; ${UNTIL_GO}; echo over`, yieldMs: 100 });
    expect(first.details).toMatchObject({ status: 'running' });
    const { sessionId } = first.details;
    const asOther = await call(gateway, 'process', { action: 'poll', sessionId }, 'other');
    expect(asOther.details).toMatchObject({ status: 'failed', code: 'EXEC_SESSION_UNKNOWN' });
    expect((await call(gateway, 'process', { action: 'list' }, 'other')).details).toMatchObject({ sessions: [] });
    go();
    await until(async () => (await noticesOf(gateway, 'exec-exit')).length > 0, 'the notice');
    expect(await noticesOf(gateway, 'exec-exit')).toEqual([
      `Exec completed (${String(sessionId).slice(0, 8)}, code 0) :: begun over`,
    ]);
    const ended = await onNode(gateway, { command: 'sleep 600', background: true });
    await call(gateway, 'process', { action: 'kill', sessionId: ended.details['sessionId'] });
    const [newest] = (await json(gateway, ['ps', '--all'])) as readonly Record<string, unknown>[];
    expect(newest).toMatchObject({ id: ended.details['sessionId'], failure: 'killed', host: 'node' });
  });

  it('is seen, read, continued and ended by a person', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway);
    const command = 'echo name?; read name; echo "hello $name"; exit 6';
    const { details } = await onNode(gateway, { command, pty: true, background: true });
    const id = String(details['sessionId']);
    await until(async () => (await runPincer(gateway, ['logs', id])).stdout.includes('name?'), 'the question');
    expect((await runPincer(gateway, ['ps', '--human'])).stdout).toMatch(new RegExp(`^${id} +running +node n `, 'mu'));
    const attached = spawn(process.execPath, [PROGRAM, 'attach', id], { cwd: gateway.workspace, env: gateway.env });
    let seen = '';
    attached.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
    await until(() => seen.includes('name?'), 'the output so far');
    attached.stdin.write('you\r');
    expect(await once(attached, 'close')).toEqual([6, null]);
    expect(seen).toContain('hello you');
    const other = await onNode(gateway, { command: 'sleep 600', background: true });
    expect((await runPincer(gateway, ['kill', String(other.details['sessionId'])])).code).toBe(0);
    expect((await runPincer(gateway, ['ps', '--human'])).stdout).not.toContain('sleep 600');
  });

  it('runs synchronously where process is denied', async () => {
    const { gateway } = await startedGateway({ ...RUNS_ALL, tools: { ...RUNS_ALL.tools, deny: ['process'] } });
    await invitedNode(gateway);
    for (const more of [{ background: true }, { yieldMs: 0 }])
      expect((await onNode(gateway, { command: 'seq 1 1000 | tail -n 1; echo over', ...more })).text).toBe(
        'Warning: background and yieldMs have no effect: the tool process is denied, so the command ran to its end\n\n1000\nover',
      );
  });

  it('is denied by the tool policy of the gateway', async () => {
    const { gateway } = await startedGateway({ ...RUNS_ALL, tools: { ...RUNS_ALL.tools, deny: ['exec'] } });
    const { node } = await invitedNode(gateway);
    const { code, stderr } = await runPincer(gateway, ['exec', '--host', 'node', '--', 'touch', 'ran']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('tools.deny')]);
    expect(existsSync(join(node.workspace, 'ran'))).toBe(false);
  });

  it('reports a long approved command once', async () => {
    const { gateway } = await startedGateway({ tools: { exec: { approvalRunningNoticeMs: 50 } } });
    const { node } = await invitedNode(gateway, {});
    const { details } = await onNode(gateway, { command: UNTIL_GO });
    const slug = String(details['approvalSlug']);
    const { code, stdout } = await runPincer(gateway, ['say', `/approve ${slug} allow-once`, '--human']);
    expect([code, stdout]).toEqual([0, `${slug}: allow-once\n`]);
    await until(async () => (await noticesOf(gateway, 'exec-running')).length > 0, 'the notice');
    writeFileSync(join(node.workspace, 'go'), '');
    await until(async () => (await noticesOf(gateway, 'exec-finished')).length > 0, 'the end');
    const id = String(details['approvalId']);
    expect(await noticesOf(gateway, 'exec-running')).toEqual([
      expect.stringMatching(new RegExp(`^Exec running \\(node=n id=${id}, session=\\S+, >1s\\): `, 'u')),
    ]);
  });

  it('is judged as on this machine', async () => {
    const { gateway } = await startedGateway({ tools: { exec: { ask: 'off' } } });
    const { node } = await invitedNode(gateway, { tools: { exec: { ask: 'off' } } });
    await runPincer(node, ['approvals', 'allowlist', 'add', '/usr/bin/uname']);
    const verdict = async (command: string): Promise<unknown> => {
      const { details } = await onNode(gateway, { command });
      return details['rule'] ?? details['status'];
    };
    writeFileSync(join(node.workspace, 'uname'), '#!/bin/sh\necho fake\n', { mode: 0o755 });
    expect([
      await verdict('uname'),
      await verdict('uname | head -n 1'),
      await verdict('./uname'),
      await verdict('uname; uname'),
      await verdict('uname > file'),
    ]).toEqual(['completed', 'completed', 'allowlist-miss', 'chaining', 'redirection']);
  });

  it('obeys /exec of an authorised node, and of no other', async () => {
    const { gateway } = await startedGateway();
    await invitedNode(gateway);
    const [{ id }] = (await json(gateway, ['nodes', 'list'])) as readonly [{ readonly id: string }];
    const say = (text: string): Promise<{ code: number | null; stdout: string }> =>
      runPincer(gateway, ['say', '--conversation', 'c', '--sender', `node:${id}`, text, '--human']);
    expect(await say('/exec host=node security=deny')).toMatchObject({
      code: 1,
      stdout: `node:${id} is not authorised: add the sender to commands.allowFrom in the operator's pincer.jsonc\n`,
    });
    await runPincer(gateway, ['config', 'set', 'commands.allowFrom', `["node:${id}"]`]);
    const before = await runPincer(gateway, ['config', 'get', 'tools']);
    expect(await say('/exec host=node security=deny')).toMatchObject({ code: 0 });
    expect(await runPincer(gateway, ['config', 'get', 'tools'])).toEqual(before);
    const { stderr } = await runPincer(gateway, ['exec', '--conversation', 'c', '--', 'true']);
    expect(stderr).toContain('denied (security=deny)');
    expect(await say('/approve 00000000 allow-once')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('with /exec only') as string,
    });
  });
});
