import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openApprovalStore } from '../../../src/hosts/approvals/store.ts';
import type { Database } from '../../../src/hosts/database/shape.ts';
import type { Link } from '../../../src/hosts/channel/link.ts';
import type { FinalDecision, ProvenNode } from '../../../src/hosts/identity/handshake.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { createNodes, type NodesOptions } from '../../../src/hosts/nodes/nodes.ts';
import { NODE_PROTOCOLS } from '../../../src/wire/nodes/handshake.ts';
import type { WaitingConnection } from '../../../src/hosts/nodes/shape.ts';
import { makeFolder } from '../../support/folder.ts';

export const OFFER = { exec: 'judged', files: 'none', pty: true } as const;

/** The tables of a gateway in a new folder. */
export async function database(file = join(makeFolder(), 'gateway.db')): Promise<Database> {
  const store = await openApprovalStore({ file });
  onTestFinished(() => store.close());
  return store.database;
}

/** In place of a method of the database. */
export function diskFull(): never {
  throw new Error('the disk is full');
}

/** A clock that a test moves. */
export function clock(start = 1_000_000) {
  let time = start;
  return { now: () => time, pass: (ms: number) => void (time += ms) };
}

/** A machine that has proved its key. */
export function peer(changes: Partial<ProvenNode> = {}): ProvenNode {
  const { id, publicKey } = newIdentity();
  return {
    id,
    publicKey,
    name: 'mac',
    platform: 'linux',
    version: '1.2.3',
    offer: OFFER,
    instance: 'instance-1',
    code: '12345678',
    isBound: true,
    protocol: NODE_PROTOCOLS.max,
    remote: '192.0.2.7:40000',
    proves: () => false,
    ...changes,
  };
}

/** The connection of a machine, with what the gateway did with it. */
export function connection(): WaitingConnection & { readonly heard: (FinalDecision | string)[] } {
  const heard: (FinalDecision | string)[] = [];
  return { heard, settle: (decision) => heard.push(decision), close: (reason) => heard.push(reason) };
}

export function link(epoch = 'epoch-00'): Link & { readonly closed: readonly string[] } {
  const closed: string[] = [];
  let end: (reason: string) => void = () => {};
  const down = new Promise<string>((resolve) => (end = resolve));
  const close = (reason: string): void => {
    closed.push(reason);
    end(reason);
  };
  return { epoch, channel: undefined as never, down, closed, close };
}

export interface SampleNodes {
  readonly nodes: ReturnType<typeof createNodes>;
  readonly pass: (ms: number) => void;
  readonly audited: string[];
  readonly notices: string[];
}

export async function sampleNodes(options: Partial<NodesOptions> = {}): Promise<SampleNodes> {
  const { now, pass } = clock();
  const audited: string[] = [];
  const notices: string[] = [];
  const nodes = createNodes({
    database: await database(),
    now,
    gatewayId: () => 'g'.repeat(32),
    address: (url = 'wss://127.0.0.1:7463') => url,
    completed: (invitation) => invitation,
    keyEnded: () => {},
    registryChanged: () => {},
    paired: () => {},
    audit: (action, { name }, by) => audited.push(`${action} ${name}${by === undefined ? '' : ` by ${by}`}`),
    notify: (text) => notices.push(text),
    log: () => {},
    ...options,
  });
  onTestFinished(() => nodes.close()); // before the database
  return { nodes, pass, audited, notices };
}

/** Pairs a machine and connects it. */
export function paired({ nodes }: SampleNodes, changes: Partial<ProvenNode> = {}) {
  const machine = peer(changes);
  const waiting = connection();
  nodes.decide(machine, waiting);
  const info = nodes.approve(machine.id, 'ann');
  const own = link();
  nodes.linked(machine, own);
  return { machine, info, link: own };
}
