/** What gateways share through NATS. Only gateways can write it. */
import { approvalInfo, decision, digest, narrowing, resolveAnswer } from '../approval.ts';
import { array, type Infer, integer, literal, number, object, oneOf, string } from '../schema.ts';
import { nodeId, nodeName, nodeOffer, nodePlatform, nodeVersion } from './node.ts';
import { uuid } from './questions.ts';
import { openRequest } from './open-request.ts';

export const LONGEST_BY = 256;
export const LONGEST_REASON = 4096;

/** An answer at any gateway. The first one that is stored counts. */
export const sharedAnswer = object(
  { id: uuid, gateway: nodeId, decision, by: string({ max: LONGEST_BY }) },
  { reason: string({ max: LONGEST_REASON }), digest, narrow: narrowing },
);
export type SharedAnswer = Infer<typeof sharedAnswer>;

/** An answer that was not carried out. The request is open for another one. */
const refusedAnswer = object(
  { answer: uuid },
  {
    /** What the gateway that has the request answers. One of the two is present. */
    result: resolveAnswer,
    fault: object(
      { code: string({ max: 64, pattern: /^[A-Z][A-Z0-9_]{1,63}$/u }), message: string({ max: LONGEST_REASON }) },
      { hint: string({ max: LONGEST_REASON }) },
    ),
  },
);
export type RefusedAnswer = Infer<typeof refusedAnswer>;

/** An approval request in the shared inbox. */
export const sharedQuestion = object(
  { gateway: nodeId, approval: approvalInfo },
  {
    answer: sharedAnswer,
    /** What the gateway that has the request made of the answer. */
    result: resolveAnswer,
    /** The last one. */
    refused: refusedAnswer,
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

/** A key of a node, in base64. Keys are numbered in the order in which gateways learned them. */
export const sharedKey = object(
  { key: string({ max: 44, pattern: /^[A-Za-z0-9+/]{43}=$/u }), number: integer({ min: 1 }) },
  {
    /** The node may not use it any more. */
    endedAt: number(),
  },
);
export type SharedKey = Infer<typeof sharedKey>;

export const MOST_SHARED_KEYS = 16;

/** A node in the registry that gateways share. */
export const sharedNode = object(
  {
    id: nodeId,
    /** Identifies the pairing: a newer one replaces an older one. */
    pairedAt: number(),
    pairedBy: string({ max: 512 }),
    state: oneOf(['paired', 'revoked']),
    name: nodeName,
    /** How often it was renamed: the latest name counts. */
    renamed: integer({ min: 0 }),
    /** How often `clonedAt` was set or removed. */
    cloneChanges: integer({ min: 0 }),
    keys: array(sharedKey, { max: MOST_SHARED_KEYS }),
    /** What the node reported to the gateway that wrote this. */
    platform: nodePlatform,
    version: nodeVersion,
    offer: nodeOffer,
  },
  {
    /** It is refused, because two processes used its key. */
    clonedAt: number(),
  },
);
export type SharedNode = Infer<typeof sharedNode>;
