import type { NodeMethods } from '../../wire/nodes/methods.ts';
import type { Link } from '../channel/link.ts';

export type Lookup = NodeMethods['exec.lookup']['result'];

/** What a node knows about the key of a request. `store`: its store when the request was sent. */
export function lookUp(link: Link, key: string, store: string): Promise<Lookup> {
  return link.channel.call('exec.lookup', { key, store }) as Promise<Lookup>;
}

/** As `lookUp`, for a request that is not sent again: one that has not arrived will not run. */
export function lookUpOrWithdraw(link: Link, key: string, store: string): Promise<Lookup> {
  return link.channel.call('exec.lookup', { key, store, withdraw: true }) as Promise<Lookup>;
}
