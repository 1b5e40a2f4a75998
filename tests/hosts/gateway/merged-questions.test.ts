import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalInfo, Decision } from '../../../src/wire/approval.ts';
import { runs } from '../../support/budget.ts';
import { allow, ended, JUDGED, output, pending, testGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/patience.ts';

const MINUTE = 60_000;
/** Adds a line to a file: it shows how often it ran. */
const COUNTED = 'tee -a ran';

function answer({ gateway }: TestGateway, { id }: ApprovalInfo, decision: Decision, more: object = {}) {
  return gateway.call('approval.resolve', { id, decision, by: 'ann', ...more });
}

async function states({ gateway }: TestGateway): Promise<readonly string[]> {
  return (await gateway.call('approval.list', { state: 'all' })).map(({ state }) => state);
}

describe('identical calls', () => {
  it('A11: are one question with a counter, also 150 of them', async () => {
    const test = await testGateway(JUDGED);
    const calls = await Promise.all(Array.from({ length: 150 }, () => test.exec({ command: 'rm -rf /tmp/zzz' })));
    const [first, ...others] = calls.map(pending);
    expect(others.every(({ question }) => question === first!.id)).toBe(true);
    expect(await test.gateway.call('approval.list', {})).toMatchObject([{ id: first!.id, waiting: 150 }]);
    expect(await test.gateway.call('approval.count', {})).toBe(1);
  });

  it('each run once after one answer, with an id of its own', async () => {
    const test = await testGateway(JUDGED);
    const asked = [await test.exec({ command: 'mktemp -p . XXXX' }), await test.exec({ command: 'mktemp -p . XXXX' })];
    const [first, second] = asked.map(pending);
    expect(await answer(test, second!, 'allow-once')).toMatchObject({
      ok: true,
      approval: { id: second!.id },
      others: 1,
    });
    const outcomes = await Promise.all(
      [first!, second!].map(({ id }) =>
        test.gateway.call('approval.outcome', { id, caller: { agent: 'main' }, yieldMs: 120_000 }),
      ),
    );
    const files = outcomes.map((one) => output(one).trim());
    expect(new Set(files).size).toBe(2);
    expect(files.every((file) => existsSync(join(test.folder, file)))).toBe(true);
    expect(await answer(test, first!, 'deny')).toMatchObject({ ok: false, reason: 'already-resolved' });
  });

  it('are all denied by one answer', async () => {
    const test = await testGateway(JUDGED);
    const [first, second] = [await test.exec({ command: 'touch a' }), await test.exec({ command: 'touch a' })].map(
      pending,
    );
    await answer(test, first!, 'deny', { reason: 'use the tool write' });
    const outcome = await test.gateway.call('approval.outcome', { id: second!.id, caller: { agent: 'main' } });
    expect(outcome).toMatchObject({ status: 'denied', reason: 'user-denied' });
    expect(await states(test)).toEqual(['denied', 'denied']);
  });

  it('are not one question where a file that they run has changed', async () => {
    const test = await testGateway(JUDGED);
    const script = join(test.folder, 'x.sh');
    writeFileSync(script, '#!/bin/sh\necho one\n', { mode: 0o755 });
    const first = pending(await test.exec({ command: './x.sh' }));
    writeFileSync(script, '#!/bin/sh\necho two, and longer\n', { mode: 0o755 });
    const second = pending(await test.exec({ command: './x.sh' }));
    expect(second.question).toBeUndefined();
    expect(await answer(test, first, 'allow-once')).toMatchObject({
      ok: true,
      notRun: expect.stringContaining('x.sh'),
    });
    expect(await test.gateway.call('approval.list', {})).toMatchObject([{ id: second.id }]);
  });

  it('wait across a restart, and are answered together after it', async () => {
    const test = await testGateway(JUDGED);
    await test.exec({ command: COUNTED });
    await test.exec({ command: COUNTED });
    const next = await test.again();
    await next.exec({ command: COUNTED });
    const [question] = await next.gateway.call('approval.list', {});
    expect(question).toMatchObject({ waiting: 3 });
    await answer(next, question!, 'allow-once');
    const all = await next.gateway.call('approval.list', { state: 'all' });
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(all.map(({ decision }) => decision)).toEqual(['allow-once', 'allow-once', 'allow-once']);
  });

  it('each run exactly once, whoever answers which of them at the same time', async () => {
    for (let round = 0; round < runs(3, 20); round++) {
      const test = await testGateway(JUDGED);
      const number = 2 + (round % 5);
      const asked = await Promise.all(
        Array.from({ length: number }, () => test.exec({ command: 'mktemp -p . m.XXXX' })),
      );
      const waiting = asked.map(pending);
      const answers = await Promise.all(waiting.map((one) => answer(test, one, 'allow-once')));
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      const all = await test.gateway.call('approval.list', { state: 'all' });
      const sessions = new Set(all.map(({ sessionId }) => sessionId));
      expect(sessions.size).toBe(number);
      const made = await Promise.all([...sessions].map((id) => ended(test, id!)));
      expect(made.map(({ exitCode }) => exitCode)).toEqual(made.map(() => 0));
    }
  });
});

describe('rules that change', () => {
  it('answer the open questions that they cover', async () => {
    const test = await testGateway(JUDGED);
    const covered = pending(await test.exec({ command: 'expr 1 + 2' }));
    const other = pending(await test.exec({ command: 'touch other' }));
    const path = covered.binding.programs[0]!.real;
    allow(test.stateDir, [path]);
    await until(
      async () => (await test.gateway.call('approval.count', {})) === 1,
      'the question that the new rule covers is closed',
    );
    expect(await test.gateway.call('approval.show', { id: covered.id })).toMatchObject({
      state: 'allowed',
      resolvedBy: 'the rules',
    });
    expect(await test.gateway.call('approval.list', {})).toMatchObject([{ id: other.id }]);
  });

  it('close the open questions that they forbid, and nothing runs', async () => {
    const test = await testGateway(JUDGED);
    const { id } = pending(await test.exec({ command: 'touch forbidden' }));
    const { revision } = await test.gateway.call('rules.get', {});
    const document = { version: 1, agents: { main: { deny: [{ pattern: '/**/touch' }] } } };
    expect(
      await test.gateway.call('rules.set', { change: { kind: 'replace', document }, revision, by: 'ann' }),
    ).toMatchObject({ ok: true });
    expect(await test.gateway.call('approval.show', { id })).toMatchObject({
      state: 'cancelled',
      outcome: 'deny-rule',
    });
    expect(existsSync(join(test.folder, 'forbidden'))).toBe(false);
  });
});

describe('an agent that asks too often', () => {
  it('is told that it was denied lately, in that conversation, for 10 minutes, also after a restart', async () => {
    let time = 1_700_000_000_000;
    const first = await testGateway(JUDGED, { now: () => time });
    await answer(first, pending(await first.exec({ command: 'touch a' })), 'deny', { reason: 'not here' });
    const test = await first.again();
    expect(await test.exec({ command: 'touch  a' })).toMatchObject({
      status: 'denied',
      reason: 'denied-lately',
      message: expect.stringContaining('not here'),
    });
    pending(await test.exec({ command: 'touch b' }));
    const other = pending(await test.exec({ command: 'touch a' }, { caller: { agent: 'main', conversation: 'd' } }));
    await answer(test, other, 'allow-once');
    expect(existsSync(join(test.folder, 'a'))).toBe(true);
    time += 10 * MINUTE;
    rmSync(join(test.folder, 'a'));
    pending(await test.exec({ command: 'touch a' }));
  });

  it('has at most maxOpen questions, and the operator gets one notice, also after a restart', async () => {
    const config = { ...JUDGED, approvals: { maxOpen: 2 } };
    const first = await testGateway(config);
    for (const name of ['a', 'b']) pending(await first.exec({ command: `touch ${name}` }));
    const refused = {
      status: 'denied',
      reason: 'question-budget',
      message:
        'the command was not run: it needs an approval, and agent main has 2 open approval requests (approvals.maxOpen is 2)',
    };
    expect(await first.exec({ command: 'touch c' })).toMatchObject(refused);
    const test = await first.again();
    expect(await test.exec({ command: 'touch d' })).toMatchObject(refused);
    pending(await test.exec({ command: 'touch a' })); // it joins
    pending(await test.exec({ command: 'touch c' }, { caller: { agent: 'other' } }));
    const notices = await test.gateway.call('notice.list', {});
    expect(notices.filter(({ kind }) => kind === 'question-budget')).toMatchObject([
      { agent: 'main', wake: false, text: expect.stringContaining('touch c') },
    ]);
    expect(readdirOf(test)).toEqual([]);
  });

  it('has at most maxNew new questions in 10 minutes, however they were answered', async () => {
    let time = 1_700_000_000_000;
    const test = await testGateway({ ...JUDGED, approvals: { maxNew: 2 } }, { now: () => time });
    for (const name of ['a', 'b'])
      await answer(test, pending(await test.exec({ command: `touch ${name}` })), 'allow-once');
    expect(await test.exec({ command: 'touch c' })).toMatchObject({ reason: 'question-budget' });
    expect(existsSync(join(test.folder, 'c'))).toBe(false);
    time += 10 * MINUTE;
    pending(await test.exec({ command: 'touch c' }));
  });

  it('A12: asks nothing for a program that does not exist', async () => {
    const test = await testGateway(JUDGED);
    await expect(test.exec({ command: 'no-such-program-anywhere -x' })).rejects.toMatchObject({
      code: 'EXEC_PROGRAM_NOT_FOUND',
    });
    await expect(test.exec({ command: "'ls -la'" })).rejects.toMatchObject({ code: 'EXEC_PROGRAM_NOT_FOUND' });
    expect(await test.gateway.call('approval.count', { state: 'all' })).toBe(0);
  });
});

describe('the person who answers sees', () => {
  it('the word that differs from the previous question', async () => {
    const test = await testGateway(JUDGED);
    const first = pending(await test.exec({ command: 'touch a b' }));
    pending(await test.exec({ command: 'touch a c' }));
    pending(await test.exec({ command: 'touch x y' }));
    const [one, two, three] = await test.gateway.call('approval.list', {});
    expect([one?.differs, two?.differs, three?.differs]).toEqual([
      undefined,
      { from: first.slug, word: 'c', before: 'b' },
      undefined,
    ]);
  });

  it('how often it was allowed once', async () => {
    const test = await testGateway(JUDGED);
    for (const times of [undefined, 1, 2]) {
      const { id } = pending(await test.exec({ command: 'touch again' }));
      const shown = await test.gateway.call('approval.show', { id });
      expect(shown.allowedBefore).toBe(times);
      await answer(test, shown, 'allow-once');
    }
  });

  it('the highest risk first', async () => {
    const test = await testGateway(JUDGED);
    for (const command of ['touch a', 'npm run build', 'touch b']) {
      const outcome = await test.exec({ command }, { environment: { PATH: process.env['PATH'] ?? '' } });
      pending(outcome);
    }
    const listed = await test.gateway.call('approval.list', {});
    expect(listed.map(({ binding }) => binding.command).slice(-2)).toEqual(['touch a', 'touch b']);
    expect(listed[0]?.binding.command).toBe('npm run build');
  });
});

function readdirOf({ folder }: TestGateway): readonly string[] {
  return ['a', 'b', 'c', 'd'].filter((name) => existsSync(join(folder, name)));
}
