/** The ids of open approval requests on each connected node, also of those that other gateways caused. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Nodes } from '../../nodes/shape.ts';

type Link = NonNullable<ReturnType<Nodes['link']>>;

/** As many as a node lists. It chooses the ids, and must not fill the memory of the gateway. */
export const MOST_OPEN_ON_NODE = 10_000;

export class OpenOnNodes {
  readonly #nodes = new Map<string, { readonly link: Link; readonly open: Set<string> }>();

  /** The node has listed all of them. They are known as long as the link lasts. */
  listed(node: string, link: Link, ids: Iterable<string>): void {
    const known = { link, open: new Set(ids) };
    this.#nodes.set(node, known);
    void link.down.then(() => {
      if (this.#nodes.get(node) === known) this.#nodes.delete(node);
    });
  }

  reported(node: string, { id, state }: Pick<ApprovalInfo, 'id' | 'state'>): void {
    const open = this.#nodes.get(node)?.open;
    if (open === undefined) return;
    if (state !== 'pending') open.delete(id);
    else if (open.size < MOST_OPEN_ON_NODE) open.add(id);
  }

  /** Undefined where the node has not said it. */
  has(node: string, id: string): boolean | undefined {
    return this.#nodes.get(node)?.open.has(id);
  }
}
