import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAiAgentsTools } from '../../../src/apps/adapters/openai-agents.ts';
import { allow } from '../../support/gateway.ts';
import { until, withEnoughTime } from '../../support/patience.ts';
import { judgedOptions } from './judged.ts';

async function place(files: Readonly<Record<string, string>> = {}, config?: object) {
  const { gateway, folder, options } = await judgedOptions(config);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const made = openAiAgentsTools({ ...options, by: 'ada' });
  const tool = (name: string) => made.functionTools.find((one) => one.name === name)!;
  return {
    ...made,
    gateway,
    folder,
    stateDir: dirname(options.stateDir!),
    tool,
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
    has: (name: string) => existsSync(join(folder, name)),
  };
}

const approvedContext = (answer: boolean | undefined) => ({ isToolApproved: () => answer });

describe('the function tools for the OpenAI Agents SDK', () => {
  it('have the structure of tool()', async () => {
    const { functionTools, tool } = await place();
    expect(functionTools.map(({ name }) => name)).toEqual(['read', 'write', 'edit', 'exec', 'process', 'path']);
    expect(tool('read')).toMatchObject({ type: 'function', strict: false, parameters: { required: ['path'] } });
    expect(await tool('read').isEnabled()).toBe(true);
  });

  it.each([
    { input: '{"path":"a.txt"}', says: 'hello\n' },
    { input: '{"path":"nope.txt"}', says: 'file not found: nope.txt\ncheck the name, or list its folder' },
    { input: '', says: 'read: the parameter path (also called file_path, filePath, file) is missing' },
    { input: '{"path":', says: 'read: the parameters must be an object' },
    { input: '[]', says: 'read: the parameters must be an object' },
  ])('answer $input with text, also for failures', async ({ input, says }) => {
    const { tool } = await place({ 'a.txt': 'hello\n' });
    expect(await tool('read').invoke({}, input)).toBe(says);
  });

  it('need approval only for commands that policy wants to ask about', async () => {
    const { tool } = await place();
    expect(await tool('exec').needsApproval({}, { command: 'touch made' })).toBe(true);
    expect(await tool('exec').needsApproval({}, { cmd: 'touch made' })).toBe(true);
    expect(await tool('write').needsApproval({}, { path: 'a', content: '' })).toBe(false);
    const free = await place({}, {});
    expect(await free.tool('exec').needsApproval({}, { command: 'touch made' })).toBe(false);
  });

  it.each([
    { approved: true, ran: true },
    { approved: undefined, ran: false },
    { approved: false, ran: false },
  ])('run a command if the run has approved it: $approved', async ({ approved, ran }) => {
    const { tool, has, gateway } = await place();
    const details = { toolCall: { callId: 'c1' } };
    const answer = await tool('exec').invoke(approvedContext(approved), '{"command":"touch made"}', details);
    expect(has('made')).toBe(ran);
    expect(JSON.stringify(answer).startsWith('"Approval required')).toBe(!ran);
    const [approval] = await gateway.call('approval.list', { state: 'all' });
    expect(approval?.resolvedBy).toBe(ran ? 'ada' : undefined);
  });

  it('take a yes for the parameters that were asked about, and once', async () => {
    const { tool, has } = await place();
    const exec = tool('exec');
    /** Whether it still waits for a person. */
    const run = async (command: string, callId: string) => {
      const answer = await exec.invoke(approvedContext(true), JSON.stringify({ command }), { toolCall: { callId } });
      return JSON.stringify(answer).startsWith('"Approval required');
    };
    expect(await exec.needsApproval({}, { command: 'touch asked' }, 'c1')).toBe(true);
    expect(await run('touch other', 'c1')).toBe(true);
    expect([has('other'), await run('touch asked', 'c1'), has('asked')]).toEqual([false, false, true]);
    expect([await run('touch asked', 'c1'), await run('touch other', 'c1')]).toEqual([true, true]);
    expect(await exec.needsApproval({}, { command: 'touch other' }, 'c1')).toBe(true);
    expect([await run('touch other', 'c1'), has('other')]).toEqual([false, true]);
  });

  it('end a command when the run is stopped', async () => {
    const { tool, gateway, has } = await place({}, {});
    const stop = new AbortController();
    const answer = tool('exec').invoke({}, '{"command":": > started; exec sleep 60"}', { signal: stop.signal });
    await until(() => has('started'), 'the start of the command');
    stop.abort();
    expect(await answer).toBe('Aborted');
    const sessions = await gateway.call('session.list', { caller: { agent: 'main' } });
    expect(sessions.filter(({ status }) => status === 'running')).toEqual([]);
  });
});

describe('the shell', () => {
  it('runs commands in order and reports how each ended', async () => {
    const { shell } = await place({}, {});
    const commands = ['echo one > a; echo out', 'cat a; exit 3'];
    expect(await shell.shell.run({ commands, maxOutputLength: 1_000 })).toEqual({
      maxOutputLength: 1_000,
      output: [
        { stdout: 'out\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
        { stdout: 'one\n', stderr: '', outcome: { type: 'exit', exitCode: 3 } },
      ],
    });
  });

  it('ends a command after its time', async () => {
    const { shell } = await place({}, {});
    const { output } = await withEnoughTime(
      (timeoutMs) => shell.shell.run({ commands: ['echo up; exec sleep 60'], timeoutMs }),
      (result) => result.output[0]!.stdout !== '',
      500,
    );
    expect(output).toEqual([
      { stdout: 'up\n', stderr: expect.stringMatching(/timed out/u) as string, outcome: { type: 'timeout' } },
    ]);
  });

  it('limits the output to its beginning and its end', async () => {
    const { shell } = await place({}, {});
    const { output } = await shell.shell.run({ commands: ['seq 1 1000'], maxOutputLength: 9 });
    expect(output[0]?.stdout).toBe('1\n2\n31000\n'.slice(0, 5) + '000\n');
  });

  it('runs an approved command once', async () => {
    const { shell, has, gateway } = await place();
    const action = { commands: ['touch made'] };
    expect(await shell.needsApproval({}, action)).toBe(true);
    const first = await shell.shell.run(action);
    expect(first.output[0]).toMatchObject({ outcome: { type: 'exit', exitCode: 0 } });
    expect(has('made')).toBe(true);
    const second = await shell.shell.run(action);
    expect(second.output[0]).toMatchObject({
      stderr: expect.stringMatching(/^Approval required/u) as string,
      outcome: { type: 'exit', exitCode: null },
    });
    expect(await gateway.call('approval.list', { state: 'pending' })).toHaveLength(1);
  });

  it('runs two calls with the same commands when both were asked about, and no third', async () => {
    const { shell } = await place();
    const action = { commands: ['echo x >> made'] };
    for (const callId of ['c1', 'c2', 'c2', 'c1']) await shell.needsApproval({}, action, callId);
    const codes = [];
    for (const _ of ['c1', 'c2', 'c3']) codes.push((await shell.shell.run(action)).output[0]?.outcome);
    expect(codes).toEqual([0, 0, null].map((exitCode) => ({ type: 'exit', exitCode })));
  });

  it('does not take the question of a call that was refused for one that needed none', async () => {
    const { shell, has, stateDir } = await place();
    const action = { commands: ['touch made'] };
    expect(await shell.needsApproval({}, action, 'refused')).toBe(true);
    allow(stateDir, ['/usr/bin/touch']);
    expect(await shell.needsApproval({}, action, 'free')).toBe(false);
    allow(stateDir, []);
    const { output } = await shell.shell.run(action);
    expect(output[0]?.stderr).toMatch(/^Approval required/u);
    expect(has('made')).toBe(false);
  });

  it('does not run a command without an approval request', async () => {
    const { shell, has } = await place();
    await shell.needsApproval({}, { commands: ['touch other'] });
    const { output } = await shell.shell.run({ commands: ['touch made'] });
    expect(output[0]?.stderr).toMatch(/^Approval required/u);
    expect(has('made')).toBe(false);
  });
});

describe('the editor', () => {
  it('creates, changes, moves and deletes one file at a time', async () => {
    const { editor, text, has } = await place();
    expect(await editor.createFile({ path: 'a.txt', diff: '+one\n+two\n' })).toEqual({
      status: 'completed',
      output: 'Success. Updated the following files:\nA a.txt',
    });
    expect(text('a.txt')).toBe('one\ntwo\n');
    await editor.updateFile({ path: 'a.txt', diff: '@@\n one\n-two\n+three\n' });
    expect(text('a.txt')).toBe('one\nthree\n');
    await editor.updateFile({ path: 'a.txt', moveTo: 'b.txt', diff: '@@\n-one\n+1\n three' });
    expect([has('a.txt'), text('b.txt')]).toEqual([false, '1\nthree\n']);
    expect(await editor.deleteFile({ path: 'b.txt' })).toMatchObject({ status: 'completed' });
    expect(has('b.txt')).toBe(false);
  });

  it.each([
    { why: 'a diff that goes on to another file', path: 'a.txt', diff: '@@\n-one\n+two\n*** Delete File: keep.txt\n' },
    {
      why: 'a path that does',
      path: 'a.txt\n*** Delete File: keep.txt\n*** Update File: a.txt',
      diff: '@@\n-one\n+two\n',
    },
    {
      why: 'a diff that ends the patch',
      path: 'a.txt',
      diff: '@@\n-one\n+two\n*** End Patch\n*** Begin Patch\n*** Delete File: keep.txt',
    },
    { why: 'a diff that moves the file', path: 'a.txt', diff: '*** Move to: keep2.txt\n@@\n-one\n+two\n' },
    { why: 'a diff that does not fit', path: 'a.txt', diff: '@@\n-three\n+two\n' },
    { why: 'a path outside', path: '../a.txt', diff: '@@\n-one\n+two\n' },
  ])('refuses $why', async ({ path, diff }) => {
    const { editor, text, has } = await place({ 'a.txt': 'one\n', 'keep.txt': 'x' });
    expect(await editor.updateFile({ path, diff })).toMatchObject({ status: 'failed' });
    expect([text('a.txt'), text('keep.txt'), has('keep2.txt')]).toEqual(['one\n', 'x', false]);
  });
});
