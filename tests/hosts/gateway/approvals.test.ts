import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execSettings } from '../../../src/config/exec-settings.ts';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import type { GatewayOptions } from '../../../src/hosts/gateway/gateway.ts';
import { allow, ended, JUDGED, notices, output, pending, testGateway } from '../../support/gateway.ts';
import { eventLoopTurns, ripened, until } from '../../support/patience.ts';

describe('an approval', () => {
  it('runs the command after the answer and reports its end', async () => {
    const test = await testGateway(JUDGED);
    const approval = pending(await test.exec({ command: 'echo approved && echo twice' }));
    const answer = await test.gateway.call('approval.resolve', {
      id: approval.slug,
      decision: 'allow-once',
      by: 'ann',
    });
    if (!answer.ok) throw new Error(answer.message);
    const { sessionId } = answer.approval;
    expect(await ended(test, sessionId!)).toMatchObject({
      status: 'completed',
      tail: 'approved\ntwice\n',
      approvalId: approval.id,
    });
    expect(await notices(test)).toEqual(['approval-requested', 'approval-resolved', 'exec-finished wakes']);
    const again = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'bob' });
    expect(again).toMatchObject({ ok: false, reason: 'already-resolved' });
  });

  it('runs nothing when it is refused', async () => {
    const test = await testGateway(JUDGED);
    const approval = pending(await test.exec({ command: 'touch ran && true' }));
    await test.gateway.call('approval.resolve', { id: approval.id, decision: 'deny', by: 'ann' });
    const [, , denied] = await test.gateway.call('notice.list', {});
    expect(denied?.text).toBe(`Exec denied (gateway id=${approval.id}, user-denied): touch ran && true`);
    expect(existsSync(join(test.folder, 'ran'))).toBe(false);
  });

  it('stores the narrowest entry for always, which then runs without asking', async () => {
    const test = await testGateway(JUDGED);
    const approval = pending(await test.exec({ command: 'expr 1 + 2' }));
    const answer = await test.gateway.call('approval.resolve', {
      id: approval.id,
      decision: 'allow-always',
      by: 'ann',
    });
    expect(answer).toMatchObject({ ok: true, stored: [{ argv: ['1', '+', '2'] }] });
    expect(output(await test.exec({ command: 'expr 1 + 2' }))).toBe('3\n');
    expect(await test.exec({ command: 'expr 1 + 3' })).toMatchObject({ status: 'approval-pending' });
  });

  it('does not run a program that was swapped since', async () => {
    const test = await testGateway(JUDGED);
    const program = join(test.folder, 'tool');
    copyFileSync('/usr/bin/true', program);
    chmodSync(program, 0o755);
    const approval = pending(await test.exec({ command: './tool' }));
    writeFileSync(`${program}.new`, '#!/bin/sh\ntouch swapped\n', { mode: 0o755 });
    renameSync(`${program}.new`, program);
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect(answer).toMatchObject({ ok: true, notRun: `the program ${program} is not what was approved` });
    expect(existsSync(join(test.folder, 'swapped'))).toBe(false);
    expect((await test.gateway.call('notice.list', {})).at(-1)?.text).toContain('approval-changed');
  });

  it('does not run a program that was written over, with its size and time put back', async () => {
    const test = await testGateway(JUDGED);
    const program = join(test.folder, 'tool');
    writeFileSync(program, '#!/bin/sh\ntouch before\n', { mode: 0o755 });
    const { atime, mtime } = statSync(program);
    utimesSync(program, atime, mtime);
    const approval = pending(await test.exec({ command: './tool' }));
    await ripened(program);
    writeFileSync(program, '#!/bin/sh\ntouch beyond\n');
    utimesSync(program, atime, mtime);
    await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect((await test.gateway.call('notice.list', {})).at(-1)?.text).toContain('approval-changed');
  });

  it.each([
    ['an interpreter was given', '/bin/sh ./build', 'build', 0o644],
    ['a name tells', 'cat build.py', 'build.py', 0o644],
    ['an option names', 'make --file=rules.mk', 'rules.mk', 0o644],
    ['the text for a shell names', 'true && ./build', 'build', 0o755],
    ['the text for a shell gives to an interpreter', 'true; perl "build"', 'build', 0o644],
  ])('does not run a script that %s and that was changed since', async (_, command, name, mode) => {
    const test = await testGateway(JUDGED);
    const script = join(test.folder, name);
    writeFileSync(script, 'true\n', { mode });
    const approval = pending(await test.exec({ command }));
    expect(approval.binding.files.map(({ path }) => path)).toContain(script);
    writeFileSync(script, 'echo changed\n');
    await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect((await test.gateway.call('notice.list', {})).at(-1)?.text).toContain('approval-changed');
  });

  it.skipIf(process.platform !== 'linux')('asks about a command with a file that has nothing to read', async () => {
    const test = await testGateway(JUDGED);
    const { binding } = pending(await test.exec({ command: 'stat /proc/self/ns/pid' }));
    expect(binding.files.map(({ path }) => path)).not.toContain('/proc/self/ns/pid');
  });

  it('runs although data that it names was written since', async () => {
    const test = await testGateway(JUDGED);
    writeFileSync(join(test.folder, 'build.log'), 'one\n', { mode: 0o644 });
    const approval = pending(await test.exec({ command: 'cat build.log' }));
    writeFileSync(join(test.folder, 'build.log'), 'one\ntwo\n');
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    if (!answer.ok) throw new Error(answer.message);
    expect(await ended(test, answer.approval.sessionId!)).toMatchObject({ tail: 'one\ntwo\n' });
  });

  it.each([
    ['a deny rule', 'deny-rule', JUDGED, { agents: { main: { deny: [{ pattern: '/**/touch' }] } } }],
    ['tools.deny', 'tool-denied', { tools: { ...JUDGED.tools, deny: ['exec'] } }, {}],
    ['security=deny', 'security=deny', JUDGED, { defaults: { security: 'deny' } }],
  ] as const)('does not run what %s forbids since', async (_, reason, later, file) => {
    let config: ConfigFile = JUDGED;
    const settingsFor = async (__: string, agent: string) =>
      execSettings({ config, sources: [], warnings: [] }, agent, '/');
    const test = await testGateway(JUDGED, { settingsFor });
    const approval = pending(await test.exec({ command: 'touch ran' }));
    config = later;
    allow(test.stateDir, [], file);
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect(answer).toMatchObject({ ok: true, notRun: `the current rules forbid it (${reason})` });
    expect((await test.gateway.call('notice.list', {})).at(-1)?.text).toBe(
      `Exec denied (gateway id=${approval.id}, ${reason}): touch ran`,
    );
    expect(existsSync(join(test.folder, 'ran'))).toBe(false);
  });

  it('survives the daemon: the question, and the run after the answer', async () => {
    const before = await testGateway(JUDGED);
    const approval = pending(await before.exec({ command: 'echo later > later && true' }));
    const test = await before.again();
    expect(await test.gateway.call('approval.list', {})).toMatchObject([{ id: approval.id, state: 'pending' }]);
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    if (!answer.ok) throw new Error(answer.message);
    await ended(test, answer.approval.sessionId!);
    expect(readFileSync(join(test.folder, 'later'), 'utf8')).toBe('later\n');
  });

  it('reports to the person that its folder was replaced and nothing ran', async () => {
    const test = await testGateway(JUDGED);
    const workdir = join(test.folder, 'inner');
    mkdirSync(workdir);
    const approval = pending(await test.exec({ command: 'touch ran', workdir }));
    renameSync(workdir, `${workdir}-old`);
    mkdirSync(workdir);
    const said = await test.gateway.call('command.say', {
      text: `/approve ${approval.slug} allow-once`,
      sender: 'ann',
      caller: { agent: 'main', conversation: 'c', operator: true },
      folder: test.folder,
    });
    const why = `the working directory ${workdir} is not what was approved`;
    expect(said).toEqual({ ok: false, text: `${approval.slug}: allow-once, but nothing was run: ${why}` });
    expect(existsSync(join(workdir, 'ran'))).toBe(false);
  });

  it('reports to the person that the program could not be started', async () => {
    const test = await testGateway(JUDGED);
    writeFileSync(join(test.folder, 'tool'), '#!/nope/x\n', { mode: 0o755 });
    const approval = pending(await test.exec({ command: './tool' }));
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect(answer).toMatchObject({ ok: true, notRun: expect.stringContaining('the interpreter /nope/x') });
  });

  it('is answered by askFallback=full when no person answers, and reports that', async () => {
    const test = await testGateway({ ...JUDGED, approvals: { timeoutMs: 100 } });
    allow(test.stateDir, [], { defaults: { askFallback: 'full' } });
    const { id } = pending(await test.exec({ command: 'echo unanswered' }));
    const shown = () => test.gateway.call('approval.show', { id });
    await expect.poll(async () => (await shown()).outcome).toMatch(/^Exec finished .*code 0\)$/u);
    const approval = await shown();
    expect(approval).toMatchObject({ state: 'allowed', decision: 'allow-once', resolvedBy: 'askFallback' });
    expect(await ended(test, approval.sessionId!)).toMatchObject({ status: 'completed', tail: 'unanswered\n' });
    const audit = await test.gateway.call('audit.list', {});
    expect(audit.filter(({ event }) => event === 'answered')).toMatchObject([{ by: 'askFallback', approvalId: id }]);
    const late = await test.gateway.call('approval.resolve', { id, decision: 'deny', by: 'ann' });
    expect(late).toMatchObject({ ok: false, reason: 'already-resolved' });
  });

  it.each([
    ['touch a', {}, 'deny'],
    ['touch a', { askFallback: 'full' }, 'run'],
    ['touch a && touch b', { askFallback: 'full' }, 'deny'],
    ['touch a', { askFallback: 'allowlist' }, 'deny'],
    ['expr 1', { askFallback: 'allowlist', ask: 'always' }, 'run'],
  ] as const)('of %j with %j states what happens without an answer: %s', async (command, defaults, unanswered) => {
    const test = await testGateway(JUDGED);
    allow(test.stateDir, ['/usr/bin/expr'], { defaults });
    const { id } = pending(await test.exec({ command }));
    expect(await test.gateway.call('approval.show', { id })).toMatchObject({ state: 'pending', unanswered });
    expect(await test.gateway.call('approval.list', {})).toMatchObject([{ unanswered }]);
    expect(await test.gateway.call('approval.extend', { id, byMs: 1000, by: 'ann' })).toMatchObject({
      approval: { unanswered },
    });
  });

  it('that was answered states no longer what happens without an answer', async () => {
    const test = await testGateway(JUDGED);
    const { id } = pending(await test.exec({ command: 'expr 1' }));
    await test.gateway.call('approval.resolve', { id, decision: 'deny', by: 'ann' });
    expect(await test.gateway.call('approval.show', { id })).not.toHaveProperty('unanswered');
  });

  it.each([
    ['bash', /type anything into it$/u],
    ['python3', /type anything into it$/u],
    ['cd / && ls', /type anything into it$/u],
    ['expr 1 + 2', /type anything into it$/u],
    ['wc -l a.txt', /^(?!.*type anything)/u],
  ])('of %s in a terminal states whether the agent can type into it', async (command, reason) => {
    const test = await testGateway(JUDGED);
    expect(pending(await test.exec({ command, pty: true })).judgement.reason).toMatch(reason);
    expect(pending(await test.exec({ command })).judgement.reason).not.toContain('type anything');
  });

  it('writes related lines to the audit log', async () => {
    const test = await testGateway(JUDGED);
    const { id, slug } = pending(await test.exec({ command: 'expr 1 + 2' }));
    const answer = await test.gateway.call('approval.resolve', { id: slug, decision: 'allow-once', by: 'ann' });
    if (!answer.ok) throw new Error(answer.message);
    const sessionId = answer.approval.sessionId!;
    await ended(test, sessionId);
    const audit = await test.gateway.call('audit.list', {});
    const line = {
      seq: expect.any(Number) as number,
      time: expect.any(Number) as number,
      details: expect.any(Object) as object,
      agent: 'main',
      conversation: 'c',
      approvalId: id,
      command: 'expr 1 + 2',
    };
    expect(audit).toEqual([
      { ...line, event: 'asked' },
      { ...line, event: 'answered', by: 'ann' },
      { ...line, event: 'started', sessionId },
      { ...line, event: 'ended', sessionId },
    ]);
  });

  it('that expires while the gateway closes is reported by the next one', async () => {
    const config = { ...JUDGED, approvals: { timeoutMs: 100 } };
    let isExpiring = false;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const settingsFor: GatewayOptions['settingsFor'] = async (_, agent) => {
      if (isExpiring) await released;
      return execSettings({ config, sources: [], warnings: [] }, agent, '/');
    };
    const test = await testGateway(config, { settingsFor });
    const { id } = pending(await test.exec({ command: 'id' }));
    isExpiring = true;
    await expect.poll(async () => (await test.gateway.call('approval.show', { id })).state).toBe('expired');
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on('unhandledRejection', note);
    const next = await test.again(async () => {
      isExpiring = false;
      release();
      await eventLoopTurns();
    });
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
    expect(await notices(next)).toEqual(['approval-requested', 'exec-denied wakes']);
  });

  it('that cannot be recorded as expired is reported, and expires later', async () => {
    const troubles: string[] = [];
    const config = { ...JUDGED, approvals: { timeoutMs: 100 } };
    const test = await testGateway(config, { log: (text) => troubles.push(text) });
    const { database } = await openDatabase(join(test.stateDir, 'gateway.db'), { migrations: MIGRATIONS, checked: [] });
    database.exec(`CREATE TRIGGER full BEFORE UPDATE ON approvals BEGIN SELECT RAISE(FAIL, 'no room'); END`);
    const { id } = pending(await test.exec({ command: 'id' }));
    await until(() => troubles.length > 0, 'the failure');
    expect(troubles).toEqual([expect.stringContaining('no room')]);
    database.exec('DROP TRIGGER full');
    database.close();
    await test.exec({ command: 'id -u' }); // the next request sets the timer again
    await expect.poll(async () => (await test.gateway.call('approval.show', { id })).state).toBe('expired');
  });

  it('ends by itself when its time is over', async () => {
    let time = Date.now();
    const test = await testGateway({ ...JUDGED, approvals: { timeoutMs: 1_000 } }, { now: () => time });
    const approval = pending(await test.exec({ command: 'id' }));
    time += 2_000;
    const answer = await test.gateway.call('approval.resolve', { id: approval.id, decision: 'allow-once', by: 'ann' });
    expect(answer).toMatchObject({ ok: false, reason: 'expired' });
  });
});
