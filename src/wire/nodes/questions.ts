/** Approval requests that a gateway caused on a node, as the node reports them. */
import { approvalInfo, decision, digest, EXTEND_REFUSALS, nodeAnswers, RESOLVE_REFUSALS } from '../approval.ts';
import { allowlistEntry } from '../policy.ts';
import {
  closed,
  array,
  type Infer,
  integer,
  literal,
  object,
  oneOf,
  partial,
  refine,
  string,
  union,
} from '../schema.ts';
import { displayed, position } from './bounded.ts';

const KIB = 1024;
const DAY_MS = 86_400_000;
const sentence = string({ max: 4 * KIB, plain: true });

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
export const uuid = string({ max: 36, pattern: UUID });

/** Its id is used in commands that people type. */
export const nodeApproval = refine(approvalInfo, 'an approval whose id is a UUID', ({ id }) => UUID.test(id));

/** What changes while a request is open. */
export const openQuestion = object({
  /** How long it can be answered. A duration, because two machines may have different clocks. */
  remainingMs: integer({ min: 0, max: 366 * DAY_MS }),
  answers: nodeAnswers,
});
export type OpenQuestion = Infer<typeof openQuestion>;

export const nodeQuestion = displayed(
  object(
    { approval: nodeApproval, ...openQuestion.required },
    {
      /** The key of the request that caused it. */
      key: uuid,
    },
  ),
  { text: 2048 * KIB, values: 50_000 },
);
export type NodeQuestion = Infer<typeof nodeQuestion>;

/** The pending requests, without their contents. */
export const nodeQuestions = object({
  pending: array(object({ id: uuid, ...openQuestion.required }), { max: 10_000 }),
});

/** The effect of an answer; as `resolveAnswer`, with the request in the form of the node. */
export const nodeAnswer = displayed(
  union(
    'ok',
    object(
      { ok: literal(true), question: nodeQuestion, stored: array(allowlistEntry) },
      { notStored: sentence, notRun: sentence },
    ),
    object(
      {
        ok: literal(false),
        reason: oneOf(RESOLVE_REFUSALS),
        message: sentence,
      },
      { hint: sentence, question: nodeQuestion },
    ),
  ),
  { text: 4096 * KIB, values: 100_000 },
);
export type NodeAnswer = Infer<typeof nodeAnswer>;

export const givenAnswer = object(
  {
    id: uuid,
    decision,
    by: string({ max: 256, plain: true }),
    /** The node acts on an answer once; a repetition of the id returns the first result. */
    answerId: uuid,
  },
  {
    /** A message to the agent about a denial. */
    reason: string({ max: 4 * KIB, plain: true }),
    digest,
    /** As `approval.resolve` at the gateway; a duration, because two machines may have different clocks. */
    narrow: closed(
      partial({
        remainingMs: integer({ min: 0, max: 2 ** 48 }),
        reason: string({ max: 1_000, plain: true }),
      }),
    ),
  },
);
export type GivenAnswer = Infer<typeof givenAnswer>;

export const givenExtension = object({
  id: uuid,
  byMs: integer({ min: 1, max: 30 * DAY_MS }),
  by: string({ max: 256, plain: true }),
});
export type GivenExtension = Infer<typeof givenExtension>;

/** The effect of an extension; as `extendAnswer`, with the request in the form of the node. */
export const nodeExtension = displayed(
  union(
    'ok',
    object({ ok: literal(true), question: nodeQuestion }),
    object(
      {
        ok: literal(false),
        reason: oneOf(EXTEND_REFUSALS),
        message: sentence,
      },
      { hint: sentence, question: nodeQuestion },
    ),
  ),
  { text: 4096 * KIB, values: 100_000 },
);
export type NodeExtension = Infer<typeof nodeExtension>;

/** A notice of the node about an approval request, with its current state. */
export const nodeNotice = object({
  /** The number of the notice on the node. */
  seq: position,
  kind: oneOf(['approval-requested', 'approval-resolved', 'exec-denied']),
  question: nodeQuestion,
});
export type NodeNotice = Infer<typeof nodeNotice>;
