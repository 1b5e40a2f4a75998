import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeLocks } from '../../src/hosts/files/locks/locks.ts';
import { killTree } from '../../src/hosts/process/kill.ts';
import type { ProcessEntry } from '../../src/hosts/process/processes.ts';
import { LONGEST_VALUE } from '../../src/hosts/channel/frames.ts';
import type { ToolResult } from '../../src/wire/tool.ts';
import { launchOf, run, sh } from '../support/launching.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { ownProcesses, type StartedInside, startInside } from './started.ts';

test('every file tool runs inside, by all of its names', async () => {
  const { link, workspace } = await startInside();
  const results: ToolResult[] = [];
  for (const [tool, args] of [
    ['sandboxed_write', { path: 'a.txt', content: 'one\ntwo\n' }],
    ['sandboxed_edit', { path: 'a.txt', oldText: 'two', newText: 'three' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: c.json\n+{"k": 1}\n*** End Patch\n' }],
    ['path', { verb: 'set', path: 'oc://c.json/k', value: '2' }],
    ['sandboxed_read', { path: 'a.txt' }],
  ] as const)
    results.push(await link.callTool(tool, args));
  expect(results.map(({ isError, error }) => [isError, error])).toEqual(results.map(() => [undefined, undefined]));
  expect(results.at(-1)).toMatchObject({
    content: [{ type: 'text', text: 'one\nthree\n' }],
    details: { path: 'a.txt' },
  });
  expect(readFileSync(join(workspace, 'c.json'), 'utf8')).toBe('{"k": 2}\n');
});

test('new files have the mode that the caller gives to new files', async () => {
  const { link, workspace } = await startInside();
  await link.callTool('write', { path: 'usual/a', content: '' });
  await link.callTool('write', { path: 'narrow/a', content: '' }, { umask: 0o027 });
  const modes = ['usual', 'usual/a', 'narrow', 'narrow/a'].map((name) => statSync(join(workspace, name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o644, 0o750, 0o640]);
});

test('long calls at the same time do not end the sandbox', async () => {
  const { link, workspace, broken } = await startInside();
  const content = 'x'.repeat(30 * 1024 * 1024);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const results = await Promise.all(names.map((path) => link.callTool('write', { path, content })));
  expect(results.map(({ error }) => error)).toEqual(names.map(() => undefined));
  expect(names.map((name) => statSync(join(workspace, name)).size)).toEqual(names.map(() => content.length));
  expect(broken).toEqual([]);
});

test.each([
  ['a tool that runs commands', 'exec', { command: 'true' }, 'TOOL_UNKNOWN'],
  ['a tool that does not exist', 'nothing', {}, 'TOOL_UNKNOWN'],
  ['parameters that are none', 'read', 5, 'PARAM_INVALID'],
  ['a file that is not there', 'read', { path: 'nowhere' }, 'FS_NOT_FOUND'],
])('what a tool cannot do is a result: %s', async (_, tool, args, code) => {
  const { link, broken } = await startInside();
  const { isError, details } = await link.callTool(tool, args);
  expect([isError, details['code'], broken]).toEqual([true, code, []]);
});

test('a symlink out of the workspace is refused', async () => {
  const { link, workspace } = await startInside();
  symlinkSync('/etc/passwd', join(workspace, 'link'));
  expect(await link.callTool('read', { path: 'link' })).toMatchObject({ isError: true });
});

test('the context limits one read, and pictures stay pictures', async () => {
  const { link, workspace } = await startInside();
  writeFileSync(join(workspace, 'long.log'), 'a line of a log that is long\n'.repeat(200_000));
  const little = await link.callTool('read', { path: 'long.log' }, { modelContextWindowTokens: 8000 });
  const much = await link.callTool('read', { path: 'long.log' }, { modelContextWindowTokens: 1_000_000 });
  const lengths = [little, much].map(({ content }) => JSON.stringify(content).length);
  expect(lengths[0]).toBeLessThan(lengths[1]!);
  expect(little.details).toMatchObject({ truncated: true, continuation: { kind: 'line' } });
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(workspace, 'dot.png'), Buffer.from(png, 'base64'));
  const { content } = await link.callTool('read', { path: 'dot.png' });
  expect(content.find(({ type }) => type === 'image')).toMatchObject({ mimeType: 'image/png' });
});

test('parameters of megabytes are accepted, and more is refused by the gateway', async () => {
  const { link, workspace } = await startInside();
  const content = '0123456789abcde\n'.repeat(300_000);
  expect((await link.callTool('write', { path: 'big.txt', content })).isError).toBeUndefined();
  expect(readFileSync(join(workspace, 'big.txt'), 'utf8') === content).toBe(true);
  const tooMuch = link.callTool('write', { path: 'b', content: 'x'.repeat(LONGEST_VALUE) });
  await expect(tooMuch).rejects.toMatchObject({ code: 'PARAM_INVALID' });
});

test('many calls at once are all answered, each with its own', async () => {
  const { link, workspace } = await startInside();
  for (let i = 0; i < 40; i++) writeFileSync(join(workspace, `${i}.txt`), `${i}\n`);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => link.callTool('read', { path: `${i}.txt` })));
  expect(answers.map(({ content }) => content)).toEqual(answers.map((_, i) => [{ type: 'text', text: `${i}\n` }]));
});

test('a long call keeps no command waiting', async () => {
  const { link, workspace } = await startInside();
  const path = join(workspace, 'a.txt');
  await link.callTool('write', { path: 'a.txt', content: 'old' });
  // It lasts as long as somebody else writes the file; the process of the tools blocks until then.
  const held = takeLocks([path], { stateDir: join(workspace, '..', 'state') });
  let isOver = false;
  const call = link.callTool('write', { path: 'a.txt', content: 'new' }).then((answer) => {
    isOver = true;
    return answer;
  });
  const { end } = await run(link.launcher, launchOf([sh('echo quick')]));
  expect([(await end).out, isOver, readFileSync(path, 'utf8')]).toEqual(['quick\n', false, 'old']);
  held.release();
  expect((await call).error).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('new');
});

/** The process that runs the tools of an agent, after a first call; `kill -STOP` keeps it from answering the next one. */
async function stopTools({ link, pid }: StartedInside): Promise<ProcessEntry> {
  await link.callTool('read', { path: 'a.txt' });
  const [tools] = ownProcesses(pid, '--tools');
  const { end } = await run(link.launcher, launchOf([sh(`kill -STOP ${tools?.pid}`)]));
  expect((await end).exit).toEqual({ kind: 'code', code: 0 });
  return tools!;
}

test('a process of tools that is ended is told, and the next call has a new one', async () => {
  const inside = await startInside();
  const { link, workspace } = inside;
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  const tools = await stopTools(inside);
  const calls = Array.from({ length: 8 }, () => link.callTool('read', { path: 'a.txt' }));
  await link.ping(); // it has them all by then
  await killTree({ roots: [tools], mark: [] }, 0);
  for (const answer of await Promise.all(calls))
    expect(answer).toMatchObject({ isError: true, details: { code: 'SANDBOX_TOOLS_ENDED' } });
  expect(await link.callTool('read', { path: 'a.txt' })).toMatchObject({ content: [{ type: 'text', text: 'a\n' }] });
});

test('calls fail when a command stops the process of the tools', async () => {
  const inside = await startInside();
  const { link, workspace } = inside;
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  await stopTools(inside);
  const began = performance.now();
  expect(await link.callTool('read', { path: 'a.txt' })).toMatchObject({
    isError: true,
    error: 'the process that runs the tools inside of the sandbox was stopped by another one there',
    details: { code: 'SANDBOX_TOOLS_ENDED' },
  });
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  expect(await link.callTool('read', { path: 'a.txt' })).toMatchObject({ content: [{ type: 'text', text: 'a\n' }] });
});

test('a cancelled call answers immediately', async () => {
  const { link } = await startInside();
  const stopped = await link.callTool('read', { path: 'a.txt' }, {}, { signal: AbortSignal.abort() });
  expect(stopped).toMatchObject({ isError: true, details: { code: 'TOOL_ABORTED' } });
});

test('what was changed inside is listed and undone inside', async () => {
  const { link, workspace } = await startInside();
  writeFileSync(join(workspace, 'a.txt'), 'before\n');
  await link.callTool('edit', { path: 'a.txt', oldText: 'before', newText: 'after' });
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('after\n');
  const listed = await link.callTool('changes', { action: 'list' });
  expect(JSON.stringify(listed.content)).toContain('a.txt');
  expect((await link.callTool('changes', { action: 'undo' })).error).toBeUndefined();
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('before\n');
});

test('B4: the record inside keeps the client, and its undo reaches only what that client did', async () => {
  const { link } = await startInside();
  const [claude, codex] = [{ client: 'claude-code' }, { client: 'codex' }];
  await link.callTool('write', { path: 'a.txt', content: 'a\n' }, claude);
  await link.callTool('write', { path: 'b.txt', content: 'b\n' }, codex);
  const { details } = await link.callTool('changes', { action: 'list' }, claude);
  expect(details['changes']).toMatchObject([{ client: 'codex' }, { client: 'claude-code' }]);
  const undone = await link.callTool('changes', { action: 'undo' }, claude);
  expect(undone.details).toMatchObject({ files: ['a.txt'] });
  expect(await link.callTool('changes', { action: 'undo' }, claude)).toMatchObject({ isError: true });
});
