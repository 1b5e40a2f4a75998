/** File tools of a gateway on the files of a node, through the built program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../src/wire/tool.ts';
import { until } from '../../support/patience.ts';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, started, startedGateway } from './machines.ts';

const PATCH = '*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+three\n*** End Patch\n';

/** A gateway whose agent `bound` works on the files of its node. */
async function twoMachines(nodeConfig: object = {}) {
  const { gateway } = await startedGateway();
  const { node, running } = await invitedNode(gateway, nodeConfig);
  await json(gateway, ['config', 'set', 'agents.list[0].id', '"bound"']);
  const set = await json(gateway, ['config', 'set', 'agents.list[0].tools.fs.node', '"n"']);
  return { gateway, node, running, set };
}

function call(machine: Home, tool: string, args: object, more: readonly string[] = []): Promise<ToolResult> {
  const flags = ['--agent', 'bound', '--allow-undo', ...more];
  return json(machine, ['call', tool, JSON.stringify(args), ...flags]) as Promise<ToolResult>;
}

function textIn({ workspace }: Home, name: string): string {
  return readFileSync(join(workspace, name), 'utf8');
}

describe('an agent that is bound to a node', () => {
  it('writes, edits, patches and undoes there, and the files of the gateway stay', async () => {
    const { gateway, node, set } = await twoMachines();
    expect(JSON.stringify(set)).not.toContain('no paired node');
    expect((await call(gateway, 'write', { path: 'b.txt', content: 'one\n' })).details).toMatchObject({
      path: 'b.txt',
      node: { name: 'n' },
    });
    await call(gateway, 'edit', { path: 'b.txt', oldText: 'one', newText: 'two' });
    await call(gateway, 'apply_patch', { input: PATCH });
    expect(textIn(node, 'b.txt')).toBe('three\n');
    expect(readdirSync(gateway.workspace)).toEqual(['a.txt']);

    const onNode = (await json(node, ['changes'])) as { changes: readonly { id: string; agent: string }[] };
    const atGateway = (await json(gateway, ['changes', '--node', 'n'])) as typeof onNode;
    expect(atGateway.changes.map(({ id }) => id)).toEqual(onNode.changes.map(({ id }) => id));
    expect(onNode.changes.map(({ agent }) => agent)).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/^[a-z2-7]{32}\/bound$/u) as string),
    );
    expect(await json(gateway, ['undo', '--node', 'n'])).toMatchObject({ ok: true, files: ['b.txt'] });
    expect(textIn(node, 'b.txt')).toBe('two\n');
    expect(await json(gateway, ['redo', '--node', 'n'])).toMatchObject({ ok: true });
    expect((await call(gateway, 'changes', { action: 'undo' })).isError).toBeUndefined();
    expect(textIn(node, 'b.txt')).toBe('two\n');
    await json(node, ['undo']);
    expect(textIn(node, 'b.txt')).toBe('one\n');
  });

  it('shows where its file tools work, and undoes nothing on the wrong machine', async () => {
    const { gateway, node } = await twoMachines();
    const shown = await json(gateway, ['status', '--agent', 'bound']);
    const where = `file tools work on the files of node n, within its workspace ${node.workspace}`;
    expect(shown).toMatchObject({ policy: { posture: { files: where } } });
    const refused = await runPincer(gateway, ['undo', '--agent', 'bound']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('pincer undo --node n')]);
    const { stdout } = await runPincer(gateway, ['nodes', 'show', 'n', '--human']);
    expect(stdout).toContain('files rw');
    const { instructions, result } = await overMcp(gateway, { path: 'm.txt', content: 'mcp' });
    expect(instructions).toContain('Paths are relative to the workspace of node n.');
    expect(instructions).toContain(where);
    expect(result.isError).not.toBe(true);
    expect([textIn(node, 'm.txt'), existsSync(join(gateway.workspace, 'm.txt'))]).toEqual(['mcp', false]);
  });

  it('says on the command line that a setting has chosen the node, for every command of files', async () => {
    const { gateway, node } = await twoMachines();
    await json(gateway, ['config', 'set', 'tools.fs.node', '"n"']);
    writeFileSync(join(node.workspace, 'c.jsonc'), '{"port": 1}\n');
    writeFileSync(join(gateway.workspace, 'c.jsonc'), '{"port": 7}\n');
    const notice = 'pincer: this command works on the files of node n (tools.fs.node)\n';
    const run = (...args: readonly string[]) =>
      runPincer(gateway, [...args, ...(args[0] === 'path' ? ['--human'] : [])]);
    expect(await run('write', 'w.txt', 'x')).toEqual({
      code: 0,
      stdout: 'node n: Successfully wrote 1 bytes to w.txt\n',
      stderr: notice,
    });
    expect((await run('edit', 'w.txt', '--old', 'x', '--new', 'y')).stdout).toMatch(/^node n: Successfully edited/u);
    expect(await run('read', 'w.txt')).toEqual({ code: 0, stdout: 'y\n', stderr: notice });
    expect((await run('read', 'missing.txt')).stderr).toContain('FS_NOT_FOUND: node n: file not found: missing.txt');
    const set = await run('path', 'set', 'oc://c.jsonc/port', '2');
    expect([set.stdout, set.stderr]).toEqual([expect.stringContaining('c.jsonc on node n'), notice]);
    expect([textIn(node, 'c.jsonc'), textIn(gateway, 'c.jsonc')]).toEqual(['{"port": 2}\n', '{"port": 7}\n']);
    expect((await run('path', 'resolve', 'oc://c.jsonc/port', '--cwd', '.')).stdout).toContain('7');
    const refused = await run('path', 'ls', 'c.jsonc');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('path ls does not work on node n')]);
    expect((await run('path', 'ls', 'c.jsonc', '--cwd', '.')).code).toBe(0);
    const named = await run('read', 'w.txt', '--node', 'n');
    expect([named.stdout, named.stderr]).toEqual(['y\n', '']);
  });

  it('is not replaced by this machine where the configuration cannot be read', async () => {
    const machine = home({});
    writeFileSync(join(machine.folder, 'config', 'pincer', 'pincer.jsonc'), '{"tools": {"fs": {"node": "n"}}');
    writeFileSync(join(machine.workspace, 'c.jsonc'), '{"port": 7}\n');
    const set = ['path', 'set', 'oc://c.jsonc/port', '2'];
    const written = await runPincer(machine, ['write', 'c.jsonc', 'x']);
    for (const refused of [await runPincer(machine, set), await runPincer(machine, ['path', 'emit', 'c.jsonc'])])
      expect([refused.code, refused.stderr]).toEqual([written.code, expect.stringContaining('CONFIG_SYNTAX')]);
    expect(textIn(machine, 'c.jsonc')).toBe('{"port": 7}\n');
    expect((await runPincer(machine, [...set, '--cwd', '.'])).code).toBe(0);
    expect(textIn(machine, 'c.jsonc')).toBe('{"port": 2}\n');
  });

  it('reads only where the node offers only that, and nothing where it offers nothing', async () => {
    const { gateway, node } = await twoMachines({ node: { files: 'ro' } });
    expect((await call(gateway, 'read', { path: 'a.txt' })).content).toMatchObject([{ text: 'one\ntwo\n' }]);
    const write = { path: 'a.txt', content: 'x' };
    expect(await call(gateway, 'write', write)).toMatchObject({ isError: true, details: { code: 'NODE_CANNOT' } });
    await json(node, ['config', 'set', 'node.files', '"none"']);
    // The node connects again to tell the gateway.
    const codeNow = async () => (await call(gateway, 'read', { path: 'a.txt' })).details['code'];
    await until(async () => (await codeNow()) === 'NODE_CANNOT', 'the new offer');
    expect(textIn(node, 'a.txt')).toBe('one\ntwo\n');
  });

  it('does not leave the workspace of the node through a symlink', async () => {
    const { gateway, node } = await twoMachines();
    writeFileSync(join(node.folder, 'secret'), 'secret');
    symlinkSync('../secret', join(node.workspace, 'link'));
    for (const [tool, args] of [
      ['read', { path: 'link' }],
      ['write', { path: 'link', content: 'x' }],
      ['path', { verb: 'resolve', path: `oc://..%2Fsecret/a` }],
    ] as const)
      expect(await call(gateway, tool, args)).toMatchObject({ isError: true });
    expect(readFileSync(join(node.folder, 'secret'), 'utf8')).toBe('secret');
  });

  it('fails while the node is off, and sends nothing later', async () => {
    const { gateway, node, running } = await twoMachines();
    await running.end();
    const result = await call(gateway, 'write', { path: 'late.txt', content: 'x' });
    expect(result).toMatchObject({ isError: true, details: { code: 'NODE_OFFLINE' } });
    const again = started(node, ['node', 'run', '--workspace', node.workspace]);
    await until(() => again.state() === 'connected', 'the connection');
    expect((await call(gateway, 'read', { path: 'a.txt' })).isError).toBeUndefined();
    expect(existsSync(join(node.workspace, 'late.txt'))).toBe(false);
    expect(existsSync(join(gateway.workspace, 'late.txt'))).toBe(false);
  });

  it('does not know whether a write happened on a node that falls silent, and the record there shows it', async () => {
    const { gateway, node, running } = await twoMachines();
    await call(gateway, 'write', { path: 'b.txt', content: 'before' });
    running.child.kill('SIGSTOP'); // it accepts what is sent, and answers nothing
    const result = await call(gateway, 'write', { path: 'b.txt', content: 'after' });
    expect(result).toMatchObject({ isError: true, details: { code: 'NODE_OUTCOME_UNKNOWN' } });
    expect(result.details['hint']).toContain('pincer changes --node');
    const states = running.lines.length;
    running.child.kill('SIGCONT');
    await until(() => running.lines.length > states && running.state() === 'connected', 'the reconnect');
    // The node may still be at work on what it received before.
    await until(async () => {
      const { changes } = (await json(gateway, ['changes', '--node', 'n'])) as { changes: readonly unknown[] };
      return changes.length === (textIn(node, 'b.txt') === 'after' ? 2 : 1);
    }, 'the record of what happened');
  });

  it('offers no files where the operator of the node named no workspace', async () => {
    const { gateway } = await startedGateway();
    const { node, running } = await invitedNode(gateway);
    await running.end();
    const again = started(node, ['node', 'run']);
    await until(() => again.state() === 'connected', 'the connection');
    const result = await call(gateway, 'read', { path: 'a.txt' }, ['--node', 'n']);
    expect(result).toMatchObject({ isError: true, details: { code: 'NODE_CANNOT' } });
    expect(result.error).toContain('it offers exec');
  });
});

describe('pincer path --node', () => {
  it('reads and changes one place on the node, byte for byte', async () => {
    const { gateway } = await startedGateway();
    const { node } = await invitedNode(gateway);
    const before = '{\r\n "id": 12345678901234567890, "v": 1.10 // kept\r\n}\r\n';
    writeFileSync(join(node.workspace, 'c.jsonc'), before);
    const at = ['--node', 'n'];
    const resolved = await runPincer(gateway, ['path', 'resolve', 'oc://c.jsonc/id', ...at]);
    const local = await runPincer(node, ['path', 'resolve', 'oc://c.jsonc/id']);
    expect(resolved).toEqual(local);
    const human = await runPincer(gateway, ['path', 'find', 'oc://c.jsonc/*', ...at, '--human']);
    expect(human.stdout).toContain('leaf @ L2: "12345678901234567890" (number)');
    const set = await runPincer(gateway, ['path', 'set', 'oc://c.jsonc/v', '1.20', ...at, '--human']);
    expect(set.stdout).toContain('on node n');
    expect(textIn(node, 'c.jsonc')).toBe(before.replace('1.10', '1.20'));
    const missing = await runPincer(gateway, ['path', 'resolve', 'oc://c.jsonc/none', ...at]);
    expect([missing.code, JSON.parse(missing.stdout)]).toEqual([1, { resolved: false, ocPath: 'oc://c.jsonc/none' }]);
  });

  it.each([
    [['path', 'resolve', 'oc://a.json/a', '--raw'], 2, '--node and --raw exclude each other'],
    [['path', 'set', '--batch', '-'], 2, '--node and --batch exclude each other'],
    [['read', 'a.txt', '--show-secrets'], 2, '--node and --show-secrets exclude each other'],
    [['call', 'exec', '{"command":"ls"}'], 2, '--node is for file tools'],
    [['undo', '--since', '1h'], 2, '--node and --since exclude each other'],
    [['undo', '--dry-run'], 2, '--node and --dry-run exclude each other'],
    [['read', 'a.txt'], 3, 'NODE_NONE_PAIRED'],
  ])('refuses %j', async (args, code, text) => {
    const { gateway } = await startedGateway();
    const run = await runPincer(gateway, [...args, '--node', 'n']);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});

/** The instructions for a client, and the result of its call of `write`. */
async function overMcp(machine: Home, args: object): Promise<{ instructions: string; result: ToolResult }> {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--agent', 'bound'], {
    cwd: machine.workspace,
    env: machine.env,
  });
  const closed = once(child, 'close');
  const answers: { readonly id?: number; readonly result?: unknown }[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    answers.push(...lines.map((line) => JSON.parse(line) as (typeof answers)[number]));
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async (id: number): Promise<unknown> => {
    await until(() => answers.some((one) => one.id === id), `answer ${id}`);
    return answers.find((one) => one.id === id)?.result;
  };
  const clientInfo = { name: 'test', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  const { instructions } = (await answer(1)) as { instructions: string };
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'write', arguments: args } });
  const result = (await answer(2)) as ToolResult;
  child.stdin.end();
  await closed;
  return { instructions, result };
}
