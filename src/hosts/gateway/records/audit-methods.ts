/** The methods `audit.*`. */
import { Fault } from '../../../base/fault.ts';
import type { Method, Methods } from '../../../wire/methods.ts';
import { type AuditTerm, parseAuditQuery } from '../../../wire/query/audit-query.ts';
import { isProblem, type QueryProblem } from '../../../wire/query/query-terms.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';

type AuditMethod = Exclude<Extract<Method, `audit.${string}`>, 'audit.follow'>;
type Handlers = {
  readonly [M in AuditMethod]: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

const LISTED = 1_000;
const FOUND = 100;
/** Entries in a part of an export; each has at most 4 KiB. */
const EXPORTED = 500;

export function auditMethods(
  store: Pick<ApprovalStore, 'auditLog' | 'verifyAudit' | 'searchAudit' | 'countAudit' | 'lastAudit'>,
  now: () => number,
): Handlers {
  return {
    'audit.list': ({ after = 0, limit = LISTED, client, q }, signal) => {
      if (q === undefined) return store.auditLog(after, limit, client);
      const range = { after, before: Number.MAX_SAFE_INTEGER, order: 'oldest-first', limit, client } as const;
      return store.searchAudit(termsOf(q, now()), range, signal);
    },
    'audit.verify': () => store.verifyAudit(),
    'audit.query': async ({ q, before = Number.MAX_SAFE_INTEGER, limit = FOUND }, signal) => {
      const range = { after: 0, before, order: 'newest-first', limit } as const;
      const entries = await store.searchAudit(termsOf(q, now()), range, signal);
      const last = entries.at(-1);
      return { entries, ...(entries.length < limit || last === undefined ? {} : { next: last.seq }) };
    },
    'audit.histogram': async ({ q, from, to, bins }, signal) => {
      const counts = await store.countAudit(termsOf(q, now()), { from, to, bins }, signal);
      return { bins: counts, total: counts.reduce((sum, { entries }) => sum + entries, 0) };
    },
    'audit.export': async ({ q, next }, signal) => {
      const position = next ?? { after: 0, upTo: store.lastAudit(), now: Math.trunc(now()) };
      const { after, upTo } = position;
      const range = { after, before: upTo + 1, order: 'oldest-first', limit: EXPORTED } as const;
      const entries = await store.searchAudit(termsOf(q, position.now), range, signal);
      const last = entries.at(-1);
      return {
        lines: entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
        entries: entries.length,
        ...(entries.length < EXPORTED || last === undefined ? {} : { next: { ...position, after: last.seq } }),
      };
    },
  };
}

function termsOf(q: string, now: number): readonly AuditTerm[] {
  const terms = parseAuditQuery(q, now);
  if (isProblem(terms)) throw invalidQuery(terms, q);
  return terms;
}

/** Names the place in the text. */
export function invalidQuery({ message, at }: QueryProblem, q: string): Fault {
  const found = q.slice(at.start, Math.min(at.end, at.start + 40));
  return new Fault('QUERY_INVALID', `${message} (at character ${at.start + 1}: ${JSON.stringify(found)})`, {
    hint: 'as in agent:main -event:judged since:24h "git push"',
    details: { at },
  });
}
