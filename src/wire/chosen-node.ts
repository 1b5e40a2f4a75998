import { type Infer, object, oneOf, string } from './schema.ts';

/** Which layer chose a node; `only`: none did, and it is the one that is connected. */
export const nodeOrigin = oneOf(['call', 'conversation', 'agent', 'global', 'only']);
export type NodeOrigin = Infer<typeof nodeOrigin>;

/** The node that runs a command, and why it is this one. */
export const chosenNode = object({ id: string(), name: string() }, { from: nodeOrigin });
export type ChosenNode = Infer<typeof chosenNode>;

/** Why no node is connected: this process serves none, or has lost the servers. */
export type NoLinks = 'no-gateway' | 'no-nats';
