import { describe, expect, it } from 'vitest';
import { parseAuditQuery } from '../../../src/wire/query/audit-query.ts';
import { queryTerms } from '../../../src/wire/query/query-terms.ts';
import { durationMs, timeOf } from '../../../src/wire/query/query-time.ts';
import { fc } from '../../support/property.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

describe('a query', () => {
  it('has words and fields, each with its place', () => {
    expect(queryTerms(' agent:main -"git \\"push\\"" Event:denied')).toEqual([
      { field: 'agent', value: 'main', isNot: false, at: { start: 1, end: 11 }, valueAt: { start: 7, end: 11 } },
      {
        field: undefined,
        value: 'git "push"',
        isNot: true,
        at: { start: 12, end: 27 },
        valueAt: { start: 13, end: 27 },
      },
      { field: 'event', value: 'denied', isNot: false, at: { start: 28, end: 40 }, valueAt: { start: 34, end: 40 } },
    ]);
  });

  it.each([
    ['agent:', 'agent: has no value', 0, 6],
    ['a -', '- needs a term after it', 2, 3],
    ['""', 'a word is empty', 0, 2],
    ['a "b', 'the quote has no end', 2, 4],
    ['a"b"', 'a quote begins inside of a word; quote the whole word', 1, 2],
    ['"a"b', 'a space must follow the quote', 3, 4],
    ['"a\\n"', 'only \\" and \\\\ are known', 2, 4],
    ['a\u0000', 'a query has no control characters', 1, 2],
    ['event:none', expect.stringMatching(/^event: must be judged, asked, /u), 6, 10],
    ['host:moon', 'host: must be sandbox, gateway, node', 5, 9],
    ['x https://a', expect.stringMatching(/^unknown field "https"; fields: agent, event, .*colon$/u), 2, 11],
    ['since:yesterday', 'since: needs a time such as 2026-01-31, 2026-01-31T10:00Z or 24h', 6, 15],
    ['until:2026-02-30', 'until: needs a time such as 2026-01-31, 2026-01-31T10:00Z or 24h', 6, 16],
    ['until:2026-13-01', 'until: needs a time such as 2026-01-31, 2026-01-31T10:00Z or 24h', 6, 16],
    ['-exit:one', 'exit: needs an exit code such as 0, or a signal such as SIGKILL', 6, 9],
    ['__proto__:x', expect.anything(), 0, 11],
  ])('%j is refused, with its place', (text, message, start, end) => {
    const read = parseAuditQuery(text, NOW);
    if (text.startsWith('__proto__')) expect(read).toEqual([{ field: 'word', value: text, isNot: false }]);
    else expect(read).toEqual({ message, at: { start, end } });
  });

  it.each([
    ['2026-01-30', Date.UTC(2026, 0, 30)],
    ['2026-01-30T10:30', Date.UTC(2026, 0, 30, 10, 30)],
    ['2026-01-30T10:30:05.25+02:00', Date.UTC(2026, 0, 30, 8, 30, 5, 250)],
    ['90s', NOW - 90_000],
    ['2w', NOW - 14 * 86_400_000],
    ['2026-1-3', undefined],
    ['2026-00-10', undefined],
    ['2026-01-30T25:00', undefined],
    ['24', undefined],
  ])('the time %s is %s', (text, time) => {
    expect(timeOf(text, NOW)).toBe(time);
  });

  it('knows durations', () => {
    expect([durationMs('30m'), durationMs('7d'), durationMs('1y'), durationMs('-1m')]).toEqual([
      1_800_000,
      604_800_000,
      undefined,
      undefined,
    ]);
  });

  it('reads any quoted text back, and never throws', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !/\p{Cc}/u.test(one));
    fc.assert(
      fc.property(text, fc.boolean(), (value, isNot) => {
        const quoted = `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
        expect(queryTerms(`${isNot ? '-' : ''}${quoted}`)).toMatchObject([{ value, isNot }]);
      }),
    );
    fc.assert(fc.property(fc.string(), (any) => void parseAuditQuery(any, NOW)));
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`, 'u'));
    const anyTime = fc.tuple(digits(4), digits(2), digits(2), digits(2), digits(2));
    fc.assert(
      fc.property(anyTime, ([year, month, day, hour, minute]) => {
        void parseAuditQuery(`since:${year}-${month}-${day} until:${year}-${month}-${day}T${hour}:${minute}`, NOW);
      }),
    );
  });
});
