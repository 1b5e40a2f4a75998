/** Nodes in memory: real channels between a gateway and a node whose commands run in a gateway of its own. */
import { onTestFinished } from 'vitest';
import { notRun } from '../../src/hosts/gateway/approvals/approval-outcome.ts';
import { neverRan } from '../../src/hosts/approvals/never-ran.ts';
import type { ConfigFile } from '../../src/config/schema/schema.ts';
import { Fault } from '../../src/base/fault.ts';
import { type Link, openLink } from '../../src/hosts/channel/link.ts';
import type { IncomingCall } from '../../src/hosts/channel/serving.ts';
import type { Nodes } from '../../src/hosts/nodes/shape.ts';
import type { Caller } from '../../src/wire/exec.ts';
import { NODE_METHODS, type NodeMethods } from '../../src/wire/nodes/methods.ts';
import type { NodeInfo } from '../../src/wire/nodes/node.ts';
import type { SessionInfo } from '../../src/wire/session.ts';
import { type TestGateway, testGateway } from './gateway.ts';
import { memoryCarriers } from './memory-carrier.ts';

type Params<M extends keyof NodeMethods> = NodeMethods[M]['params'];

/** Everything runs on the node without approval. */
export const OPEN_NODE: ConfigFile = { tools: { exec: { security: 'full', ask: 'off' } } };

export interface MemoryNode {
  readonly info: NodeInfo;
  readonly local: TestGateway;
  /** What the gateway called, in order. */
  readonly calls: { readonly method: string; readonly params: unknown }[];
  /** Called before each call is served; may throw, or cut the link. */
  before: (call: IncomingCall) => Promise<void> | void;
  /** Called between the start of a command and its confirmation. */
  started: (session: SessionInfo) => Promise<void> | void;
  /** Answers instead of the node: a hostile one. */
  hostile: ((call: IncomingCall) => Promise<unknown>) | undefined;
  connect(): Link;
  cut(): void;
}

export interface MemoryNodes {
  /** Several gateways may have them: they then share each link. */
  readonly nodes: Nodes;
  add(info?: Partial<NodeInfo>, config?: ConfigFile, folder?: string): Promise<MemoryNode>;
}

/** The ids of nodes have no digit 0, 1, 8 or 9. */
const LETTERS = 'abcdefghij';
let ids = 0;
let epochs = 0;

export function memoryNodes(isShared = false): MemoryNodes {
  const known: { info: NodeInfo; link: Link | undefined }[] = [];
  const listeners: ((node: NodeInfo, link: Link) => void)[] = [];
  const removed: ((node: NodeInfo) => void)[] = [];
  const linkOf = ({ link }: { link: Link | undefined }): Link | undefined =>
    link?.channel.lost === undefined ? link : undefined;
  return {
    nodes: {
      list: () => known.map((entry) => ({ ...entry.info, connected: linkOf(entry) !== undefined })),
      link: (id) => {
        const entry = known.find(({ info }) => info.id === id);
        return entry === undefined ? undefined : linkOf(entry);
      },
      isShared: () => isShared,
      onLink: (listener) => void listeners.push(listener),
      onRemoved: (listener) => void removed.push(listener),
      close: async () => {},
    },
    async add(more = {}, config = OPEN_NODE, folder) {
      const local = await testGateway(config);
      const info: NodeInfo = {
        id: `n${[...String(ids++).padStart(5, '0')].map((digit) => LETTERS[Number(digit)]).join('')}`.padEnd(32, 'z'),
        name: 'mac-1',
        platform: 'linux',
        version: 'test',
        state: 'paired',
        connected: false,
        offer: { exec: 'judged', files: 'none', pty: true },
        ...more,
      };
      const entry: { info: NodeInfo; link: Link | undefined } = { info, link: undefined };
      known.push(entry);
      let cut: () => void = () => {};
      const node: MemoryNode = {
        info,
        local,
        calls: [],
        before: () => {},
        started: () => {},
        hostile: undefined,
        connect() {
          const [near, far] = memoryCarriers();
          cut = () => near.close('cut');
          onTestFinished(cut);
          const epoch = `epoch-${++epochs}`;
          openLink(far, {
            epoch,
            side: 'opener',
            serve: (call) => (node.hostile ?? ((one) => serve(node, one, folder)))(call),
          });
          const link = openLink(near, { epoch, side: 'acceptor', methods: NODE_METHODS });
          entry.link = link;
          for (const listener of listeners) listener(info, link);
          return link;
        },
        cut: () => cut(),
      };
      return node;
    },
  };
}

/** Approval requests by key. */
const asked = new Map<string, string>();
/** Commands by key: a node starts each once. */
const started = new WeakMap<MemoryNode, Map<string, string>>();

async function serve(node: MemoryNode, call: IncomingCall, folder: string | undefined): Promise<unknown> {
  const { method, params } = call;
  node.calls.push({ method, params });
  await node.before(call);
  const { gateway } = node.local;
  const keys = started.get(node) ?? new Map<string, string>();
  started.set(node, keys);
  const caller: Caller = { agent: 'guest' };
  const follow = async (sessionId: string, after: number): Promise<{ session: SessionInfo }> => ({
    session: await gateway.follow(
      { caller, sessionId, after },
      (event) => {
        if (event.type === 'output') call.log(event);
        else if (event.type === 'gap') call.event({ type: 'gap', start: event.start, bytes: event.bytes });
        return call.room();
      },
      call.signal,
    ),
  });
  switch (method) {
    case 'node.describe':
      return {
        path: '/usr/bin:/bin',
        workspace: node.local.folder,
        store: 's',
        platform: node.info.platform,
        version: 'test',
      };
    case 'exec.start': {
      const { key, request, size, streams, stdin } = params as Params<'exec.start'>;
      const outcome = await gateway.call('exec.start', {
        request: { ...request, host: 'gateway', background: true },
        context: {
          caller,
          folder: folder ?? node.local.folder,
          environment: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
          ...(size === undefined ? {} : { size }),
          ...(streams === undefined ? {} : { streams }),
          ...(stdin === undefined ? {} : { stdin }),
        },
      });
      if (outcome.status === 'approval-pending') asked.set(key, outcome.approval.id);
      if (!('session' in outcome)) return { outcome };
      keys.set(key, outcome.session.id);
      await node.started(outcome.session);
      call.event({ type: 'accepted', session: outcome.session, warnings: outcome.warnings });
      return follow(outcome.session.id, 0);
    }
    case 'policy.explain': {
      const { request } = params as Params<'policy.explain'>;
      const context = { caller, folder: node.local.folder, environment: { PATH: '/usr/bin:/bin' } };
      return gateway.call('policy.explain', { request: { ...request, host: 'gateway' }, context });
    }
    case 'exec.lookup': {
      const { key } = params as Params<'exec.lookup'>;
      const approval = asked.get(key);
      const answer = approval === undefined ? undefined : await gateway.call('approval.show', { id: approval });
      const sessionId = keys.get(key) ?? answer?.sessionId;
      if (sessionId === undefined && answer !== undefined)
        return neverRan(answer) ? { state: 'never', outcome: notRun(answer) } : { state: 'asked' };
      if (sessionId === undefined) return { state: 'never' };
      const session = await gateway.call('session.wait', { caller, sessionId, waitMs: 0 });
      return { state: session.status === 'running' ? 'running' : 'ended', session };
    }
    case 'session.follow': {
      const { sessionId, after } = params as Params<'session.follow'>;
      return follow(sessionId, after);
    }
    case 'session.write': {
      const { sessionId, data, end } = params as Params<'session.write'>;
      await gateway.call('session.input', { caller, sessionId, input: { kind: 'raw', base64: data } });
      if (end === true)
        await gateway.call('session.input', { caller, sessionId, input: { kind: 'write', data: '', eof: true } });
      return {};
    }
    case 'session.resize':
      await gateway.call('session.resize', { caller, ...(params as Params<'session.resize'>) });
      return {};
    case 'session.interrupt':
      await gateway.call('session.interrupt', { caller, ...(params as Params<'session.interrupt'>) });
      return {};
    case 'session.processes':
      return gateway.call('session.processes', { caller, ...(params as Params<'session.processes'>) });
    case 'session.kill':
      return { session: await gateway.call('session.kill', { caller, ...(params as Params<'session.kill'>) }) };
    default:
      throw new Fault('NODE_METHOD_REFUSED', `no method ${method}`);
  }
}
