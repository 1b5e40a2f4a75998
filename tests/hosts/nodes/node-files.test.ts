import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import { type Link, openLink } from '../../../src/hosts/channel/link.ts';
import type { IncomingCall } from '../../../src/hosts/channel/serving.ts';
import { createNodeFiles, type NodeToolCall } from '../../../src/hosts/nodes/node-files.ts';
import { packAnswer } from '../../../src/runner/tools/packing.ts';
import { NODE_METHODS } from '../../../src/wire/nodes/methods.ts';
import { MOST_NODE_CALL } from '../../../src/wire/nodes/tool-call.ts';
import { eventLoopTurns, until } from '../../support/patience.ts';
import { memoryCarriers } from '../../support/memory-carrier.ts';

const NODE = { id: 'n'.repeat(32), name: 'mac' };
const TEXT = { content: [{ type: 'text' as const, text: 'one\n' }], details: { path: 'a.txt' } };

interface Ground {
  /** What the node was called with. */
  readonly calls: { readonly method: string; readonly params: unknown }[];
  serve: (call: IncomingCall) => Promise<unknown>;
  connect(): void;
  cut(): void;
  call(more?: Partial<NodeToolCall>, signal?: AbortSignal): Promise<unknown>;
}

function ground(reconnectMs = 30_000): Ground {
  const listeners: ((node: never, link: Link) => void)[] = [];
  let current: Link | undefined;
  const nodes = {
    list: () => [],
    link: () => current,
    onLink: (listener: (node: never, link: Link) => void) => void listeners.push(listener),
    onRemoved: () => {},
  };
  const files = createNodeFiles({ nodes, reconnectMs });
  let epochs = 0;
  let cut: () => void = () => {};
  const made: Ground = {
    calls: [],
    serve: async () => packAnswer(TEXT),
    connect() {
      const [near, far] = memoryCarriers();
      cut = () => near.close('cut');
      onTestFinished(cut);
      const epoch = `epoch-${epochs++}`;
      const serve = (call: IncomingCall): Promise<unknown> => {
        made.calls.push({ method: call.method, params: call.params });
        return made.serve(call);
      };
      openLink(far, { epoch, side: 'opener', serve });
      const shapes = { 'tool.call': { result: NODE_METHODS['tool.call'].result } };
      current = openLink(near, { epoch, side: 'acceptor', methods: shapes });
      for (const listener of listeners) listener({ id: NODE.id } as never, current);
    },
    cut: () => cut(),
    call: (more = {}, signal) => {
      const params = { tool: 'read', args: { path: 'a.txt' }, caller: { agent: 'main' } };
      return files.call({ node: NODE, params, reads: true, ...more }, signal);
    },
  };
  return made;
}

const WRITE = {
  reads: false,
  params: { tool: 'write', args: { path: 'a', content: 'x' }, caller: { agent: 'main' } },
} as const;

describe('a file tool on a node', () => {
  it('returns the result, with the node', async () => {
    const node = ground();
    node.connect();
    expect(await node.call()).toEqual({ ...TEXT, details: { path: 'a.txt', node: NODE } });
    expect(node.calls).toEqual([
      { method: 'tool.call', params: { tool: 'read', args: { path: 'a.txt' }, caller: { agent: 'main' } } },
    ]);
  });

  it('sends nothing where the node is not connected', async () => {
    const node = ground();
    await expect(node.call(WRITE)).rejects.toMatchObject({ code: 'NODE_OFFLINE' });
    expect(node.calls).toEqual([]);
  });

  it('is repeated over the next link where it only reads', async () => {
    const node = ground();
    node.connect();
    node.serve = () => new Promise(() => {});
    const answer = node.call();
    await until(() => node.calls.length === 1, 'the call');
    node.cut();
    node.serve = async () => packAnswer(TEXT);
    await eventLoopTurns(3);
    node.connect();
    expect(await answer).toMatchObject({ content: TEXT.content });
    expect(node.calls.length).toBe(2);
  });

  it('is never repeated where it writes: its outcome is unknown', async () => {
    const node = ground();
    node.connect();
    node.serve = () => new Promise(() => {});
    const answer = node.call(WRITE);
    await until(() => node.calls.length === 1, 'the call');
    node.cut();
    node.connect();
    await expect(answer).rejects.toMatchObject({
      code: 'NODE_OUTCOME_UNKNOWN',
      hint: expect.stringContaining(`pincer changes --node ${NODE.id}`) as string,
    });
    expect(node.calls.length).toBe(1);
  });

  it('waits in turn, and is sent once over the next link where the first broke before its turn', async () => {
    const node = ground();
    node.connect();
    node.serve = () => new Promise(() => {});
    const first = Array.from({ length: 3 }, () => node.call(WRITE).catch((error: Fault) => error.code));
    const queued = node.call(WRITE);
    await until(() => node.calls.length === 3, 'three calls');
    node.cut();
    node.serve = async () => packAnswer(TEXT);
    node.connect();
    expect(await Promise.all(first)).toEqual(Array.from({ length: 3 }, () => 'NODE_OUTCOME_UNKNOWN'));
    expect(await queued).toMatchObject({ content: [{ type: 'text', text: expect.stringMatching(/^node mac: one/u) }] });
    expect(node.calls.length).toBe(4);
  });

  it('gives up where the node does not come back', async () => {
    const node = ground(20);
    node.connect();
    node.serve = () => new Promise(() => {});
    const answer = node.call();
    await until(() => node.calls.length === 1, 'the call');
    node.cut();
    await expect(answer).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
  });

  it('ends the link of a node whose results break the protocol, and tries a bounded number of times', async () => {
    const node = ground();
    node.serve = async () => Buffer.from('x');
    const reconnect = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        node.connect();
        await eventLoopTurns(5);
      }
    };
    node.connect();
    const answer = node.call();
    answer.catch(() => {});
    await reconnect();
    await expect(answer).rejects.toMatchObject({ code: 'NODE_NOT_DISPATCHED' });
    expect(node.calls.length).toBeLessThanOrEqual(5);
  });

  it.each([{ approvalId: 'x' }, { approvalSlug: 'x' }, { approveWith: 'x' }, { status: 'approval-pending' }])(
    'refuses a result with a question to a person: %j',
    async (details) => {
      const node = ground(20);
      node.serve = async () => packAnswer({ content: [], details });
      node.connect();
      await expect(node.call(WRITE)).rejects.toMatchObject({ code: 'NODE_OUTCOME_UNKNOWN' });
    },
  );

  it('drops details that no file tool has', async () => {
    const node = ground();
    node.serve = async () => packAnswer({ content: [], details: { path: 'a', sessionId: 'x', node: 'other' } });
    node.connect();
    expect(await node.call()).toEqual({ content: [], details: { path: 'a', node: NODE } });
  });

  it('names the node in its faults, and calls an old node one that cannot', async () => {
    const node = ground();
    node.connect();
    node.serve = async () => {
      throw new Fault('TOOL_NOT_OFFERED', 'the tool read is not offered here');
    };
    await expect(node.call()).rejects.toMatchObject({
      code: 'TOOL_NOT_OFFERED',
      message: 'node mac: the tool read is not offered here',
    });
    node.serve = async () => {
      throw new Fault('NODE_METHOD_REFUSED', 'no');
    };
    await expect(node.call()).rejects.toMatchObject({ code: 'NODE_CANNOT' });
  });

  it.each([
    ['too long', { path: 'a', content: 'x'.repeat(MOST_NODE_CALL) }],
    ['too long as JSON', { path: 'a', content: '\u0000'.repeat(MOST_NODE_CALL / 4) }],
    ['too many', { path: Array.from({ length: 200_000 }, () => 0) }],
  ])('refuses parameters that are %s before anything is sent', async (_, args) => {
    const node = ground();
    node.connect();
    const call = node.call({ params: { tool: 'write', args, caller: { agent: 'main' } }, reads: false });
    await expect(call).rejects.toMatchObject({ code: 'PARAM_INVALID' });
    expect(await node.call()).toMatchObject({ content: TEXT.content });
  });

  it('ends for a caller who cancels it', async () => {
    const node = ground();
    node.connect();
    node.serve = () => new Promise(() => {});
    const stop = new AbortController();
    const answer = node.call({}, stop.signal);
    await until(() => node.calls.length === 1, 'the call');
    stop.abort();
    expect(await answer).toMatchObject({ isError: true, details: { code: 'TOOL_ABORTED' } });
  });
});
