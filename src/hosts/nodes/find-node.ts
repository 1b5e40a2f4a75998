/** Which node the operator means. */
import { Fault } from '../../base/fault.ts';
import { isWholeNodeId, matchingNodes } from '../../policy/node-match.ts';
import type { NodeInfo } from '../../wire/nodes/node.ts';

export function findNode(wanted: string, nodes: readonly NodeInfo[]): NodeInfo {
  const [node, ...others] = matchingNodes(wanted, nodes);
  if (node === undefined) throw unknown(wanted, nodes);
  if (others.length > 0) throw ambiguous(wanted, [node, ...others]);
  return node;
}

/**
 * The machine that the operator approves: by the eight digits that it shows, or by its whole id. A machine reports its own name,
 * so another one may have the name by now.
 */
export function findApproved(wanted: string, nodes: readonly NodeInfo[]): NodeInfo {
  const shown = withCode(wanted, nodes);
  if (shown !== undefined) return shown;
  if (isWholeNodeId(wanted.trim())) return findNode(wanted, nodes);
  const named = matchingNodes(wanted, nodes);
  if (named.length === 0) throw /^[\d\s-]+$/u.test(wanted) ? notEightDigits(wanted) : unknown(wanted, nodes);
  throw codeRequired(wanted, named);
}

/** The machine that the operator rejects: by its digits, or as any other node. */
export function findPending(wanted: string, nodes: readonly NodeInfo[]): NodeInfo {
  const shown = withCode(wanted, nodes);
  if (shown !== undefined) return shown;
  if (matchingNodes(wanted, nodes).length === 0) throw noneWaits(wanted, nodes);
  return findNode(wanted, nodes);
}

function noneWaits(wanted: string, nodes: readonly NodeInfo[]): Fault {
  const others = 'pincer nodes remove removes a paired node';
  return new Fault('NODE_UNKNOWN', `no machine that waits for approval is called ${JSON.stringify(wanted)}`, {
    hint: nodes.length === 0 ? `none waits; ${others}` : `waiting: ${candidates(nodes)}; ${others}`,
    details: { nodes: nodes.map(({ id, name }) => ({ id, name })) },
  });
}

/**
 * Undefined for a text that is not eight digits, with or without a blank. Digits are never a name: a machine that intercepts the
 * connection knows the digits of the real node, and chooses its own name.
 */
function withCode(wanted: string, nodes: readonly NodeInfo[]): NodeInfo | undefined {
  const digits = wanted.replaceAll(/[\s-]/gu, '');
  if (!/^\d{8}$/u.test(digits)) return undefined;
  const [shown, second] = nodes.filter(({ code }) => code === digits);
  if (shown === undefined || second !== undefined) throw noSuchCode(wanted);
  return shown;
}

/** Where the name means a paired node instead, the fault says so. */
export function findApprovable(wanted: string, nodes: readonly NodeInfo[], paired: readonly NodeInfo[]): NodeInfo {
  try {
    return findApproved(wanted, nodes);
  } catch (error) {
    throw (error instanceof Fault && error.code === 'NODE_UNKNOWN' && alreadyPaired(wanted, paired)) || error;
  }
}

function alreadyPaired(wanted: string, paired: readonly NodeInfo[]): Fault | undefined {
  let known: NodeInfo;
  try {
    known = findNode(wanted, paired);
  } catch {
    return undefined; // unknown, or ambiguous
  }
  const { name, id, connected } = known;
  const state = `already paired, and ${connected ? 'connected' : 'not connected'}`;
  return new Fault('NODE_ALREADY_PAIRED', `node ${name} (${id}) is ${state}`, {
    hint: connected ? 'nothing needs approval' : 'start it with pincer node run on that machine',
    details: { id, name },
  });
}

function candidates(nodes: readonly NodeInfo[]): string {
  return nodes.map(({ name, id }) => `${name} (${id})`).join(', ');
}

function codeRequired(wanted: string, named: readonly NodeInfo[]): Fault {
  const commands = named.map(({ code, id }) => `pincer nodes approve ${code ?? id}`);
  return new Fault('NODE_CODE_REQUIRED', `${JSON.stringify(wanted)} is a name, and any machine can report it`, {
    hint: `compare the eight digits with those on the machine; if they are equal: ${commands.join(', or ')}`,
    details: { nodes: named.map(({ id, name, code }) => ({ id, name, ...(code === undefined ? {} : { code }) })) },
  });
}

/** It names no machine: the id of one would be a way around the comparison. */
function noSuchCode(wanted: string): Fault {
  return new Fault('NODE_UNKNOWN', `no machine waits with the digits ${JSON.stringify(wanted)}`, {
    hint: 'compare them with pincer nodes pending; if they differ, approve nothing and stop pincer node on that machine',
  });
}

function notEightDigits(wanted: string): Fault {
  return new Fault('NODE_UNKNOWN', `${JSON.stringify(wanted)} is not the eight digits of a machine that waits`, {
    hint: 'pincer nodes pending shows them: compare all eight with those on that machine',
  });
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
