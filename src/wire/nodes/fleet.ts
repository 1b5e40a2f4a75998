/** What gateways share through NATS. Only gateways can write it. */
import { approvalInfo, decision, resolveAnswer } from '../approval.ts';
import { type Infer, literal, object, string } from '../schema.ts';
import { nodeId } from './node.ts';
import { uuid } from './questions.ts';
import { openRequest } from './open-request.ts';

/** An answer at any gateway. The first one that is stored counts. */
export const sharedAnswer = object(
  { id: uuid, gateway: nodeId, decision, by: string({ max: 256 }) },
  { reason: string({ max: 4096 }) },
);
export type SharedAnswer = Infer<typeof sharedAnswer>;

/** An approval request in the shared inbox. */
export const sharedQuestion = object(
  { gateway: nodeId, approval: approvalInfo },
  {
    answer: sharedAnswer,
    /** What the gateway that has the request made of the answer. */
    result: resolveAnswer,
  },
);
export type SharedQuestion = Infer<typeof sharedQuestion>;

/** The copy of an open request to a node that all gateways reach. Its key is the key of the request. */
export const sharedRequest = object(
  {
    /** The gateway that continues it, and that alone reports its end. */
    owner: nodeId,
  },
  {
    /** Absent after its end, where an earlier owner may still have the request. */
    request: openRequest,
    /** The owner reports its end, or has done so. It keeps the owner. */
    isClaimed: literal(true),
    /** It had another owner before. */
    isMoved: literal(true),
  },
);
export type SharedRequest = Infer<typeof sharedRequest>;
