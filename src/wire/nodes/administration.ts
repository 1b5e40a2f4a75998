/** What the operator of a gateway sees of its nodes, beyond `NodeInfo`. */
import { nodeInfo } from './node.ts';
import { type Infer, array, boolean, literal, number, object, oneOf, string } from '../schema.ts';

/** A request to a node whose end is not reported yet. */
export const nodeRequest = object({
  key: string(),
  /** With masked secrets. */
  command: string(),
  agent: string(),
  /** `sent`: the node has not confirmed the start. `asked`: a person has to approve it. */
  state: oneOf(['sent', 'asked', 'running']),
  /** The id of its session at the gateway, which it has once it is running. */
  session: string(),
  sentAt: number(),
  /** It is to be killed when the node connects. */
  killWanted: boolean(),
});
export type NodeRequestInfo = Infer<typeof nodeRequest>;

export const nodeDetails = object(nodeInfo.required, {
  ...nodeInfo.optional,
  /** The user who approved it or issued its invitation. */
  pairedBy: string(),
  /** It was paired over TLS that ends at this gateway, and cannot connect in any other way. */
  bound: boolean(),
  connectedAt: number(),
  /** Requests that are open: started, or with an outcome that is not known yet. */
  requests: array(nodeRequest),
});
export type NodeDetails = Infer<typeof nodeDetails>;

/** The result of an approval. */
export const approvedNode = object(nodeInfo.required, {
  ...nodeInfo.optional,
  /** It was paired already, and may connect again after it was refused. */
  allowedAgain: literal(true),
});
export type ApprovedNode = Infer<typeof approvedNode>;

export const issuedInvitation = object({
  /** The address of the gateway, its fingerprint and a secret, for `pincer node run --invitation`. */
  invitation: string(),
  expiresAt: number(),
});
export type IssuedInvitation = Infer<typeof issuedInvitation>;
