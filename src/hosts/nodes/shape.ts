import type { NodeInfo } from '../../wire/node.ts';
import type { Link } from '../channel/link.ts';

export interface Nodes {
  /** Paired and pending nodes. */
  list(): readonly NodeInfo[];
  link(id: string): Link | undefined;
  /** Called for each new link of a paired node, before `list` shows it as connected. */
  onLink(listener: (node: NodeInfo, link: Link) => void): void;
  close(): Promise<void>;
}
