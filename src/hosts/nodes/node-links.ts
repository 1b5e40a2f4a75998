/** The current link of each node, for commands that outlive a link. */
import type { Link } from '../channel/link.ts';
import type { Nodes } from './shape.ts';

interface LinkListener {
  /** There is a new link. */
  linked(link: Link): void;
  /** The operator has removed the node. */
  removed?(): void;
}

export class NodeLinks {
  readonly #nodes: Pick<Nodes, 'list' | 'link'>;
  readonly #listeners = new Map<string, Set<LinkListener>>();

  constructor(nodes: Pick<Nodes, 'list' | 'link' | 'onLink' | 'onRemoved'>) {
    this.#nodes = nodes;
    nodes.onRemoved(({ id }) => {
      for (const listener of this.#listeners.get(id) ?? []) listener.removed?.();
    });
    nodes.onLink(({ id }, link) => {
      for (const listener of this.#listeners.get(id) ?? []) listener.linked(link);
    });
  }

  current(id: string): Link | undefined {
    const link = this.#nodes.link(id);
    return link?.channel.lost === undefined ? link : undefined;
  }

  isPaired(id: string): boolean {
    return this.#nodes.list().some((node) => node.id === id && node.state === 'paired');
  }

  /** Calls the listener for each later link of the node. Returns a function that ends this. */
  listen(id: string, listener: LinkListener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  /** The current or the next link of the node; undefined after `ms`, or when the signal fires. */
  within(id: string, ms: number, signal?: AbortSignal): Promise<Link | undefined> {
    const current = this.current(id);
    if (current !== undefined || ms <= 0 || signal?.aborted === true) return Promise.resolve(current);
    return new Promise((resolve) => {
      const done = (link?: Link): void => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', abort);
        resolve(link);
      };
      const abort = (): void => done();
      const timer = setTimeout(done, ms);
      const stop = this.listen(id, { linked: done });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
