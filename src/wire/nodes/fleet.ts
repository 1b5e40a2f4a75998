/** What gateways share through NATS. Only gateways can write it. */
import { approvalInfo, decision, resolveAnswer } from '../approval.ts';
import { type Infer, object, string } from '../schema.ts';
import { nodeId } from './node.ts';
import { uuid } from './questions.ts';

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
