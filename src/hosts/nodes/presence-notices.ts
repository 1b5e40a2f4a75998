/** Tells the operator when a node is gone for longer than a reconnect takes, and when such a node is back. */
import { guarded } from '../../base/guarded.ts';
import type { NodeInfo } from '../../wire/nodes/node.ts';
import type { Nodes } from './shape.ts';

interface PresenceParts {
  readonly nodes: Pick<Nodes, 'link' | 'list' | 'onLink'>;
  readonly notify: (kind: 'node-offline' | 'node-online', text: string, node: NodeInfo) => void;
  /** Receives the error of a notice that could not be stored. */
  readonly onTrouble: (error: unknown) => void;
  /** Default: 60 s. */
  readonly afterMs?: number;
}

const AFTER_MS = 60_000;

/** Returns how to stop. */
export function watchPresence({ nodes, notify, onTrouble, afterMs = AFTER_MS }: PresenceParts): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const gone = new Set<string>();
  let isStopped = false;
  const cancel = (id: string): void => {
    clearTimeout(timers.get(id));
    timers.delete(id);
  };
  const returned = guarded(onTrouble, (node: NodeInfo) => {
    if (gone.delete(node.id)) notify('node-online', `node ${node.name} is connected again`, node);
  });
  const report = guarded(onTrouble, (id: string) => {
    timers.delete(id);
    const node = nodes.list().find((each) => each.id === id && each.state === 'paired');
    if (nodes.link(id) !== undefined || node === undefined) return;
    gone.add(id);
    notify('node-offline', `node ${node.name} is not connected; its commands continue there`, node);
  });
  nodes.onLink((node, link) => {
    const { id } = node;
    cancel(id);
    returned(node);
    void link.down.then(() => {
      if (isStopped) return;
      cancel(id);
      timers.set(id, setTimeout(report, afterMs, id).unref());
    });
  });
  return () => {
    isStopped = true;
    for (const id of timers.keys()) cancel(id);
  };
}
