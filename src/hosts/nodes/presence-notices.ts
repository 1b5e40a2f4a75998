/** Tells the operator when a node is gone for longer than a reconnect takes, and when such a node is back. */
import { messageOf } from '../../base/message-of.ts';
import type { NodeInfo } from '../../wire/nodes/node.ts';
import type { Nodes } from './shape.ts';

interface PresenceParts {
  readonly nodes: Pick<Nodes, 'link' | 'list' | 'onLink'>;
  readonly notify: (kind: 'node-offline' | 'node-online', text: string, node: NodeInfo) => void;
  readonly log: (text: string) => void;
  /** Default: 60 s. */
  readonly afterMs?: number;
}

const AFTER_MS = 60_000;

/** Returns how to stop. */
export function watchPresence({ nodes, notify, log, afterMs = AFTER_MS }: PresenceParts): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const gone = new Set<string>();
  let isStopped = false;
  const cancel = (id: string): void => {
    clearTimeout(timers.get(id));
    timers.delete(id);
  };
  /** Where the notice cannot be stored, the node connects nevertheless, and a timer must not end the process. */
  const tell: PresenceParts['notify'] = (kind, text, node) => {
    try {
      notify(kind, text, node);
    } catch (error) {
      log(`${text}; the notice was not stored: ${messageOf(error)}`);
    }
  };
  const report = (node: NodeInfo): void => {
    timers.delete(node.id);
    const isPaired = nodes.list().some(({ id, state }) => id === node.id && state === 'paired');
    if (nodes.link(node.id) !== undefined || !isPaired) return;
    gone.add(node.id);
    tell('node-offline', `node ${node.name} is not connected; its commands continue there`, node);
  };
  nodes.onLink((node, link) => {
    const { id, name } = node;
    cancel(id);
    if (gone.delete(id)) tell('node-online', `node ${name} is connected again`, node);
    void link.down.then(() => {
      if (isStopped) return;
      cancel(id);
      timers.set(id, setTimeout(report, afterMs, node).unref());
    });
  });
  return () => {
    isStopped = true;
    for (const id of timers.keys()) cancel(id);
  };
}
