/** The nodes of a gateway: for what runs commands on them, for the listener, and for the operator. */
import type { NodeInfo } from '../../wire/nodes/node.ts';
import type { ApprovedNode, IssuedInvitation, NodeDetails } from '../../wire/nodes/administration.ts';
import type { Link } from '../channel/link.ts';
import type { Decision, FinalDecision, ProvenNode } from '../identity/handshake.ts';
import type { NodeSharing } from './fleet/shared-nodes.ts';

export interface Nodes {
  /** Paired nodes by name, then pending requests, then revoked nodes. */
  list(): readonly NodeInfo[];
  link(id: string): Link | undefined;
  /** Whether it is paired over NATS, so that the other gateways have links to it, too. */
  isShared(id: string): boolean;
  /** Called for each new link of a paired node, which `link` returns already. */
  onLink(listener: (node: NodeInfo, link: Link) => void): void;
  /** Called when the operator has removed a node. */
  onRemoved(listener: (node: NodeInfo) => void): void;
  close(): Promise<void>;
}

/** The connection of a node that waits for the operator. */
export interface WaitingConnection {
  settle(decision: FinalDecision): void;
  close(reason: string): void;
}

/** For the listener. */
export interface NodeAdmission {
  /** The id of the node that uses this key, or will use it; of an unknown key, the id that it would get. */
  idOf(publicKey: Uint8Array): string;
  /** Decides about a proven node. A `pending` one waits with its connection until the operator answers. */
  decide(peer: ProvenNode, connection: WaitingConnection): Decision;
  /** Undefined for a node that is not known. */
  stateOf(id: string): 'paired' | 'revoked' | undefined;
  /** A connection that may have waited has ended. */
  ended(peer: ProvenNode, connection: WaitingConnection): void;
  /** A welcomed node has a link, which replaces an older one. */
  linked(peer: ProvenNode, link: Link): void;
}

/** A key that no node may use any more. */
export interface EndedNodeKey {
  readonly publicKey: Uint8Array;
  readonly endedAt: number;
  /** A node that gateways share was paired with it again. */
  readonly isInUse: boolean;
}

/** For the operator. A node is named by its id, its name, or the first six letters or more of its id. */
export interface NodeAdministration {
  pending(): readonly NodeInfo[];
  show(node: string): NodeDetails;
  /** Pairs a pending node; `replaces` names a node whose place and name it takes. Allows a cloned node to connect again. */
  approve(node: string, by: string, replaces?: string): ApprovedNode;
  reject(node: string, by: string): NodeInfo;
  /** `url` is the address that the node connects to (default: the servers of NATS, or the address that the gateway listens on). */
  invite(by: string, url?: string): IssuedInvitation;
  rename(node: string, name: string): NodeInfo;
  /** Keys that ended within the last `forMs`: of removed nodes, and those that nodes replaced. */
  endedKeys(forMs: number): readonly EndedNodeKey[];
  /** The registry, as far as gateways share it. */
  readonly sharing: NodeSharing;
  /** Revokes a paired node and closes its link; removes a revoked one from the list. */
  remove(node: string, by: string): NodeInfo;
}
