/** What the operator of a gateway sees of its nodes, beyond `NodeInfo`. */
import { nodeInfo } from './node.ts';
import { type Infer, boolean, number, object, string } from './schema.ts';

export const nodeDetails = object(nodeInfo.required, {
  ...nodeInfo.optional,
  /** The user who approved it or issued its invitation. */
  pairedBy: string(),
  /** It was paired over TLS that ends at this gateway, and cannot connect in any other way. */
  bound: boolean(),
  /** Since when it is refused, because two processes used its key at the same time. */
  clonedAt: number(),
  connectedAt: number(),
});
export type NodeDetails = Infer<typeof nodeDetails>;

export const issuedInvitation = object({
  /** The address of the gateway, its fingerprint and a secret, for `pincer node run --invitation`. */
  invitation: string(),
  expiresAt: number(),
});
export type IssuedInvitation = Infer<typeof issuedInvitation>;
