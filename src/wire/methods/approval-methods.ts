/** The methods `approval.*`. */
import { approvalInfo, decision, digest, extendAnswer, narrowing, resolveAnswer } from '../approval.ts';
import { caller } from '../caller.ts';
import { execOutcome } from '../exec.ts';
import { count, method, pageSize, query } from './method.ts';
import { array, integer, literal, number, object, oneOf, partial, string } from '../schema.ts';

/** How long an approval may wait, from its creation. */
export const LONGEST_WAIT_MS = 30 * 86_400_000;
const approvalFilter = oneOf(['pending', 'all']);

/** The creation and the id of an approval. */
const historyPosition = string({ max: 60, pattern: /^\d{1,15}-[0-9a-f-]{36}$/u });

export const APPROVAL_METHODS = {
  'approval.list': method(
    'The newest approvals (default: 100); `approval.count` returns the total. Pending ones are in the order of their risk, the highest first.',
    partial({
      state: approvalFilter,
      limit: count,
      /**
       * Leaves out older approvals beyond this many bytes of JSON, so that long commands cannot make the answer too large. Agents
       * take turns, so that one cannot hide the approvals of others.
       */
      maxBytes: count,
      /** Of the pending ones: also the calls that wait for the answer to another approval. */
      calls: literal(true),
    }),
    array(approvalInfo),
  ),
  'approval.count': method('The number of approvals.', partial({ state: approvalFilter }), count),
  'approval.show': method('One approval.', object({ id: string() }), approvalInfo),
  'approval.resolve': method(
    'Answers an approval, and all calls that wait for the same answer. The first answer wins.',
    object(
      { id: string(), decision, by: string() },
      {
        /** A message to the agent about a denial. */
        reason: string(),
        /** Of the approval as it was shown. If it is another one now, nothing happens: `changed`. */
        digest,
        /** Only with `allow-always`. */
        narrow: narrowing,
        /** Answers only this call: those that wait with it go on waiting, and a denial is not remembered. */
        onlyThis: literal(true),
      },
    ),
    resolveAnswer,
  ),
  'approval.extend': method(
    'Lets a pending approval wait longer: at most 30 days from its creation.',
    object({ id: string(), byMs: integer({ min: 1_000, max: LONGEST_WAIT_MS }), by: string() }),
    extendAnswer,
  ),
  'approval.history': method(
    'Approvals in any state, the newest first. `q` searches: words in the command, the agent, the person who answered and the ' +
      'state; the fields `agent:`, `by:`, `state:`, `host:`, `since:` and `until:`; `-` before a term means "not".',
    partial({
      q: query,
      /** `next` of the page before. */
      before: historyPosition,
      limit: pageSize,
    }),
    object(
      { approvals: array(approvalInfo) },
      {
        /** Absent after the last one. A part with long commands may have fewer than `limit`. */
        next: historyPosition,
      },
    ),
  ),
  'approval.outcome': method(
    'The outcome of a request that needed approval, as `exec.start` returns it. Waits at most `yieldMs` for the end of the ' +
      'command; a pending approval returns `approval-pending`.',
    object({ id: string(), caller }, { yieldMs: number() }),
    execOutcome,
  ),
} as const;
