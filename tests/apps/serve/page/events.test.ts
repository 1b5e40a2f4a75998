import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../../src/wire/methods.ts';
import type { Positions } from '../../../../src/wire/page.ts';
import { connectGateway } from '../../../../src/apps/client/connect.ts';
import type { Client } from '../../../../src/apps/client/socket.ts';
import { runs, withSeed } from '../../../support/budget.ts';
import { until } from '../../../support/patience.ts';
import { PROGRAM } from '../serving.ts';
import { openPage, type PageClient, type PageServer, pageServer, type Secrets } from './page-client.ts';

let server: PageServer;
let secrets: Secrets;
let gateway: Client;
beforeAll(async () => {
  server = await pageServer();
  secrets = await server.logIn('operator');
  gateway = await connectGateway({ stateDir: server.home.stateDir, program: PROGRAM, start: false });
});
afterAll(async () => {
  gateway.close();
  await server.close();
});

const record = (details: Record<string, unknown>) => gateway.call('login.record', { by: 'test', details });

/** Causes a notice: a session in the background ends. */
const startInBackground = () =>
  gateway.call('exec.start', {
    request: { command: 'echo done', background: true },
    context: { caller: { agent: 'main' }, folder: server.home.workspace, environment: { PATH: '/usr/bin:/bin' } },
  });

/** The numbers of the audit entries that a page received. */
const auditOf = ({ messages }: PageClient): readonly number[] =>
  messages.flatMap((each) => (each.type === 'audit' ? [each.entry.seq] : []));
const noticesOf = ({ messages }: PageClient): readonly number[] =>
  messages.flatMap((each) => (each.type === 'notice' ? [each.notice.seq] : []));

const lastOf = async (from: Gateway): Promise<Positions> => {
  const { store, notice, audit } = await from.call('event.range', {});
  return { store, notice: notice.last, audit: audit.last };
};

describe('the events of a page', () => {
  it('come live, with the approval or the session that they are about', async () => {
    const page = await openPage(server, secrets);
    await page.call('tool.call', { tool: 'exec', args: { command: 'true' }, as: 'agent' });
    const ended = await page.received('audit', ({ entry }) => entry.event === 'ended');
    expect(ended.session).toMatchObject({ id: ended.entry.sessionId, status: 'completed' });
    page.close();
  });

  it('resume after a cut: nothing is missed, and nothing comes twice', async () => {
    const first = await openPage(server, secrets);
    const { positions } = await first.received('welcome');
    await record({ n: 1 });
    const { entry } = await first.received('audit', (each) => each.entry.details['n'] === 1);
    first.close();
    for (const n of [2, 3]) await record({ n });
    const second = await openPage(server, secrets, { ...positions, audit: entry.seq });
    expect(await second.received('welcome')).toMatchObject({ resume: 'resumed', positions: { audit: entry.seq } });
    // No new event is needed to get the missed ones.
    await second.received('audit', (each) => each.entry.details['n'] === 3);
    await record({ n: 4 });
    await second.received('audit', (each) => each.entry.details['n'] === 4);
    const seen = second.messages.flatMap((each) => (each.type === 'audit' ? [each.entry.details['n']] : []));
    expect(seen.filter((n) => n !== undefined)).toEqual([2, 3, 4]);
    second.close();
  });

  it(
    'are complete and in order under random cuts',
    withSeed(async (next) => {
      let at = await lastOf(gateway);
      const received = { audit: [] as number[], notice: [] as number[] };
      const first = at;
      let last = at;
      for (let round = 0; round < runs(25, 200); round++) {
        const page = await openPage(server, secrets, at);
        expect(await page.received('welcome')).toMatchObject({ resume: 'resumed', positions: at });
        const writes = Array.from({ length: Math.floor(next() * 30) }, (_, n) => record({ round, n }));
        const sessions = Array.from({ length: Math.floor(next() * 3) }, startInBackground);
        const wanted = { audit: Math.floor(next() * 40), notice: Math.floor(next() * 3) };
        await Promise.all([...writes, ...sessions]);
        last = await lastOf(gateway);
        // The page is cut after some of the events, also after none.
        const audit = Math.min(wanted.audit, last.audit - at.audit);
        const notice = Math.min(wanted.notice, last.notice - at.notice);
        await until(
          () => auditOf(page).length >= audit && noticesOf(page).length >= notice,
          `${audit} audit entries and ${notice} notices`,
        );
        page.close();
        const got = { audit: auditOf(page), notice: noticesOf(page) };
        received.audit.push(...got.audit);
        received.notice.push(...got.notice);
        at = { store: at.store, notice: got.notice.at(-1) ?? at.notice, audit: got.audit.at(-1) ?? at.audit };
        await page.ended();
      }
      // What a session writes after the last question may have arrived already.
      last = { ...last, audit: Math.max(last.audit, at.audit), notice: Math.max(last.notice, at.notice) };
      const page = await openPage(server, secrets, at);
      await until(
        () => (auditOf(page).at(-1) ?? at.audit) >= last.audit && (noticesOf(page).at(-1) ?? at.notice) >= last.notice,
        'the rest',
      );
      received.audit.push(...auditOf(page).filter((seq) => seq <= last.audit));
      received.notice.push(...noticesOf(page).filter((seq) => seq <= last.notice));
      page.close();
      const all = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + 1 + n);
      expect(last.notice).toBeGreaterThan(first.notice);
      expect(received).toEqual({ audit: all(first.audit, last.audit), notice: all(first.notice, last.notice) });
    }),
  );

  it('start again with reset where too many are missing, or the database is another one', async () => {
    const now = await lastOf(gateway);
    for (const after of [
      { ...now, store: 'another' },
      { ...now, audit: now.audit + 1 },
      { ...now, notice: now.notice + 1 },
    ]) {
      const page = await openPage(server, secrets, after);
      expect(await page.received('welcome')).toMatchObject({ resume: 'reset', positions: { store: now.store } });
      page.close();
    }
    for (let n = 0; n < 1_001; n++) void record({ missed: n });
    await until(async () => (await lastOf(gateway)).audit - now.audit > 1_000, 'the entries');
    const page = await openPage(server, secrets, now);
    expect(await page.received('welcome')).toMatchObject({ resume: 'reset', positions: { audit: expect.any(Number) } });
    page.close();
  });

  it('of a page that does not read are bounded, and it continues with reset', async () => {
    const page = await openPage(server, secrets);
    const before = auditOf(page).length;
    page.socket.pause();
    const filler = 'x'.repeat(3_000);
    const started = await lastOf(gateway);
    for (let batch = 0; batch < 40; batch++) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => record({ batch, n, filler })));
      page.socket.pong(); // it does not read pings, and the server would end it on a slow machine
    }
    const last = await lastOf(gateway);
    expect(last.audit - started.audit).toBeGreaterThanOrEqual(4_000);
    page.socket.resume();
    // Without a bound, all of them would be waiting for the page.
    const reset = await page.received('reset');
    await record({ after: 'reset' });
    await page.received('audit', ({ entry }) => entry.details['after'] === 'reset');
    const seen = auditOf(page).slice(before);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(new Set(seen).size).toBe(seen.length);
    // Everything after the reset came.
    const afterReset = seen.filter((seq) => seq > reset.positions.audit);
    expect(afterReset.at(0)).toBe(reset.positions.audit + 1);
    page.close();
  });
});
