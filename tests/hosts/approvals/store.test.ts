import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/hosts/approvals/schema.ts';
import type { ApprovalStore } from '../../../src/hosts/approvals/shape.ts';
import { openDatabase } from '../../../src/hosts/database/open-database.ts';
import type { ApprovalInfo } from '../../../src/wire/approval.ts';
import { makeFolder } from '../../support/folder.ts';
import { faultOf } from '../../support/fault.ts';
import { ENGINES } from '../database/engines.ts';
import { fc, runs } from '../../support/property.ts';
import { BINDING, type Clock, databaseIn, JUDGEMENT, RUN, storeAt } from './sample.ts';

const DAY = 24 * 3600_000;

describe.each(ENGINES)('the approval store with %s', (engine) => {
  const fresh = async () => {
    const clock: Clock = { time: 1_000_000 };
    const file = databaseIn(makeFolder());
    return { clock, file, store: await storeAt(file, clock, engine) };
  };
  const ask = (store: ApprovalStore, more: object = {}) =>
    store.ask({ binding: BINDING, judgement: JUDGEMENT, expiresAt: 1_060_000, run: RUN, ...more });

  it('keeps a question with all that is needed to answer and to run it', async () => {
    const { clock, file, store } = await fresh();
    const asked = ask(store);
    const expected = {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u),
      slug: asked.id.slice(0, 8),
      state: 'pending',
      createdAt: 1_000_000,
      expiresAt: 1_060_000,
      binding: BINDING,
      judgement: JUDGEMENT,
      wouldStore: JUDGEMENT.proposal,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/u),
    };
    const other = await storeAt(file, clock, engine);
    expect([asked, other.list('pending'), other.find(asked.slug), other.runOf(asked.id)]).toEqual([
      expected,
      [expected],
      expected,
      RUN,
    ]);
  });

  it('reads the restrictions of a question that an older version stored', async () => {
    const { store } = await fresh();
    const restrictions = { tools: { exec: { ask: 'always' } } };
    const { id } = ask(store, { run: { ...RUN, context: { folder: '/w', tighter: restrictions } } });
    expect(store.runOf(id)).toEqual({ ...RUN, context: { folder: '/w', restrictions } });
  });

  it('finds by a prefix of an id, and reports none or several', async () => {
    const { store } = await fresh();
    const ids = Array.from({ length: 300 }, () => ask(store).id);
    const { id } = ask(store);
    const first = (text: string) => ids.filter((one) => one.startsWith(text)).length;
    const found = (text: string) => {
      const one = store.find(text);
      return typeof one === 'string' ? one : one.id;
    };
    expect(['', 'zz', id.slice(0, 3), '%', "' OR 1", id.slice(0, 8), id.toUpperCase(), `${id}0`].map(found)).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      id,
      id,
      'unknown',
    ]);
    const start = id.slice(0, 4);
    expect(found(start)).toBe(first(start) > 0 ? 'ambiguous' : id);
    expect(new Set(ids.map((one) => one.slice(0, 8))).size).toBe(300);
  });

  it.each([
    ['allow-once', 'allowed', true],
    ['allow-always', 'allowed', true],
    ['deny', 'denied', false],
  ] as const)('accepts the answer %s once, and allows one run', async (decision, state, runs) => {
    const { clock, store } = await fresh();
    const { id, slug } = ask(store);
    clock.time += 5;
    const { digest: _, ...asked } = store.find(id) as ApprovalInfo;
    const approval = { ...asked, state, decision, resolvedBy: 'ann', resolvedAt: 1_000_005 };
    expect(store.consume(id)).toBe(false);
    expect(store.resolve(slug, decision, 'ann')).toEqual({ ok: true, approval, others: [] });
    expect(store.resolve(slug, 'allow-once', 'bob')).toEqual({
      ok: false,
      reason: 'already-resolved',
      message: `approval ${slug} was already answered with ${decision} by ann`,
      hint: 'only the first answer counts; run the command again to get a new approval request',
      approval,
    });
    expect(store.unconsumed().map((one) => one.id)).toEqual(runs ? [id] : []);
    expect([store.consume(id), store.consume(id), store.unconsumed()]).toEqual([runs, false, []]);
    expect([store.list('pending'), store.list('all')]).toEqual([[], [approval]]);
  });

  it.each([
    ['unknown', 'ffffffff'],
    ['not-storable', 'allow-always'],
    ['expired', 'late'],
  ] as const)('refuses an answer: %s', async (reason, why) => {
    const { clock, store } = await fresh();
    const { id } = ask(store, { judgement: { ...JUDGEMENT, proposal: undefined } });
    if (why === 'late') clock.time = 1_060_000;
    const answer = store.resolve(why === 'ffffffff' ? why : id, why === 'late' ? 'allow-once' : 'allow-always', 'ann');
    expect(answer).toMatchObject({ ok: false, reason });
    expect(store.list('pending')).toHaveLength(1);
    expect(store.consume(id)).toBe(false);
  });

  it('expires requests once, and accepts no answer after that', async () => {
    const { clock, store } = await fresh();
    const { digest: _, ...early } = ask(store);
    const late = ask(store, { binding: { ...BINDING, command: 'rm late' }, expiresAt: 2_000_000 });
    expect(store.expire(1_059_999)).toEqual([]);
    expect(store.expire(1_060_000)).toEqual([{ ...early, state: 'expired', resolvedAt: 1_060_000 }]);
    expect(store.expire(1_060_000)).toEqual([]);
    clock.time = 900_000; // the clock was set back
    expect(store.resolve(early.id, 'allow-once', 'ann')).toMatchObject({ ok: false, reason: 'expired' });
    expect(store.list('pending')).toEqual([late]);
  });

  it('withdraws a question that waits, and no other', async () => {
    const { store } = await fresh();
    const { id } = ask(store);
    const withdrawn: ApprovalInfo[] = [];
    const note = (one: ApprovalInfo): void => void withdrawn.push(one);
    expect([store.cancel(id, note), store.cancel(id, note)]).toEqual([1, 0]);
    expect(withdrawn).toMatchObject([{ id, state: 'cancelled' }]);
    expect(store.resolve(id, 'allow-once', 'ann')).toMatchObject({ ok: false, reason: 'already-resolved' });
  });

  it('notes the session first and the outcome later', async () => {
    const { store } = await fresh();
    const { id } = ask(store);
    store.note(id, { sessionId: 'brisk-otter' });
    store.note(id, { outcome: 'code 0\0\u202e' });
    store.resolve(id, 'deny', 'ann\0"');
    expect(store.find(id)).toMatchObject({
      sessionId: 'brisk-otter',
      outcome: 'code 0\0\u202e',
      resolvedBy: 'ann\0"',
    });
  });

  it('never accepts two answers, in any order of events', async () => {
    const { clock, store } = await fresh();
    const step = fc.constantFrom('allow-once', 'deny', 'consume', 'expire', 'cancel', 'later');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { id } = ask(store, { expiresAt: clock.time + 2 });
        let ends = 0;
        let runs = 0;
        for (const one of steps) {
          if (one === 'later') clock.time++;
          else if (one === 'consume') runs += store.consume(id) ? 1 : 0;
          else if (one === 'expire') ends += store.expire(clock.time).length;
          else if (one === 'cancel') ends += store.cancel(id, () => undefined);
          else ends += store.resolve(id, one, 'ann').ok ? 1 : 0;
        }
        store.cancel(id, () => undefined);
        const decision = (store.find(id) as { decision?: string }).decision;
        expect(ends).toBeLessThanOrEqual(1);
        expect(runs).toBeLessThanOrEqual(decision === 'allow-once' ? 1 : 0);
      }),
      { numRuns: runs(100) },
    );
  });

  it('appends to the audit log, where no line can be changed, replaced or removed', async () => {
    const { file, store } = await fresh();
    store.audit({ event: 'judged', agent: 'main', command: 'ls \u202e\0', details: { n: 1 } });
    store.audit({ event: 'answered', agent: 'main', by: 'ann', details: {} });
    store.flush();
    const log = [
      { seq: 1, time: 1_000_000, event: 'judged', agent: 'main', command: 'ls \u202e\0', details: { n: 1 } },
      { seq: 2, time: 1_000_000, event: 'answered', agent: 'main', by: 'ann', details: {} },
    ];
    const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [], engine });
    for (const sql of [
      "UPDATE audit SET line = ''",
      'DELETE FROM audit',
      "INSERT OR REPLACE INTO audit (seq, time, line) VALUES (1, 1, '{}')",
    ])
      expect(faultOf(() => database.exec(sql)).message).toMatch(/the audit log is append-only/u);
    database.close();
    expect([store.auditLog(0, 10), store.auditLog(1, 10), store.auditLog(0, 1)]).toEqual([log, [log[1]], [log[0]]]);
  });

  it('L11: removes the secrets of finished questions that an earlier version left', async () => {
    const { clock, file, store } = await fresh();
    const binding = { ...BINDING, command: 'curl --user ann:topsecret x' };
    const [finished, open] = [ask(store, { binding }), ask(store, { binding })];
    store.close();
    const { database } = await openDatabase(file, { migrations: MIGRATIONS, checked: [], engine });
    database.prepare(`UPDATE approvals SET state = 'denied', outcome = '"user-denied"' WHERE id = ?`).run(finished.id);
    database.close();
    const again = await storeAt(file, clock, engine);
    const commandOf = (id: string) => (again.find(id) as typeof finished).binding.command;
    expect([commandOf(finished.id), commandOf(open.id)]).toEqual(['curl --user *** x', binding.command]);
  });

  it('numbers notices, also over a restart, and marks them as untrusted', async () => {
    const { clock, file, store } = await fresh();
    const notice = { kind: 'exec-exit', agent: 'main', text: 'done', wake: true, contextKey: 'exec:a:exit' } as const;
    const first = store.notice(notice);
    store.close();
    const again = await storeAt(file, clock, engine);
    const second = again.notice({ ...notice, text: 'more' });
    expect([first, second, again.notices(first.seq, 10)]).toEqual([
      { seq: 1, time: 1_000_000, untrusted: true, ...notice },
      { seq: 2, time: 1_000_000, untrusted: true, ...notice, text: 'more' },
      [second],
    ]);
  });

  it('B4: lists notices and audit rows of one client; those without a client are of unknown', async () => {
    const { store } = await fresh();
    for (const client of ['you', 'codex', undefined, 'you']) {
      const actor = { agent: 'main', ...(client === undefined ? {} : { client }) };
      store.notice({ kind: 'exec-exit', ...actor, text: 'x', wake: true, contextKey: 'x' });
      store.audit({ event: 'ended', ...actor, details: {} });
    }
    const listed = (client?: string) => [store.notices(0, 10, client), store.auditLog(0, 10, client)];
    const numbers = (client?: string) => listed(client).map((rows) => rows.map(({ seq }) => seq));
    expect([numbers(), numbers('you'), numbers('codex'), numbers('unknown'), numbers('nobody')]).toEqual(
      [[1, 2, 3, 4], [1, 4], [2], [3], []].map((seqs) => [seqs, seqs]),
    );
    expect(store.notices(1, 1, 'you').map(({ seq }) => seq)).toEqual([4]);
    expect(listed('codex')).toMatchObject([[{ client: 'codex' }], [{ client: 'codex' }]]);
  });

  it('keeps the values of a conversation until they are reset', async () => {
    const { clock, file, store } = await fresh();
    store.setOverride('c', { security: 'allowlist', ask: 'always' }, 'ann');
    store.setOverride('c\0', { security: 'full' }, 'eve');
    store.setOverride('d', { host: 'gateway' }, 'ann');
    store.setOverride('d', {}, 'ann');
    const again = await storeAt(file, clock, engine);
    expect(['c', 'd', 'e'].map((one) => again.override(one))).toEqual([
      { security: 'allowlist', ask: 'always' },
      {},
      {},
    ]);
  });

  it('knows the sessions that a dead daemon left', async () => {
    const { clock, file, store } = await fresh();
    store.noteSession({ id: 'a', pid: 11, startTime: 'x-1' });
    store.noteSession({ id: 'b', pid: 12, startTime: 'x-2' });
    store.noteSession({ id: 'a', ended: true });
    store.flush();
    expect((await storeAt(file, clock, engine)).strays()).toEqual([{ id: 'b', pid: 12, startTime: 'x-2' }]);
  });

  it('forgets what ended a month ago, and nothing that waits for an answer or for its run', async () => {
    const { clock, file, store } = await fresh();
    const waits = ask(store, { expiresAt: 1e15 });
    const allowed = ask(store);
    store.resolve(allowed.id, 'allow-once', 'ann');
    const denied = ask(store);
    store.resolve(denied.id, 'deny', 'ann');
    store.notice({ kind: 'exec-exit', agent: 'a', text: 'old', wake: true, contextKey: 'x' });
    store.audit({ event: 'judged', agent: 'a', details: {} });
    store.close();
    clock.time += 31 * DAY;
    const again = await storeAt(file, clock, engine);
    expect([again.list('all').map(({ id }) => id), again.notices(0, 10), again.auditLog(0, 10)]).toEqual([
      [allowed.id, waits.id],
      [],
      [expect.objectContaining({ seq: 1, event: 'judged' })],
    ]);
  });

  it('moves a damaged file aside, and reports what is lost', async () => {
    const { clock, file, store } = await fresh();
    ask(store);
    store.close();
    const bytes = readFileSync(file).fill(0x55, 4096);
    writeFileSync(file, bytes);
    const again = await storeAt(file, clock, engine);
    const aside = readdirSync(dirname(file)).find(
      (name) => /\.damaged-[^.]*$/u.test(name) && !/-(?:wal|shm)$/u.test(name),
    );
    const movedTo = join(dirname(file), aside ?? '');
    const text = `the approval store ${file} was damaged and moved to ${movedTo}; its pending approvals, answers, audit log, conversation settings and paired nodes are lost`;
    expect([again.warnings, again.list('all'), again.notices(0, 10), again.auditLog(0, 10)]).toEqual([
      [text],
      [],
      [expect.objectContaining({ kind: 'exec-denied', agent: '*', text, wake: true })],
      [expect.objectContaining({ event: 'denied', details: { reason: 'store-damaged', file, movedTo } })],
    ]);
    expect(readFileSync(movedTo).equals(bytes)).toBe(true);
  });
});
