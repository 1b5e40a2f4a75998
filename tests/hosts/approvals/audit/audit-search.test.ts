import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../src/wire/approval.ts';
import { type AuditTerm, parseAuditQuery } from '../../../../src/wire/query/audit-query.ts';
import { type ApprovalTerm, parseApprovalQuery } from '../../../../src/wire/query/approval-query.ts';
import { auditMethods } from '../../../../src/hosts/gateway/records/audit-methods.ts';
import { makeFolder } from '../../../support/folder.ts';
import { fc, runs } from '../../../support/property.ts';
import { ENGINES } from '../../database/engines.ts';
import { type Clock, databaseIn, storeAt } from '../sample.ts';

const AGENTS = ['main', 'Main', 'builder', 'a b'];
const WORDS = ['git push', 'GIT pull', 'rm -rf "x"', 'äß Ä', 'a\\b', "it's", '%_', 'ls'];
const rows = fc.array(
  fc.record({
    wait: fc.nat(2_000),
    agent: fc.constantFrom(...AGENTS),
    event: fc.constantFrom('judged', 'denied', 'ended', 'answered' as const),
    command: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
    sessionId: fc.option(fc.constantFrom('s1', 's2'), { nil: undefined }),
    by: fc.option(fc.constantFrom('ann', 'page:bob'), { nil: undefined }),
    details: fc.record(
      {
        code: fc.constantFrom('chaining', 'shell'),
        reason: fc.constantFrom('user-denied', 'chaining'),
        host: fc.constantFrom('gateway', 'node'),
        exitCode: fc.constantFrom(0, 1, 137),
        exitSignal: fc.constantFrom('SIGKILL', 'SIGTERM'),
      },
      { requiredKeys: [] },
    ),
  }),
  { maxLength: 12 },
);
const term = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      ...WORDS.map((word) => fc.constant(`"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`)),
      fc.constantFrom('push', 'PULL', 'ä', 'l'),
      fc.constantFrom(...AGENTS).map((agent) => `agent:"${agent}"`),
      fc.constantFrom('event:judged', 'event:ended', 'event:denied'),
      fc.constantFrom('code:chaining', 'code:user-denied', 'host:node', 'session:s1', 'by:ann', 'by:page:bob'),
      fc.constantFrom('exit:0', 'exit:137', 'exit:SIGKILL'),
      fc
        .nat(20_000)
        .map(
          (time) =>
            `since:1970-01-01T00:16:${String(40 + Math.trunc(time / 1_000)).padStart(2, '0')}.${String(time % 1_000).padStart(3, '0')}`,
        ),
      fc.constantFrom('until:1970-01-01T00:16:45', 'until:3s'),
    ),
  )
  .map(([not, rest]) => `${not}${rest}`);
const query = fc.array(term, { maxLength: 4 }).map((terms) => terms.join(' '));

/** ASCII only, as the search. */
function folded(text: string): string {
  return text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
}

function matches(
  { field, value }: AuditTerm,
  { command = '', agent, event, sessionId, by, time, details }: AuditEntry,
) {
  switch (field) {
    case 'word':
      return folded(command).includes(folded(String(value)));
    case 'agent':
      return agent === value;
    case 'event':
      return event === value;
    case 'code':
      return details['code'] === value || details['reason'] === value;
    case 'host':
      return details['host'] === value;
    case 'session':
      return sessionId === value;
    case 'by':
      return by === value;
    case 'exit':
      return details['exitCode'] === value || details['exitSignal'] === value;
    case 'since':
      return time >= Number(value);
    case 'until':
      return time < Number(value);
  }
}

/** What a person expects: all terms match; of several values of one field, one. */
function naive(all: readonly AuditEntry[], terms: readonly AuditTerm[]): readonly AuditEntry[] {
  return all.filter((entry) =>
    terms.every((each) => {
      if (each.isNot) return !matches(each, entry);
      const isSingle = ['word', 'since', 'until'].includes(each.field);
      const same = isSingle ? [each] : terms.filter(({ field, isNot }) => field === each.field && !isNot);
      return same.some((one) => matches(one, entry));
    }),
  );
}

function parsed(text: string, now: number): readonly AuditTerm[] {
  const terms = parseAuditQuery(text, now);
  if ('message' in terms) throw new Error(`${text}: ${terms.message}`);
  return terms;
}

function parsedApprovals(text: string, now: number): readonly ApprovalTerm[] {
  return parseApprovalQuery(text, now) as readonly ApprovalTerm[];
}

const ALL = { after: 0, before: Number.MAX_SAFE_INTEGER, order: 'oldest-first', limit: 10_000 } as const;

describe.each(ENGINES)('a search of the audit log with %s', (engine) => {
  const fresh = async () => {
    const clock: Clock = { time: 1_000_000 };
    return { clock, store: await storeAt(databaseIn(makeFolder()), clock, engine) };
  };

  it('takes turns with others, each with a part that its number of terms makes shorter', async () => {
    const { store, clock } = await fresh();
    for (let n = 0; n < 400; n++)
      store.audit({ event: 'answered', agent: 'main', command: `git push ${n}`, details: {} });
    const text = Array.from({ length: 49 }, (_, n) => `-none-${n}`).join(' ');
    const terms = parsed(text, clock.time);
    const searches = Array.from({ length: 8 }, () => store.searchAudit(terms, ALL));
    let hasEnded = false;
    const all = Promise.all(searches).finally(() => (hasEnded = true));
    let turns = 0;
    for (; !hasEnded; turns++) await new Promise<void>((done) => setImmediate(done));
    expect((await all).map((found) => found.length)).toEqual(searches.map(() => 400));
    // 80 rows at once, and one search in each turn of the event loop.
    expect(turns).toBeGreaterThanOrEqual(8 * 5);
  });

  it('ends when it is cancelled, also while it waits for its turn', async () => {
    const { store, clock } = await fresh();
    store.audit({ event: 'answered', agent: 'main', details: {} });
    const cancelled = AbortSignal.abort();
    await expect(store.searchAudit([], ALL, cancelled)).rejects.toThrow('aborted');
    await expect(store.history(parsedApprovals('git', clock.time), undefined, 10, cancelled)).rejects.toThrow(
      'aborted',
    );
  });

  it('finds what a filter in JavaScript finds, counts it, and exports it', async () => {
    await fc.assert(
      fc.asyncProperty(rows, query, fc.integer({ min: 1, max: 7 }), async (given, text, bins) => {
        const { clock, store } = await fresh();
        for (const { wait, command, sessionId, by, ...rest } of given) {
          clock.time += wait;
          const more = { ...(command && { command }), ...(sessionId && { sessionId }), ...(by && { by }) };
          store.audit({ ...rest, ...more });
        }
        const terms = parsed(text, clock.time);
        const expected = naive(store.auditLog(0, 10_000), terms);
        expect(await store.searchAudit(terms, ALL)).toEqual(expected);
        expect(await store.searchAudit(terms, { ...ALL, order: 'newest-first', limit: 3 })).toEqual(
          expected.toReversed().slice(0, 3),
        );
        const [from, to] = [1_001_000, 1_011_000];
        const inRange = expected.filter(({ time }) => time >= from && time < to);
        const counts = Array.from({ length: bins }, (_, at) => {
          const isHere = ({ time }: AuditEntry): boolean => Math.trunc(((time - from) * bins) / (to - from)) === at;
          const here = inRange.filter(isHere);
          const of = (name: AuditEntry['event']): number => here.filter(({ event }) => event === name).length;
          return { entries: here.length, asked: of('asked'), denied: of('denied') };
        });
        const methods = auditMethods(store, () => clock.time);
        expect(await methods['audit.histogram']({ q: text, from, to, bins })).toEqual({
          bins: counts,
          total: inRange.length,
        });
        const { lines, entries } = await methods['audit.export']({ q: text });
        expect([lines, entries]).toEqual([
          expected.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
          expected.length,
        ]);
        store.close();
      }),
      { numRuns: runs(40) },
    );
  });

  it('goes through a long log in pages, without a gap and without a repetition', async () => {
    const { clock, store } = await fresh();
    for (let number = 0; number < 5_000; number++) {
      clock.time += 20;
      store.audit({
        event: number % 10 === 0 ? 'denied' : 'judged',
        agent: 'main',
        command: `ls ${number}`,
        details: {},
      });
    }
    const methods = auditMethods(store, () => clock.time);
    const seen: AuditEntry[] = [];
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
      const page: Awaited<ReturnType<(typeof methods)['audit.query']>> = await methods['audit.query']({
        q: 'event:denied',
        before,
        limit: 7,
      });
      seen.push(...page.entries);
      before = page.next;
    }
    const expected = naive(store.auditLog(0, 10_000), parsed('event:denied', clock.time)).toReversed();
    expect(seen).toEqual(expected);
    expect((await methods['audit.list']({ q: 'event:denied', after: 100, limit: 2 })).map(({ seq }) => seq)).toEqual([
      101, 111,
    ]);
    expect((await methods['audit.query']({ q: '"ls 4999"' })).entries).toMatchObject([{ command: 'ls 4999' }]);
  });

  it('exports what was there at its start, in parts of bounded size', async () => {
    const { clock, store } = await fresh();
    for (let number = 0; number < 1_200; number++) {
      clock.time += 20;
      store.audit({ event: 'judged', agent: 'main', command: `ls ${number}`, details: {} });
    }
    const methods = auditMethods(store, () => clock.time);
    const first = await methods['audit.export']({ q: 'since:1h' });
    store.audit({ event: 'judged', agent: 'main', command: 'later', details: {} });
    clock.time += 3_600_000;
    let text = first.lines;
    for (let { next } = first; next !== undefined; ) {
      const part: typeof first = await methods['audit.export']({ q: 'since:1h', next });
      text += part.lines;
      ({ next } = part);
    }
    const commands = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as AuditEntry).command);
    expect(commands).toEqual(Array.from({ length: 1_200 }, (_, number) => `ls ${number}`));
    expect(first.entries).toBe(500);
  });

  it('names the place of an error, and stops when nobody waits', async () => {
    const { store } = await fresh();
    store.audit({ event: 'judged', agent: 'main', command: 'ls', details: {} });
    const methods = auditMethods(store, () => 0);
    await expect(methods['audit.query']({ q: 'agent:main evnt:x' })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message: expect.stringContaining('unknown field "evnt"'),
      details: { at: { start: 11, end: 17 } },
    });
    const stop = AbortSignal.abort();
    await expect(methods['audit.query']({ q: 'agent:none' }, stop)).rejects.toThrow('aborted');
  });
});
