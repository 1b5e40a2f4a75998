import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ConfigFile } from '../../../src/config/schema/schema.ts';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import { createApprovalRequests } from '../../../src/hosts/gateway/approvals/approval-requests.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import { testGateway } from '../../support/gateway.ts';

const JUDGED: ConfigFile = { tools: { exec: { host: 'gateway' } } };

/** What a daemon had written when it died, from the answer on. */
const STEPS: readonly (readonly [string, (store: ApprovalStore, id: string) => void, readonly string[], boolean])[] = [
  [
    'the refusal',
    (store, id) => store.resolve(id, 'deny', 'ann'),
    ['Exec denied (gateway id=ID, user-denied): touch ran'],
    false,
  ],
  [
    'the refusal with a reason',
    (store, id) => store.resolve(id, 'deny', 'ann', { said: 'not now' }),
    ['Exec denied (gateway id=ID, user-denied: not now): touch ran'],
    false,
  ],
  [
    'the end of its time',
    (store) => store.expire(Number.MAX_SAFE_INTEGER),
    ['Exec denied (gateway id=ID, approval-timeout (allowlist-miss)): touch ran'],
    false,
  ],
  [
    'the answer',
    (store, id) => store.resolve(id, 'allow-once', 'ann'),
    ['Exec finished (gateway id=ID, session=NAME, code 0)'],
    true,
  ],
  [
    'the start of its run',
    (store, id) => {
      store.resolve(id, 'allow-once', 'ann');
      store.consume(id);
    },
    ['Exec finished (gateway id=ID, lost)\nthe daemon died while it ran: touch ran'],
    false,
  ],
  [
    'its run',
    (store, id) => {
      store.resolve(id, 'allow-once', 'ann');
      store.consume(id);
      store.note(id, { sessionId: 'brisk-otter' });
    },
    ['Exec finished (gateway id=ID, session=NAME, lost)\nthe daemon died while it ran: touch ran'],
    false,
  ],
];

it.each(STEPS)('the next daemon completes once what one that died after %s left', async (_, step, told, runs) => {
  const before = await testGateway(JUDGED);
  const outcome = await before.exec({ command: 'touch ran' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  const { id } = outcome.approval;
  await before.gateway.close();
  const store = await openApprovalStore({ file: join(before.stateDir, 'gateway.db') });
  step(store, id);
  store.close();
  const texts = async (test: typeof before) =>
    (await test.gateway.call('notice.list', {}))
      .filter(({ kind }) => kind === 'exec-denied' || kind === 'exec-finished')
      .map(({ text }) => text.replaceAll(id, 'ID').replace(/session=[\w-]+/u, 'session=NAME'));
  const first = await before.again();
  await expect.poll(() => texts(first)).toEqual(told);
  const second = await first.again();
  expect([await texts(second), existsSync(join(second.folder, 'ran'))]).toEqual([told, runs]);
});

it('an answer has its row and its notice when the daemon dies before it stores the entries', async () => {
  const test = await testGateway(JUDGED);
  const outcome = await test.exec({ command: 'touch ran' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  const { id, slug } = outcome.approval;
  await test.gateway.close();
  const store = await openApprovalStore({ file: join(test.stateDir, 'gateway.db') });
  onTestFinished(() => store.close());
  const never = () => Promise.reject(new Error('not reached'));
  const requests = createApprovalRequests({
    store,
    file: {
      add: () => {
        throw new Error('killed');
      },
    } as never,
    now: Date.now,
    prepare: never,
    start: never,
    openOnNodes: () => 0,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
  await expect(requests.resolve(id, { decision: 'allow-always', by: 'ann' })).rejects.toThrow('killed');
  const onDisk = await openApprovalStore({ file: join(test.stateDir, 'gateway.db') });
  onTestFinished(() => onDisk.close());
  expect(onDisk.auditLog(0, 100).filter(({ event }) => event === 'answered')).toMatchObject([
    { by: 'ann', approvalId: id, details: { decision: 'allow-always', stored: outcome.approval.wouldStore } },
  ]);
  expect(onDisk.notices(0, 100).map(({ text }) => text)).toContain(`Approval ${slug}: allow-always by ann`);
});

it('the next daemon says which entries of an answer were not stored', async () => {
  const before = await testGateway(JUDGED);
  const outcome = await before.exec({ command: 'touch ran' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  const { id, wouldStore } = outcome.approval;
  await before.gateway.close();
  const store = await openApprovalStore({ file: join(before.stateDir, 'gateway.db') });
  store.resolve(id, 'allow-always', 'ann');
  store.close();
  const after = await before.again();
  await expect.poll(() => existsSync(join(after.folder, 'ran'))).toBe(true);
  const rows = await after.gateway.call('audit.list', {});
  expect(rows.filter(({ event }) => event === 'rules')).toMatchObject([
    { by: 'ann', approvalId: id, details: { change: 'not-stored', entries: wouldStore } },
  ]);
});

it('a background session of a daemon that died is reported once', async () => {
  const before = await testGateway();
  await before.gateway.close();
  const store = await openApprovalStore({ file: join(before.stateDir, 'gateway.db') });
  store.noteSession({
    id: 'brisk-otter',
    pid: 999_999_999,
    startTime: '1',
    whose: { agent: 'main', conversation: 'c' },
  });
  store.noteSession({ id: 'calm-heron', pid: 999_999_998, startTime: '1' });
  store.close();
  const told = [
    expect.objectContaining({
      kind: 'exec-exit',
      agent: 'main',
      conversation: 'c',
      text: 'Exec failed (brisk-ot, lost) :: the daemon died while it ran',
      wake: true,
    }),
  ];
  const first = await before.again();
  expect(await first.gateway.call('notice.list', {})).toEqual(told);
  const second = await first.again();
  expect(await second.gateway.call('notice.list', {})).toEqual(told);
});

it('a store that was removed while it is in use takes no question and no answer', async () => {
  const test = await testGateway(JUDGED);
  const outcome = await test.exec({ command: 'touch ran' });
  if (outcome.status !== 'approval-pending') throw new Error(JSON.stringify(outcome));
  rmSync(join(test.stateDir, 'gateway.db'));
  const removed = { code: 'APPROVAL_STORE_UNSAFE', message: expect.stringContaining('was removed or replaced') };
  await expect(test.exec({ command: 'touch ran' })).rejects.toMatchObject(removed);
  const answer = test.gateway.call('approval.resolve', { id: outcome.approval.id, decision: 'allow-once', by: 'ann' });
  await expect(answer).rejects.toMatchObject(removed);
  expect(existsSync(join(test.folder, 'ran'))).toBe(false);
});

it('a store that fails after the start of a command neither ends the command nor hides it', async () => {
  const troubles: string[] = [];
  const test = await testGateway({}, { log: (text) => troubles.push(text) });
  // A table that is gone fails the write, as a full disk does.
  const { database } = await openDatabase(join(test.stateDir, 'gateway.db'), { migrations: MIGRATIONS, checked: [] });
  database.exec('ALTER TABLE sessions RENAME TO away');
  database.close();
  expect(await test.exec({ command: 'echo ran' })).toMatchObject({ status: 'completed', output: { text: 'ran\n' } });
  expect(troubles).toEqual([expect.stringContaining('sessions')]);
});
