import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_METHODS } from '../../../../src/apps/serve/page/methods/daemon-methods.ts';
import { ownMethods } from '../../../../src/apps/serve/page/methods/own-methods.ts';
import type { ApprovalInfo, AuditEntry, ResolveAnswer } from '../../../../src/wire/approval.ts';
import { MOST_TREE_ENTRIES } from '../../../../src/wire/methods/page-methods.ts';
import type { SessionInfo } from '../../../../src/wire/session.ts';
import { PATIENCE_MS, until } from '../../../support/patience.ts';
import { openPage, PageClient, type PageServer, pageServer } from './page-client.ts';

/** All methods of a page. */
const PAGE_TABLE = new Map([
  ...DAEMON_METHODS,
  ...ownMethods({ program: '', toolbox: () => Promise.reject(), entry: {} as never }),
]);
const writingMethods = [...PAGE_TABLE].filter(([, { role }]) => role === 'operator').map(([name]) => name);
const READING = [
  'approval.count',
  'approval.history',
  'approval.list',
  'approval.show',
  'audit.export',
  'audit.histogram',
  'audit.list',
  'audit.query',
  'audit.verify',
  'binding.get',
  'config.get',
  'daemon.status',
  'event.range',
  'files.tree',
  'login.end', // its own
  'login.list',
  'node.list',
  'node.pending',
  'node.show',
  'notice.list',
  'policy.explain',
  'policy.posture',
  'rules.get',
  'sandbox.list',
  'session.list',
  'session.log',
  'session.processes',
  'session.recording',
  'session.screen',
  'session.wait',
  'tool.call', // checks the effects of the call
  'tool.list',
];

let server: PageServer;
let operator: PageClient;
let viewer: PageClient;
beforeAll(async () => {
  server = await pageServer({ tools: { exec: { host: 'gateway', security: 'allowlist', ask: 'on-miss' } } });
  operator = await openPage(server, await server.logIn('operator'));
  viewer = await openPage(server, await server.logIn('viewer'));
});
afterAll(async () => {
  operator.close();
  viewer.close();
  await server.close();
});

/** Asks for a command that nothing allows. */
async function asked(command: string): Promise<ApprovalInfo> {
  const result = await operator.call<{ details: { approvalId?: string } }>('tool.call', {
    tool: 'exec',
    args: { command },
    as: 'agent',
  });
  const { approvalId } = result.details;
  if (approvalId === undefined) throw new Error(`not asked: ${JSON.stringify(result)}`);
  return operator.call<ApprovalInfo>('approval.show', { id: approvalId });
}

/** Waits until a page may answer. */
async function armed(command: string): Promise<ApprovalInfo> {
  const approval = await asked(command);
  await until(() => Date.now() - approval.createdAt > 600, 'the approval to be old enough');
  return approval;
}

const audit = () => operator.call<readonly AuditEntry[]>('audit.list', { after: 0, limit: 5_000 });

describe('an answer of a page', () => {
  it('allows the command, under the name of the login', async () => {
    const { login } = await operator.received('welcome');
    const { id, digest } = await armed('touch allowed-by-page');
    const answer = await operator.call<ResolveAnswer>('approval.resolve', {
      id,
      digest,
      decision: 'allow-once',
      by: 'somebody-else',
    });
    expect(answer).toMatchObject({ ok: true, approval: { resolvedBy: `page:${login.name}` } });
    const rows = (await audit()).filter(({ event, approvalId }) => event === 'answered' && approvalId === id);
    expect(rows.map(({ by }) => by)).toEqual([`page:${login.name}`]);
  });

  it('is refused from a viewer who posts it', async () => {
    const { id, digest } = await armed('touch asked-by-viewer');
    const refused = viewer.call('approval.resolve', { id, digest, decision: 'allow-once' });
    await expect(refused).rejects.toMatchObject({ code: 'LOGIN_ROLE' });
    expect(await operator.call('approval.show', { id })).toMatchObject({ state: 'pending' });
  });

  it('is refused while nobody can have read the request', async () => {
    // On a busy machine an answer may come late enough to count, so it is tried until one came early.
    let outcome = 'late';
    for (let tries = 0; outcome === 'late' && tries < 50; tries++) {
      const { id, digest, createdAt } = await asked(`touch too-new-${tries}`);
      const answer = operator.call('approval.resolve', { id, digest, decision: 'allow-once' });
      const code = await answer.then(
        () => 'answered',
        (fault: { code: string }) => fault.code,
      );
      if (Date.now() - createdAt < 500) outcome = code;
    }
    expect(outcome).toBe('APPROVAL_TOO_NEW');
  });

  it('is refused without the digest of what was shown, and with another one', async () => {
    const { id } = await armed('touch without-digest');
    await expect(operator.call('approval.resolve', { id, decision: 'deny' })).rejects.toMatchObject({
      code: 'PARAM_INVALID',
      message: expect.stringContaining('digest') as string,
    });
    const answer = await operator.call('approval.resolve', { id, decision: 'allow-once', digest: '0'.repeat(64) });
    expect(answer).toMatchObject({ ok: false, reason: 'changed' });
    expect(await operator.call('approval.show', { id })).toMatchObject({ state: 'pending' });
  });

  it('wins once when two pages answer together, and the other learns who was first', async () => {
    const { id, digest } = await armed('touch raced');
    const other = await openPage(server, await server.logIn('operator'));
    const answers = await Promise.all([
      operator.call<ResolveAnswer>('approval.resolve', { id, digest, decision: 'allow-once' }),
      other.call<ResolveAnswer>('approval.resolve', { id, digest, decision: 'deny' }),
    ]);
    const [won, lost] = answers.toSorted((one) => (one.ok ? -1 : 1));
    expect([won!.ok, lost!.ok]).toEqual([true, false]);
    expect(lost).toMatchObject({ reason: 'already-resolved', approval: { resolvedBy: won!.approval!.resolvedBy } });
    other.close();
  });

  it('needs a login: a stolen deep link only identifies the request', async () => {
    const { id } = await asked('touch deep-link');
    const deep = await fetch(`${server.base}/approvals/${id}`);
    expect([deep.status, deep.headers.get('set-cookie')]).toEqual([200, null]);
    const text = await deep.text();
    expect(text).not.toContain('pincer-key');
    expect(text).not.toContain('deep-link');
    const stranger = new PageClient(server, {});
    await stranger.ended();
    expect(stranger.messages).toEqual([{ type: 'logged-out', reason: 'this browser is not logged in' }]);
  });
});

describe('calls', () => {
  it.each([
    'exec.start',
    'daemon.stop',
    'login.use',
    'login.prove',
    'login.check',
    'login.record',
    'command.say',
    'rules.test', // a document with examples of a viewer could keep the gateway busy for minutes
    'sandbox.explain', // it opens a sandbox
    'nothing',
    '__proto__',
  ])('are a closed list: %s is unknown', async (method) => {
    await expect(operator.call(method, {})).rejects.toMatchObject({ code: 'GATEWAY_UNKNOWN_METHOD' });
  });

  it.each([...writingMethods])('of a viewer do not change anything: %s', async (method) => {
    await expect(viewer.call(method, {})).rejects.toMatchObject({ code: 'LOGIN_ROLE' });
  });

  it('that only read are the named ones', () => {
    const reading = [...PAGE_TABLE].filter(([, { role }]) => role === 'viewer').map(([name]) => name);
    // A new method is for operators, or it is added here after a look at what it changes.
    expect(reading.toSorted()).toEqual(READING);
  });

  it.each([
    ['write', { path: 'b.txt', content: 'x' }],
    ['edit', { path: 'a.txt', oldText: 'one', newText: 'x' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch' }],
    ['exec', { command: 'true' }],
    ['process', { action: 'kill', sessionId: 'none' }],
    ['path', { verb: 'set', path: 'oc://a.json/x', value: '1' }],
    ['changes', { action: 'undo' }],
  ])('of a viewer do not change anything with the tool %s', async (tool, args) => {
    await expect(viewer.call('tool.call', { tool, args })).rejects.toMatchObject({ code: 'LOGIN_ROLE' });
  });

  it('of a viewer read: lists, status, posture, an explanation and a file', async () => {
    expect(await viewer.call('approval.list', { state: 'all' })).toBeInstanceOf(Array);
    expect(await viewer.call('daemon.status')).toMatchObject({ version: 'test' });
    expect(await viewer.call('policy.posture')).toHaveProperty('posture');
    expect(await viewer.call('policy.posture', { agent: 'other' })).toHaveProperty('posture');
    expect(await viewer.call('policy.explain', { request: { command: 'rm -rf /' } })).toMatchObject({
      judgement: { verdict: 'ask' },
    });
    expect(await viewer.call('tool.call', { tool: 'read', args: { path: 'a.txt' } })).toMatchObject({
      content: [{ text: expect.stringContaining('one') as string }],
    });
  });

  it('check their parameters', async () => {
    await expect(operator.call('approval.show', { id: 1 })).rejects.toMatchObject({ code: 'PARAM_INVALID' });
    await expect(operator.call('approval.list', null)).rejects.toMatchObject({ code: 'PARAM_INVALID' });
  });

  it('reach sessions of all agents, follow their output and end them', async () => {
    const { id, digest } = await armed('sh -c "echo ready; cat"');
    await operator.call('approval.resolve', { id, digest, decision: 'allow-once' });
    let session: SessionInfo | undefined;
    await until(async () => {
      const all = await viewer.call<readonly SessionInfo[]>('session.list');
      session = all.find(({ approvalId }) => approvalId === id);
      return session !== undefined;
    }, 'the session');
    const sessionId = session!.id;
    viewer.send({ type: 'follow', id: 900, sessionId, after: 0 });
    await until(() => viewer.frames.length > 0, 'output');
    const [frame] = viewer.frames;
    expect([frame!.readUInt32LE(0), frame!.readDoubleLE(4), String(frame!.subarray(13))]).toEqual([900, 0, 'ready\n']);
    await viewer.received('end', (each) => each.id === 900);
    expect(await operator.call('session.log', { sessionId })).toMatchObject({ text: expect.stringContaining('ready') });
    await operator.call('session.kill', { sessionId });
    const rows = (await audit()).filter(({ event }) => event === 'page').map(({ details }) => details);
    expect(rows).toContainEqual({ method: 'session.kill', sessionId });
  });
});

describe('a call that waits', () => {
  it('ends when the page cancels it', async () => {
    const { id, digest } = await armed('sleep 3000');
    await operator.call('approval.resolve', { id, digest, decision: 'allow-once' });
    let sessionId = '';
    await until(async () => {
      const all = await viewer.call<readonly SessionInfo[]>('session.list');
      sessionId = all.find(({ approvalId }) => approvalId === id)?.id ?? '';
      return sessionId !== '';
    }, 'the session');
    viewer.send({ type: 'call', id: 7_000, method: 'session.wait', params: { sessionId, waitMs: 10 * PATIENCE_MS } });
    await viewer.call('daemon.status'); // so that the wait has begun
    viewer.send({ type: 'cancel', id: 7_000 });
    const isAnswer = (each: { type: string; id?: number }): boolean => each.type === 'result' && each.id === 7_000;
    await until(() => viewer.messages.some((each) => isAnswer(each)), 'the answer');
    await operator.call('session.kill', { sessionId });
  });
});

describe('files and settings', () => {
  it('writes a file through the tools, records it, and undoes it', async () => {
    const args = { path: 'a.txt', oldText: 'two', newText: 'three' };
    expect(await operator.call('tool.call', { tool: 'edit', args })).not.toHaveProperty('isError');
    expect(readFileSync(join(server.home.workspace, 'a.txt'), 'utf8')).toBe('one\nthree\n');
    const undone = await operator.call('tool.call', { tool: 'changes', args: { action: 'undo' } });
    expect(undone).not.toHaveProperty('isError');
    expect(readFileSync(join(server.home.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    const rows = (await audit()).filter(({ event }) => event === 'page').map(({ details }) => details);
    expect(rows).toContainEqual({ method: 'tool.call', tool: 'edit', path: 'a.txt' });
  });

  it('lists the tools of the operator, and those that the agent is offered', async () => {
    const names = async (params: object) =>
      (await viewer.call<{ tools: readonly { name: string }[] }>('tool.list', params)).tools.map(({ name }) => name);
    expect(await names({})).toContain('changes');
    expect(await names({ as: 'agent' })).not.toContain('changes');
  });

  it('undoes a change of an agent, after a viewer saw what the undo would do', async () => {
    const args = { path: 'a.txt', oldText: 'one', newText: 'zero' };
    await operator.call('tool.call', { tool: 'edit', args, as: 'agent' });
    const file = join(server.home.workspace, 'a.txt');
    const list = await viewer.call<{ details: { changes: readonly { id: string; client: string }[] } }>('tool.call', {
      tool: 'changes',
      args: { action: 'list' },
    });
    const [newest] = list.details.changes;
    expect(newest).toMatchObject({ client: 'page', agent: 'main' });
    const undo = { action: 'undo', id: newest!.id };
    const preview = { tool: 'changes', args: { ...undo, dryRun: true } };
    expect(await viewer.call('tool.call', preview)).toMatchObject({
      details: { dryRun: true, diff: expect.stringContaining('+one') },
    });
    expect(readFileSync(file, 'utf8')).toBe('zero\ntwo\n');
    await expect(viewer.call('tool.call', { tool: 'changes', args: undo })).rejects.toMatchObject({
      code: 'LOGIN_ROLE',
    });
    expect(await operator.call('tool.call', { tool: 'changes', args: undo })).not.toHaveProperty('isError');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  it('lists a folder, with what is locked, and why, and what has secrets', async () => {
    const { workspace } = server.home;
    for (const folder of ['.git', 'tree/deep']) mkdirSync(join(workspace, folder), { recursive: true });
    for (const name of ['.env', 'pincer.jsonc']) writeFileSync(join(workspace, 'tree', name), '');
    expect(await viewer.call('files.tree', { under: 'tree' })).toEqual({
      total: 3,
      entries: [
        { name: '.env', type: 'file', secrets: true },
        { name: 'deep', type: 'folder' },
        { name: 'pincer.jsonc', type: 'file', protected: expect.stringContaining('configures what agents may do') },
      ],
    });
    expect(await viewer.call('files.tree', { under: '' })).toMatchObject({
      entries: expect.arrayContaining([
        { name: '.git', type: 'folder', protected: expect.stringContaining('belongs to git') },
      ]),
    });
    for (const name of ['.git', 'tree']) rmSync(join(workspace, name), { recursive: true });
  });

  it('lists a long folder in parts', async () => {
    const folder = join(server.home.workspace, 'long');
    mkdirSync(folder);
    const names = Array.from({ length: MOST_TREE_ENTRIES + 2 }, (_, i) => `f${String(i).padStart(4, '0')}`);
    for (const name of names) writeFileSync(join(folder, name), '');
    const part = (after: number) =>
      viewer.call<{ entries: readonly { name: string }[]; total: number }>('files.tree', { under: 'long', after });
    const [first, rest] = [await part(0), await part(MOST_TREE_ENTRIES)];
    expect([...first.entries, ...rest.entries].map(({ name }) => name)).toEqual(names);
    expect([first.total, rest.entries.length]).toEqual([names.length, 2]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['../', 'FS_NOT_FOLDER'],
    ['a.txt', 'FS_NOT_FOLDER'],
    ['none', 'FS_NOT_FOLDER'],
  ])('does not list %s', async (under, code) => {
    await expect(viewer.call('files.tree', { under })).rejects.toMatchObject({ code });
  });

  it('refuses a result with more values than a page accepts', async () => {
    const file = join(server.home.workspace, 'large.json');
    writeFileSync(file, JSON.stringify(Array.from({ length: 100_000 }, () => 1)));
    const args = { verb: 'resolve', path: 'oc://large.json' };
    await expect(viewer.call('tool.call', { tool: 'path', args })).rejects.toMatchObject({ code: 'GATEWAY_TOO_LARGE' });
    rmSync(file);
  });

  it('keeps the boundary of the workspace', async () => {
    const result = await operator.call('tool.call', { tool: 'read', args: { path: '/etc/passwd' } });
    expect(result).toMatchObject({ isError: true, details: { code: 'FS_OUTSIDE_WORKSPACE' } });
  });

  interface Settings {
    readonly value: unknown;
    readonly files: readonly { readonly layer: string; readonly path: string; readonly revision: string }[];
    readonly sources: readonly object[];
  }
  const settings = (path: string): Promise<Settings> => operator.call<Settings>('config.get', { path });

  it('writes a setting on the revision that was read, and shows its address', async () => {
    const { value, files, sources } = await settings('tools.exec.host');
    expect(value).toBe('gateway');
    expect(sources).toMatchObject([
      { path: 'tools.exec.host', layer: 'user', ocPath: expect.stringContaining('oc://') },
    ]);
    const { revision, path: file } = files.find(({ layer }) => layer === 'user')!;
    const preview = await operator.call('config.set', {
      path: 'tools.exec.node',
      value: 'web-1',
      revision,
      dryRun: true,
    });
    expect(preview).toMatchObject({ changed: true, diff: expect.stringContaining('+'), revision });
    const set = await operator.call('config.set', { path: 'tools.exec.node', value: 'web-1', revision });
    expect(set).toMatchObject({
      path: 'tools.exec.node',
      file,
      changed: true,
      warnings: [expect.stringContaining('no paired node is called "web-1"')],
    });
    expect(readFileSync(file, 'utf8')).toContain('web-1');
    await operator.call('config.set', { path: 'tools.exec.node', revision: (set as { revision: string }).revision });
    expect(readFileSync(file, 'utf8')).not.toContain('web-1');
    const rows = (await audit()).filter(({ event }) => event === 'page').map(({ details }) => details);
    expect(rows).toContainEqual({ method: 'config.set', path: 'tools.exec.node', layer: 'user', action: 'set' });
  });

  it('refuses a setting on a stale revision, with the current one', async () => {
    const { files } = await settings('tools.exec.host');
    const { revision, path: file } = files.find(({ layer }) => layer === 'user')!;
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    const current = (await settings('tools.exec.host')).files.find(({ layer }) => layer === 'user')!.revision;
    await expect(
      operator.call('config.set', { path: 'tools.exec.ask', value: 'always', revision }),
    ).rejects.toMatchObject({ code: 'CONFIG_CHANGED', details: { revision: current } });
  });

  it('shows no secrets of settings and rules, and does not overwrite one with its mask', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const path = 'tools.exec.denyRules';
    const rules = [{ pattern: '/bin/x', reason: `not with ${token}` }];
    const { files } = await settings(path);
    const { revision } = files.find(({ layer }) => layer === 'user')!;
    const set = await operator.call<{ revision: string }>('config.set', { path, value: rules, revision });
    for (const page of [operator, viewer])
      expect(JSON.stringify(await page.call('config.get', { path })), 'settings').not.toContain(token);
    const { value } = await settings(path);
    expect(JSON.stringify(value)).toContain('***');
    await expect(operator.call('config.set', { path, value, revision: set.revision })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    await operator.call('config.set', { path, revision: set.revision });

    const entry = { pattern: '/bin/echo', argv: ['echo', token] };
    const { revision: rulesRevision } = await operator.call<{ revision: string }>('rules.get');
    await operator.call('rules.set', { change: { kind: 'add', agent: 'main', entry }, revision: rulesRevision });
    expect(JSON.stringify(await operator.call('rules.get'))).toContain(token);
    const shown = await viewer.call<{ document: unknown; allowlist: unknown[] }>('rules.get');
    expect([JSON.stringify(shown).includes(token), shown.document]).toEqual([false, null]);
    expect(shown.allowlist).toMatchObject([{ agent: 'main', entry: { pattern: '/bin/echo', argv: ['***'] } }]);
  });

  it('shows viewers no secrets of rules in reports and judgements, and nobody the environment of sandboxes', async () => {
    const token = `ghp_${'c3D4'.repeat(9)}`;
    const set = async (path: string, value?: unknown) => {
      const { revision } = (await settings(path)).files.find(({ layer }) => layer === 'user')!;
      await operator.call('config.set', { path, revision, ...(value === undefined ? {} : { value }) });
    };
    await set('tools.exec.denyRules', [{ pattern: '/usr/bin/uname', reason: `not with ${token}` }]);
    await set('sandbox.env', { API_TOKEN: token, PLAIN: 'a password' });
    const entry = { pattern: '/usr/bin/curl', argv: ['curl', '-H', `Authorization: Bearer ${token}`] };
    const split = { pattern: '/usr/bin/curl', argv: ['curl', '--token', 'split-secret'] };
    for (const each of [entry, split]) {
      const { revision } = await operator.call<{ revision: string }>('rules.get');
      await operator.call('rules.set', { change: { kind: 'add', agent: 'main', entry: each }, revision });
    }
    const request = { command: 'uname', host: 'gateway', security: 'allowlist' };
    const answers = async (page: PageClient) => ({
      posture: JSON.stringify(await page.call('policy.posture')),
      explained: JSON.stringify(await page.call('policy.explain', { request })),
    });
    const [all, shown] = [await answers(operator), await answers(viewer)];
    expect([all.posture.includes(token), all.posture.includes('split-secret'), all.explained.includes(token)]).toEqual([
      true,
      true,
      true,
    ]);
    for (const text of Object.values(shown)) expect(text).not.toMatch(/c3D4|split-secret/u);
    expect(shown.explained).toContain('not with ***');
    for (const page of [operator, viewer])
      for (const path of ['sandbox', 'sandbox.env', 'sandbox.env.PLAIN', undefined]) {
        const text = JSON.stringify(await page.call('config.get', path === undefined ? {} : { path }));
        expect([text.includes('***'), /c3D4|a password/u.test(text)], path).toEqual([true, false]);
      }
    await set('tools.exec.denyRules');
    await set('sandbox.env');
  });

  it('shows no secrets in the diff of a setting beside them', async () => {
    const token = `ghp_${'e5F6'.repeat(9)}`;
    const userFile = async () => (await settings('sandbox')).files.find(({ layer }) => layer === 'user')!;
    const set = async (path: string, value?: unknown, dryRun = false) => {
      const { revision } = await userFile();
      const params = { path, revision, dryRun, ...(value === undefined ? {} : { value }) };
      return (await operator.call<{ diff: string }>('config.set', params)).diff;
    };
    await set('sandbox.env', { API_TOKEN: token, PLAIN: 'a password' });
    const { revision } = await userFile();
    const bound = await operator.call<{ diff: string }>('binding.set', { node: 'web-7', revision, dryRun: true });
    const diffs = [await set('sandbox.env.OTHER', 'a new one', true), await set('sandbox.env', undefined, true)];
    for (const diff of [...diffs, bound.diff]) expect(diff).not.toMatch(/e5F6|a password/u);
    expect(diffs[0]).toMatch(/^\+.*OTHER/mu);
    expect(diffs[1]).toMatch(/^-.*PLAIN"?: "\*\*\*"/mu);
    expect(bound.diff).toContain('web-7');
    expect(readFileSync((await userFile()).path, 'utf8')).toContain('a password');
    await set('sandbox.env');
  });

  it('refuses an unknown setting and a wrong value as pincer config set does', async () => {
    const revision = (await settings('tools.exec.host')).files.find(({ layer }) => layer === 'user')!.revision;
    await expect(operator.call('config.set', { path: 'tools.x', value: 1, revision })).rejects.toMatchObject({
      code: 'CONFIG_UNKNOWN_KEY',
    });
    await expect(
      operator.call('config.set', { path: 'tools.exec.ask', value: 'maybe', revision }),
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
