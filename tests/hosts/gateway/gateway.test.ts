import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  allow,
  ended,
  JUDGED,
  notices,
  output,
  pending,
  type TestGateway,
  testGateway,
} from '../../support/gateway.ts';
import { PATIENCE_MS, until, UNTIL_GO } from '../../support/patience.ts';

describe('host=sandbox with sandboxing off', () => {
  it('runs the text in a shell without being judged', async () => {
    const { exec } = await testGateway();
    const outcome = await exec({ command: 'echo a && echo "$PINCER_SHELL" | tr a-z A-Z; exit 3' });
    expect(outcome).toMatchObject({ status: 'completed', session: { exitCode: 3, host: 'sandbox' } });
    expect(output(outcome)).toBe('a\nEXEC\n');
  });

  it('is this machine in the audit log and in an explanation', async () => {
    const { exec, gateway, folder } = await testGateway();
    await exec({ command: 'true' });
    const started = (await gateway.call('audit.list', {})).find(({ event }) => event === 'started');
    expect(started?.details).toMatchObject({ host: 'sandbox', runsOn: 'gateway' });
    const context = { caller: { agent: 'main' }, folder, environment: {} };
    const explained = await gateway.call('policy.explain', { request: { command: 'true' }, context });
    expect(explained).toMatchObject({ effective: { host: 'sandbox' }, runsOn: 'gateway', isJudged: false });
  });

  it('still refuses overrides that load code, and names them', async () => {
    const { exec } = await testGateway();
    const refused = exec({ command: 'true', env: { LD_PRELOAD: './x.so', PATH: '/tmp', FINE: '1' } });
    await expect(refused).rejects.toMatchObject({
      code: 'EXEC_ENV_REFUSED',
      message: expect.stringMatching(/env\.LD_PRELOAD .*env\.PATH /su),
    });
  });

  it('refuses a folder that is not there, and runs nothing', async () => {
    const { exec } = await testGateway();
    await expect(exec({ command: 'true', workdir: 'missing' })).rejects.toMatchObject({ code: 'EXEC_WORKDIR_MISSING' });
  });

  it('warns that elevated has no effect', async () => {
    const { exec } = await testGateway();
    expect(await exec({ command: 'true', elevated: true })).toMatchObject({
      warnings: [expect.stringContaining('elevated')],
    });
  });
});

describe('the client of a caller', () => {
  it.each([
    ['Claude Code', 'claude-code', 'claude-code\n'],
    ['you', 'you', '\n'],
    ['unknown', 'client-unknown', 'client-unknown\n'],
    ['***', undefined, '\n'],
    [7, undefined, '\n'],
    [undefined, undefined, '\n'],
  ])('B4: %j is recorded as %s, and passed on to what the command runs', async (said, client, inside) => {
    const { gateway, folder } = await testGateway();
    const caller = { agent: 'main', ...(said === undefined ? {} : { client: said as string }) };
    const context = { caller, folder, environment: process.env as Record<string, string> };
    const outcome = await gateway.call('exec.start', { request: { command: 'echo "$PINCER_CLIENT"' }, context });
    expect(outcome).toMatchObject({ status: 'completed', session: { agent: 'main' } });
    expect([output(outcome), 'session' in outcome && outcome.session.client]).toEqual([inside, client]);
    const audit = await gateway.call('audit.list', {});
    expect(audit.map((row) => [row.event, row.client])).toEqual([
      ['started', client],
      ['ended', client],
    ]);
  });
});

describe('host=node', () => {
  it('reports that there is none, and what to do', async () => {
    const { exec } = await testGateway();
    await expect(exec({ command: 'true', host: 'node', node: 'mac-1' })).rejects.toMatchObject({
      code: 'NODE_NONE_PAIRED',
    });
  });
});

describe('a session', () => {
  it('continues in the background after yieldMs, and its end is reported', async () => {
    const test = await testGateway();
    const outcome = await test.exec({ command: `echo one; ${UNTIL_GO}; echo two`, yieldMs: 50 });
    expect(outcome).toMatchObject({ status: 'running', session: { backgrounded: true } });
    if (!('session' in outcome)) throw new Error('not run');
    writeFileSync(join(test.folder, 'go'), '');
    await ended(test, outcome.session.id);
    expect(await notices(test)).toEqual(['exec-exit wakes']);
  });

  it('ends when it is aborted, and reports that', async () => {
    const { gateway, folder } = await testGateway();
    const stop = new AbortController();
    const request = { command: ': > started; exec sleep 60' };
    const context = { caller: { agent: 'main' }, folder, environment: {} };
    const outcome = gateway.call('exec.start', { request, context }, stop.signal);
    await until(() => existsSync(join(folder, 'started')), 'the start of the command');
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'failed', session: { failure: 'aborted' } });
  });

  it('runs to its end where the tool process is denied', async () => {
    const { exec, folder } = await testGateway();
    const command = `: > started; ${UNTIL_GO}; echo done`;
    const answer = exec({ command, yieldMs: 10, background: true }, { synchronous: true });
    await until(() => existsSync(join(folder, 'started')), 'the start of the command');
    writeFileSync(join(folder, 'go'), '');
    const outcome = await answer;
    expect(outcome).toMatchObject({ status: 'completed', warnings: [expect.stringContaining('process is denied')] });
    expect(output(outcome)).toBe('done\n');
  });

  it('with an attached client continues in the background on request, and its end is reported', async () => {
    const test = await testGateway();
    const caller = { agent: 'main', operator: true } as const;
    const outcome = await test.exec({ command: `${UNTIL_GO}; echo left` }, { caller, attached: true });
    if (outcome.status !== 'running') throw new Error(JSON.stringify(outcome));
    const { id: sessionId } = outcome.session;
    expect(await test.gateway.call('session.background', { caller, sessionId })).toMatchObject({ backgrounded: true });
    writeFileSync(join(test.folder, 'go'), '');
    await test.gateway.call('session.wait', { caller, sessionId, waitMs: PATIENCE_MS });
    expect(await test.gateway.call('notice.list', {})).toMatchObject([{ kind: 'exec-exit', sessionId }]);
  });

  it('belongs to its agent', async () => {
    const { exec, gateway } = await testGateway();
    const outcome = await exec({ command: 'sleep 60', background: true });
    if (!('session' in outcome)) throw new Error('not run');
    const { id } = outcome.session;
    const stranger = { caller: { agent: 'other' }, sessionId: id };
    await expect(gateway.call('session.kill', stranger)).rejects.toMatchObject({ code: 'EXEC_SESSION_UNKNOWN' });
    expect(await gateway.call('session.list', { caller: { agent: 'other' } })).toEqual([]);
  });
});

describe('tool policy', () => {
  it('hard-disables exec', async () => {
    const { exec } = await testGateway({ tools: { deny: ['exec'] } });
    expect(await exec({ command: 'true' })).toMatchObject({ status: 'denied', reason: 'tool-denied' });
  });
});

describe('host=gateway', () => {
  it('runs a program of the allowlist without asking, by its real path and without a shell', async () => {
    const test = await testGateway(JUDGED);
    allow(test.stateDir, ['/usr/bin/printf']);
    const outcome = await test.exec({ command: `printf '%s|' '$HOME' '*' | wc -c` });
    expect(output(outcome).trim()).toBe('8');
  });

  it('cannot be left for the sandbox by a call', async () => {
    const { exec } = await testGateway(JUDGED);
    await expect(exec({ command: 'id', host: 'sandbox' })).rejects.toMatchObject({ code: 'EXEC_HOST_REFUSED' });
  });

  it('can be chosen by a call, which tightens', async () => {
    const { exec } = await testGateway();
    expect(await exec({ command: 'id', host: 'gateway' })).toMatchObject({ status: 'approval-pending' });
  });

  it('denies without a question where ask is off', async () => {
    const { exec } = await testGateway({ tools: { exec: { host: 'gateway', ask: 'off' } } });
    expect(await exec({ command: 'id' })).toMatchObject({ status: 'denied', reason: 'allowlist-miss' });
  });

  it('denies everything where the approvals file is broken', async () => {
    const test = await testGateway({ tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } } });
    mkdirSync(test.stateDir, { recursive: true });
    writeFileSync(join(test.stateDir, 'exec-approvals.json'), '{"version": 1, "agents": ', { mode: 0o600 });
    expect(await test.exec({ command: 'true' })).toMatchObject({
      status: 'denied',
      reason: 'security=deny',
      message: expect.stringContaining('exec-approvals.json is not used'),
    });
  });

  it('asks before a pager gets a terminal', async () => {
    const test = await testGateway(JUDGED);
    allow(test.stateDir, ['/usr/bin/top', '/usr/bin/less', '/usr/bin/sqlite3', '/usr/bin/more']);
    const name = ['less', 'more', 'top'].find((program) => existsSync(`/usr/bin/${program}`)) ?? 'top';
    expect(await test.exec({ command: name, pty: true })).toMatchObject({ status: 'approval-pending' });
  });

  it('answers immediately where no person can be asked', async () => {
    const { exec } = await testGateway({ ...JUDGED, approvals: { headless: true } });
    expect(await exec({ command: 'id' })).toMatchObject({ status: 'denied', reason: 'approval-unavailable' });
  });

  it('runs unanswered requests by askFallback, but never inline code', async () => {
    const test = await testGateway({ ...JUDGED, approvals: { headless: true } });
    allow(test.stateDir, [], { defaults: { askFallback: 'full' } });
    expect(await test.exec({ command: 'echo fallback' })).toMatchObject({ status: 'completed' });
    expect(await test.exec({ command: `sh -c 'id'` })).toMatchObject({ status: 'denied' });
  });
});

describe('/exec and /approve', () => {
  const said = (test: TestGateway, text: string, sender?: string) =>
    test.gateway.call('command.say', {
      text,
      sender: sender ?? 'operator',
      caller: { agent: 'main', conversation: 'c', ...(sender === undefined ? { operator: true as const } : {}) },
      folder: test.folder,
    });

  it('change and show the values of a conversation', async () => {
    const test = await testGateway();
    const text =
      'exec: host=gateway (conversation), node=mac-1, security=allowlist (conversation), ask=on-miss (conversation), askFallback=deny (default)\ncommands run on this machine when a rule allows them, others ask a person: security=allowlist (conversation), ask=on-miss (conversation)';
    expect(await said(test, '/exec host=gateway security=allowlist ask=on-miss node=mac-1')).toEqual({
      ok: true,
      text,
    });
    expect(await said(test, '/exec')).toEqual({ ok: true, text });
    expect(await test.exec({ command: 'id' })).toMatchObject({ status: 'approval-pending' });
    expect(await test.exec({ command: 'id' }, { caller: { agent: 'main', conversation: 'other' } })).toMatchObject({
      status: 'completed',
    });
  });

  it('replace the configured default, and never the approvals file', async () => {
    const test = await testGateway(JUDGED);
    await said(test, '/exec security=full ask=off');
    expect(await test.exec({ command: 'echo free && true' })).toMatchObject({ status: 'completed' });
    allow(test.stateDir, [], { defaults: { security: 'allowlist' } });
    expect(await test.exec({ command: 'echo free && true' })).toMatchObject({ status: 'denied' });
  });

  it('are only for those who may', async () => {
    const test = await testGateway({ commands: { allowFrom: ['ann'] } });
    expect(await said(test, '/exec security=full', 'mallory')).toMatchObject({ ok: false });
    expect(await said(test, '/exec security=full', 'ann')).toMatchObject({ ok: true });
    const open = await testGateway({ commands: { useAccessGroups: false } });
    expect(await said(open, '/exec', 'anybody')).toMatchObject({ ok: true });
  });

  it.each([
    ['/exec host=moon', 'host must be one of sandbox, gateway, node, not "moon"'],
    ['/exec color=red', '/exec has no "color"; it accepts host=, security=, ask=, node= or reset'],
    ['/exec now', '"now" is not key=value; /exec accepts host=, security=, ask=, node= or reset'],
    ['/approve', 'usage: /approve <id> allow-once, allow-always or deny'],
    ['/dance', 'unknown command "/dance"; use /exec or /approve'],
  ])('report what is wrong with %s', async (text, answer) => {
    expect(await said(await testGateway(), text)).toEqual({ ok: false, text: answer });
  });

  it('approve in either order of arguments', async () => {
    const test = await testGateway(JUDGED);
    const first = pending(await test.exec({ command: 'echo 1 && true' }));
    const second = pending(await test.exec({ command: 'echo 2 && true' }));
    expect(await said(test, `/approve ${first.slug} once`)).toMatchObject({
      ok: true,
      text: `${first.slug}: allow-once`,
    });
    expect(await said(test, `/approve deny ${second.slug}`)).toMatchObject({ ok: true, text: `${second.slug}: deny` });
  });
});

describe('the audit log', () => {
  it('records who asked, what was judged, who answered, how it ended', async () => {
    const test = await testGateway(JUDGED);
    const approval = pending(await test.exec({ command: 'echo 1 && true' }));
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    if (!answer.ok) throw new Error(answer.message);
    await ended(test, answer.approval.sessionId!);
    const log = await test.gateway.call('audit.list', {});
    expect(log.map(({ event, by }) => [event, by])).toEqual([
      ['asked', undefined],
      ['answered', 'ann'],
      ['started', undefined],
      ['ended', undefined],
    ]);
  });
});
