/** Nodes: machines that are paired with a gateway. */
import { boolean, type Infer, literal, number, object, oneOf, string } from '../schema.ts';

/** The id of a node or a gateway: 20 bytes of the hash of its public key in base32. */
export const nodeId = string({ max: 32, pattern: /^[a-z2-7]{32}$/u });
export const NODE_PLATFORMS = ['linux', 'darwin'] as const;
export const nodePlatform = oneOf(NODE_PLATFORMS);
export type NodePlatform = Infer<typeof nodePlatform>;
/** In UTF-16 units. */
export const LONGEST_NODE_NAME = 64;
export const nodeName = string({ max: LONGEST_NODE_NAME, pattern: /^[^\p{Cc}\p{Cf}\u2028\u2029]+$/u });
export const nodeVersion = string({ max: 64, plain: true });

/** What the configuration of a node allows. */
export const nodeOffer = object(
  { exec: oneOf(['off', 'judged']), files: oneOf(['none', 'ro', 'rw']), pty: boolean() },
  {
    workspace: string({ max: 1024, plain: true }),
    /** The digits of the pairing are not confirmed on the node: each command needs an answer there. */
    unconfirmed: literal(true),
    /** Commands run in a sandbox of the node, or not at all. */
    sandbox: literal(true),
    /** The node cannot create that sandbox, so it refuses commands. */
    sandboxUnavailable: literal(true),
  },
);
export type NodeOffer = Infer<typeof nodeOffer>;

/** A node in the registry of a gateway. */
export const nodeInfo = object(
  {
    id: nodeId,
    /** Unique in the registry. */
    name: nodeName,
    platform: nodePlatform,
    version: nodeVersion,
    state: oneOf(['pending', 'paired', 'revoked']),
    connected: boolean(),
    offer: nodeOffer,
  },
  {
    lastSeenAt: number(),
    pairedAt: number(),
    /** The eight digits of a pending request, which both ends show. */
    code: string({ max: 8, pattern: /^[0-9]{8}$/u }),
    /** When a pending request expires. */
    expiresAt: number(),
    remote: string({ max: 128, plain: true }),
    /** Since when it is refused, because two processes used its key at the same time. */
    clonedAt: number(),
  },
);
export type NodeInfo = Infer<typeof nodeInfo>;

/** What a node reports to a gateway about itself. */
export const nodeHello = object({
  version: nodeVersion,
  name: nodeName,
  platform: nodePlatform,
  offer: nodeOffer,
  /** A random id of the running process: two processes with one key are a copied key. */
  instance: string({ max: 64, pattern: /^[\w-]{8,64}$/u }),
});
export type NodeHello = Infer<typeof nodeHello>;
