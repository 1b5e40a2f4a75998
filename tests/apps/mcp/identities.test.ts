import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect, ground, pincer, textIn } from './serving.ts';

const ASKING = { tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'on-miss' } } };

it('B4: two clients and the operator share an agent, and each undoes its own changes', async () => {
  const at = ground({}, { 'a.txt': 'one\n' });
  const claude = await connect(at, { name: 'claude-code', args: ['--allow-undo'] });
  const codex = await connect(at, { era: 'modern', name: 'codex-mcp-client', args: ['--allow-undo'] });
  const impostor = await connect(at, { name: 'You', args: ['--allow-undo'] });
  await claude.call('write', { path: 'claude.txt', content: 'x\n' });
  await codex.call('write', { path: 'codex.txt', content: 'x\n' });
  await impostor.call('write', { path: 'impostor.txt', content: 'x\n' });
  await pincer(at, 'write', 'mine.txt', 'x');
  await pincer(at, 'config', 'set', 'tools.exec.timeoutSec', '60');

  const listed = async (...flags: string[]) => {
    const { changes } = JSON.parse(await pincer(at, 'changes', '--json', ...flags)) as {
      changes: { id: string; agent: string; client: string; files: { path: string }[] }[];
    };
    return changes.map(({ agent, client, files }) => [client, agent, files[0]?.path]);
  };
  expect(await listed()).toEqual([
    ['you', 'main', 'mine.txt'],
    ['client-you', 'main', 'impostor.txt'],
    ['codex', 'main', 'codex.txt'],
    ['claude-code', 'main', 'claude.txt'],
  ]);
  expect(await listed('--client', 'You')).toEqual([['you', 'main', 'mine.txt']]);

  const undo = { action: 'undo', since: '1h' };
  expect((await impostor.call('changes', undo)).structuredContent).toMatchObject({ files: ['impostor.txt'] });
  expect((await codex.call('changes', undo)).structuredContent).toMatchObject({ files: ['codex.txt'] });
  expect(await codex.call('changes', { action: 'undo' })).toMatchObject({ isError: true });
  expect((await claude.call('changes', { action: 'redo' })).isError).toBe(true);
  expect((await codex.call('changes', { action: 'redo' })).structuredContent).toMatchObject({ files: ['codex.txt'] });

  const here = (name: string) => existsSync(join(at.workspace, name));
  expect(['claude.txt', 'codex.txt', 'impostor.txt', 'mine.txt'].map(here)).toEqual([true, true, false, true]);
  await pincer(at, 'undo', '--client', 'codex');
  await pincer(at, 'undo');
  expect(['claude.txt', 'codex.txt', 'mine.txt'].map(here)).toEqual([true, false, false]);
  await pincer(at, 'undo');
  expect(here('claude.txt')).toBe(false);
  expect(await pincer(at, 'undo')).toContain('pincer config undo reverts settings');
  expect(await pincer(at, 'config', 'get', 'tools.exec.timeoutSec')).toContain('60');
});

it('B4: sessions, approvals, events and the audit log name the client', async () => {
  const at = ground(ASKING);
  const { call } = await connect(at, { name: 'claude-code' });
  const { approvalSlug } = (await call('exec', { command: 'touch made.txt' })).structuredContent as {
    approvalSlug: string;
  };
  const { approvals } = JSON.parse(await pincer(at, 'approvals', 'list', '--json'));
  expect(approvals).toMatchObject([{ binding: { agent: 'main', client: 'claude-code' } }]);
  expect(await pincer(at, 'approvals', 'list', '--human')).toMatch(/left {2}claude-code {2}in /u);
  expect(await pincer(at, 'status', '--human')).toContain(`${approvalSlug}  claude-code  touch made.txt`);
  await pincer(at, 'approvals', 'deny', approvalSlug, '--reason', 'not now');
  await call('exec', { command: 'sleep 60', host: 'gateway' });
  await pincer(at, 'exec', '--host', 'gateway', '--json', '--', 'sleep', '60');

  const events = async (...flags: string[]) =>
    (await pincer(at, 'events', '--json', ...flags))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { client: string; kind?: string; event?: string });
  const clients = (all: readonly { client: string }[]) => [...new Set(all.map(({ client }) => client))];
  expect(clients(await events()).sort()).toEqual(['claude-code', 'you']);
  expect((await events('--client', 'claude-code')).map(({ client, kind }) => [client, kind])).toEqual([
    ['claude-code', 'approval-requested'],
    ['claude-code', 'approval-resolved'],
    ['claude-code', 'exec-denied'],
    ['claude-code', 'approval-requested'],
  ]);
  expect(await events('--client', 'you', '--limit', '1')).toMatchObject([
    { client: 'you', kind: 'approval-requested' },
  ]);
  const audit = await events('--audit', '--client', 'Claude-Code');
  expect(audit.map(({ client, event }) => [client, event])).toEqual([
    ['claude-code', 'asked'],
    ['claude-code', 'answered'],
    ['claude-code', 'denied'],
    ['claude-code', 'asked'],
  ]);
  expect(await pincer(at, 'audit', 'verify', '--json')).toContain('"ok":true');
});

it('B4: what a command of an agent does through the program is its own, and its undo reaches nothing else', async () => {
  const at = ground({}, { 'a.txt': 'one\n' });
  const { call } = await connect(at, { name: 'claude-code' });
  await pincer(at, 'edit', 'a.txt', '--old', 'one', '--new', 'two');
  const program = `'${process.execPath}' '${process.env['PINCER_PROGRAM'] ?? join(import.meta.dirname, '../../../dist/pincer.cjs')}'`;
  const command = `export PINCER_STATE_DIR='${at.env['PINCER_STATE_DIR']}'; ${program} undo --human; ${program} write b.txt x; ${program} changes --human; ${program} undo --human`;
  const told = textIn(await call('exec', { command, yieldMs: 60_000 }));
  expect(told).toContain('there is no change to undo');
  expect(told).toMatch(/ {2}claude-code {2}write {2}A b\.txt/u);
  expect(told).toMatch(/undid .* claude-code {2}write {2}A b\.txt/u);
  expect(await pincer(at, 'ps', '--all', '--json')).not.toContain('"client": "you"');
  expect(await pincer(at, 'undo', '--human')).toMatch(/undid .* {2}you {2}edit {2}M a\.txt/u);
});
