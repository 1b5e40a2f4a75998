/** Which node the operator means. */
import { Fault } from '../../base/fault.ts';
import type { NodeInfo } from '../../wire/node.ts';
import { labelOf } from './registry.ts';

const SHORTEST_PREFIX = 6;

/** By the whole id, then by the name, then by the first letters of the id. A revoked node never hides another one. */
export function findNode(wanted: string, nodes: readonly NodeInfo[]): NodeInfo {
  const text = wanted.trim();
  const exact = nodes.find(({ id }) => id === text.toLowerCase());
  if (exact !== undefined) return exact;
  const live = nodes.filter(({ state }) => state !== 'revoked');
  const revoked = nodes.filter(({ state }) => state === 'revoked');
  for (const some of [live, revoked]) {
    const named = some.filter(({ name }) => labelOf(name) === labelOf(text));
    // A machine chooses its name: one that is the start of another id must not be taken for that node.
    const found = text.length < SHORTEST_PREFIX ? named : [...new Set([...named, ...some.filter(startsWith(text))])];
    if (found.length > 1) throw ambiguous(wanted, found);
    if (found[0] !== undefined) return found[0];
  }
  throw unknown(wanted, live.length > 0 ? live : revoked);
}

/** Also by the eight digits that the node shows, with or without a blank. */
export function findPending(wanted: string, nodes: readonly NodeInfo[]): NodeInfo {
  const digits = wanted.replaceAll(/[\s-]/gu, '');
  if (!/^\d{8}$/u.test(digits)) return findNode(wanted, nodes);
  // Never a name: a machine that intercepts the connection knows the digits of the real node, and chooses its own name.
  const [shown, second] = nodes.filter(({ code }) => code === digits);
  if (shown === undefined || second !== undefined) throw unknown(wanted, nodes);
  return shown;
}

function startsWith(text: string): (node: NodeInfo) => boolean {
  return ({ id }) => id.startsWith(text.toLowerCase());
}

function candidates(nodes: readonly NodeInfo[]): string {
  return nodes.map(({ name, id }) => `${name} (${id})`).join(', ');
}

function ambiguous(wanted: string, found: readonly NodeInfo[]): Fault {
  return new Fault('NODE_AMBIGUOUS', `${JSON.stringify(wanted)} means several nodes: ${candidates(found)}`, {
    hint: 'use the whole id',
    details: { nodes: found.map(({ id, name }) => ({ id, name })) },
  });
}

function unknown(wanted: string, nodes: readonly NodeInfo[]): Fault {
  return new Fault('NODE_UNKNOWN', `there is no such node: ${JSON.stringify(wanted)}`, {
    hint: nodes.length === 0 ? 'pincer nodes list shows all nodes and their states' : `nodes: ${candidates(nodes)}`,
    details: { nodes: nodes.map(({ id, name }) => ({ id, name })) },
  });
}
