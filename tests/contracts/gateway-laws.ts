/** What every `Gateway` holds: the one in this process, and the daemon through its socket. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { ExecContext, ExecOutcome, ExecRequest } from '../../src/wire/exec.ts';
import type { AuditEntry } from '../../src/wire/approval.ts';
import type { Notice } from '../../src/wire/notice.ts';
import type { Gateway, Method } from '../../src/wire/methods.ts';
import type { FollowEvent } from '../../src/wire/session.ts';
import { PATIENCE_MS, until } from '../support/patience.ts';

const caller = { agent: 'main', conversation: 'c' };

export interface GatewayUnderTest {
  readonly gateway: Gateway;
  readonly folder: string;
}

export function gatewayLaws(name: string, make: () => Promise<GatewayUnderTest>): void {
  describe(`a gateway: ${name}`, () => {
    const started = ({ gateway, folder }: GatewayUnderTest, request: ExecRequest, more: Partial<ExecContext> = {}) =>
      gateway.call('exec.start', {
        request,
        context: { caller, folder, environment: { HOME: folder, PATH: '/usr/bin:/bin' }, ...more },
      });

    test('answers with plain data that JSON carries without loss', async () => {
      const under = await make();
      const outcome = await started(under, { command: 'printf "\\303\\244 \\377"; exit 7' });
      expect(outcome).toMatchObject({ status: 'completed', session: { exitCode: 7 }, warnings: [] });
      expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    });

    test('returns faults with code, message and hint', async () => {
      const under = await make();
      const fault = await started(under, { command: '' }).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({
        code: 'EXEC_COMMAND_EMPTY',
        message: 'there is no command to run',
        hint: 'pass command, as in {"command": "ls -la"}',
      });
    });

    test('refuses a method that does not exist', async () => {
      const { gateway } = await make();
      const fault = await gateway.call('no.such' as Method, {}).catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: 'GATEWAY_UNKNOWN_METHOD' });
    });

    test('answers calls as they are done, not in the order of asking', async () => {
      const under = await make();
      const go = join(under.folder, 'go');
      const order: string[] = [];
      const slow = started(under, { command: `until [ -e go ]; do sleep 0.02; done`, workdir: '.' }).then(() =>
        order.push('slow'),
      );
      await started(under, { command: 'true' }).then(() => order.push('fast'));
      writeFileSync(go, '');
      await slow;
      expect(order).toEqual(['fast', 'slow']);
    });

    test('follows a session to its end with every byte in its place', async () => {
      const under = await make();
      const id = idOf(await started(under, { command: 'seq 1 20000; printf end', background: true }));
      let text = '';
      let at = 0;
      const listener = (event: FollowEvent): void => {
        if (event.type !== 'output') return;
        expect(event.start).toBe(at);
        at += event.bytes.length;
        text += Buffer.from(event.bytes).toString('latin1');
      };
      const end = await under.gateway.follow({ caller, sessionId: id }, listener);
      expect(end).toMatchObject({ id, status: 'completed', exitCode: 0, bytes: at });
      expect(text.endsWith('20000\nend')).toBe(true);
    });

    test('ends a follow with the error of its listener, and keeps the session', async () => {
      const under = await make();
      const id = idOf(await started(under, { command: 'echo x; sleep 1000', background: true }));
      const follow = under.gateway.follow({ caller, sessionId: id }, () => {
        throw new RangeError('no more');
      });
      await expect(follow).rejects.toThrow('no more');
      await under.gateway.call('session.kill', { caller, sessionId: id });
    });

    test('ends a follow with its signal, and keeps the session', async () => {
      const under = await make();
      const id = idOf(await started(under, { command: 'echo x; sleep 1000', background: true }));
      const abort = new AbortController();
      const heard = new Promise<void>((resolve) => {
        void under.gateway.follow({ caller, sessionId: id }, () => resolve(), abort.signal).catch(() => {});
      });
      await heard;
      abort.abort();
      expect(await under.gateway.call('session.wait', { caller, sessionId: id, waitMs: 0 })).toMatchObject({
        status: 'running',
      });
      await under.gateway.call('session.kill', { caller, sessionId: id });
    });

    test('ends the command of a call that is aborted', async () => {
      const { gateway, folder } = await make();
      const abort = new AbortController();
      const context: ExecContext = { caller, folder, environment: { PATH: '/usr/bin:/bin' }, ticket: 'a' };
      const call = gateway.call('exec.start', { request: { command: 'sleep 1000' }, context }, abort.signal);
      const { id } = await gateway.call('session.started', { caller, ticket: 'a' });
      abort.abort();
      await Promise.allSettled([call]);
      const ended = gateway.call('session.wait', { caller, sessionId: id, waitMs: PATIENCE_MS });
      expect(await ended).toMatchObject({ failure: 'aborted' });
    });

    test('sends each notice once, in order, including earlier ones', async () => {
      const under = await make();
      const heard: Notice[] = [];
      const abort = new AbortController();
      await started(under, { command: 'echo one', background: true });
      const notices = under.gateway.notices({}, (notice) => heard.push(notice), abort.signal);
      await started(under, { command: 'echo two', background: true });
      await until(() => heard.length === 2, 'two notices');
      abort.abort();
      await notices;
      expect(heard.map(({ kind }) => kind)).toEqual(['exec-exit', 'exec-exit']);
      expect(heard[0]!.seq).toBeLessThan(heard[1]!.seq);
    });

    test('sends each entry of the audit log once, in order, including earlier ones', async () => {
      const under = await make();
      const heard: AuditEntry[] = [];
      const abort = new AbortController();
      await started(under, { command: 'echo one' });
      const earlier = await under.gateway.call('audit.list', {});
      const follow = under.gateway.auditEntries({ after: 1 }, (entry) => heard.push(entry), abort.signal);
      await started(under, { command: 'echo two' });
      await until(() => heard.at(-1)?.event === 'ended' && heard.at(-1)?.command === 'echo two', 'the last entry');
      abort.abort();
      await follow;
      const all = await under.gateway.call('audit.list', {});
      expect(heard).toEqual(all.slice(1));
      expect(all.length).toBeGreaterThan(earlier.length);
      const found = await under.gateway.call('audit.query', { q: 'event:ended exit:0 "echo two"', limit: 5 });
      expect(found).toEqual({
        entries: all.filter(({ event, command }) => event === 'ended' && command === 'echo two'),
      });
    });

    test('carries out an answer only with the digest of what was shown', async () => {
      const under = await make();
      const outcome = await started(under, { command: 'touch ran', ask: 'always', host: 'gateway' });
      if (outcome.status !== 'approval-pending') throw new Error(`not asked: ${JSON.stringify(outcome)}`);
      const { id, digest = '', expiresAt } = outcome.approval;
      const extended = await under.gateway.call('approval.extend', { id, byMs: 60_000, by: 'ann' });
      expect(extended).toMatchObject({ ok: true, approval: { digest, expiresAt: expiresAt + 60_000 } });
      const answer = (by: string, shown: string) =>
        under.gateway.call('approval.resolve', { id, decision: 'deny', by, digest: shown });
      expect(await answer('ann', 'f'.repeat(64))).toMatchObject({ ok: false, reason: 'changed', approval: { digest } });
      const both = await Promise.all([answer('ann', digest), answer('bob', digest)]);
      expect(both.map((one) => (one.ok ? 'ok' : one.reason)).toSorted()).toEqual(['already-resolved', 'ok']);
    });

    test('hides the sessions of other agents', async () => {
      const under = await make();
      const id = idOf(await started(under, { command: 'sleep 1000', background: true }));
      const other = { agent: 'other' };
      const poll = under.gateway.call('session.poll', { caller: other, sessionId: id });
      await expect(poll).rejects.toMatchObject({ code: 'EXEC_SESSION_UNKNOWN' });
      expect(await under.gateway.call('session.list', { caller: other })).toEqual([]);
      await under.gateway.call('session.kill', { caller, sessionId: id });
    });
  });
}

function idOf(outcome: ExecOutcome): string {
  if (!('session' in outcome)) throw new Error(`not run: ${JSON.stringify(outcome)}`);
  return outcome.session.id;
}
