import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withEnoughTime } from '../../support/patience.ts';
import { connect, ERAS, ground, textIn } from './serving.ts';

const ALLOWED = { tools: { exec: { security: 'full', ask: 'off' } } };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(ERAS)('a client of the %s era', (era) => {
  it('calls every tool by its own name, by those of the seeds and with other names of parameters', async () => {
    const at = ground(ALLOWED, { 'a.txt': 'one\ntwo\n', 'c.json': '{"a": {"b": 1}}\n' });
    const { call } = await connect(at, { era, name: 'codex-mcp-client', args: ['--allow-undo'] });
    at.configure({ tools: { exec: { ...ALLOWED.tools.exec, applyPatch: { enabled: true } } } });
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+four\n*** End Patch\n';
    const texts = [
      textIn(await call('sandboxed_read', { file_path: 'a.txt' })),
      textIn(await call('host_workspace_write', { path: 'n.txt', content: 'new\n' })),
      textIn(await call('host_workspace_edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' })),
      textIn(await call('apply_patch', { input: patch })),
      textIn(await call('exec', { cmd: 'echo hi' })),
      textIn(await call('process', { action: 'list' })),
      textIn(await call('path', { verb: 'resolve', path: 'oc://c.json/a/b' })),
      textIn(await call('changes', { action: 'list' })),
    ];
    expect(texts).toEqual([
      'one\ntwo\n',
      expect.stringContaining('n.txt'),
      expect.stringContaining('a.txt'),
      expect.stringContaining('a.txt'),
      'hi',
      'No running or recent sessions.',
      expect.stringContaining('"valueText": "1"'),
      expect.stringContaining('a.txt'),
    ]);
    expect(readFileSync(join(at.workspace, 'a.txt'), 'utf8')).toBe('one\nfour\n');
  });

  it('gets text and data that are each complete on their own', async () => {
    const at = ground(ALLOWED, { 'a.json': '{"a": 1}\n' });
    const { call } = await connect(at, { era });
    expect(await call('exec', { command: 'echo out; exit 3' })).toMatchObject({
      content: [{ type: 'text', text: 'out\n\n(Command exited with code 3)' }],
      structuredContent: { status: 'completed', exitCode: 3, text: 'out\n\n(Command exited with code 3)' },
    });
    expect((await call('exec', { command: 'echo out' })).structuredContent).not.toHaveProperty('aggregated');
    const running = await withEnoughTime(
      (yieldMs) => call('exec', { command: 'echo first; sleep 60', yieldMs }),
      (result) => textIn(result).includes('Output so far'),
      100,
    );
    expect(textIn(running)).toMatch(/^Command still running .*\nOutput so far:\nfirst$/u);
    const { sessionId } = running.structuredContent as { sessionId: string };
    expect(running.structuredContent).toMatchObject({ status: 'running', text: textIn(running) });
    expect(textIn(await call('process', { action: 'kill', sessionId }))).toContain(sessionId);
    expect(await call('read', { path: 'none.txt' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'FS_NOT_FOUND', text: expect.stringContaining('none.txt') },
    });
    const spot = await call('path', { verb: 'resolve', path: 'oc://a.json/a' });
    expect(JSON.parse(textIn(spot))).toMatchObject(spot.structuredContent!);
  });

  it('gets a picture without data that would take its place', async () => {
    const at = ground();
    const { call } = await connect(at, { era });
    writeFileSync(join(at.workspace, 'p.png'), Buffer.from(PIXEL, 'base64'));
    const result = await call('read', { path: 'p.png' });
    expect(result.content.some(({ type }) => type === 'image')).toBe(true);
    expect(result.structuredContent).toBeUndefined();
  });

  it('gets a protocol error for an unknown tool, and a result for any other invalid call', async () => {
    const at = ground({ tools: { deny: ['exec'] } }, { 'a.txt': 'one\n' });
    const { call } = await connect(at, { era });
    for (const name of ['frobnicate', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])
      await expect(call(name)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`Unknown tool: ${name}`),
      });
    expect(await call('read', { path: 'a.txt', ofset: 3 })).toMatchObject({
      isError: true,
      structuredContent: { code: 'PARAM_UNKNOWN' },
    });
    expect(await call('exec', { command: 'true' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'TOOL_NOT_OFFERED' },
    });
  });
});

describe('the way in', () => {
  it('waits less than the timeout of a client, unless that requests progress', async () => {
    const at = ground(ALLOWED);
    const { client } = await connect(at);
    const { tools } = await client.listTools();
    const exec = tools.find(({ name }) => name === 'exec')!;
    expect(exec.inputSchema.properties).toMatchObject({
      yieldMs: { description: expect.stringContaining('at most 50000 unless the client requests progress') },
    });
  });
});
