/** Calls file tools on nodes. A call that only reads is repeated after a broken link; one that writes never is. */
import { Fault } from '../../base/fault.ts';
import type { NodeMethods } from '../../wire/nodes/methods.ts';
import { MOST_NODE_CALL } from '../../wire/nodes/tool-call.ts';
import type { ToolResult } from '../../wire/tool.ts';
import type { Link } from '../channel/link.ts';
import { Calls, callTooLong } from '../tool-calls/calls.ts';
import { withNodeName } from './dispatch.ts';
import { closeAfter } from './in-time.ts';
import { NodeLinks } from './node-links.ts';
import { nodeParams } from './node-params.ts';
import type { NodeName } from './node-requests.ts';
import type { Nodes } from './shape.ts';

export interface NodeFilesOptions {
  readonly nodes: Pick<Nodes, 'list' | 'link' | 'onLink' | 'onRemoved'>;
  /** How long a call that reads waits for its node after a broken link (default: 30 s). */
  readonly reconnectMs?: number;
  /** How long a node may take for a call before its link is closed (default: 3 min). */
  readonly toolMs?: number;
}

export interface NodeToolCall {
  readonly node: NodeName;
  readonly params: Omit<NodeMethods['tool.call']['params'], 'tool'> & { readonly tool: string };
  /** The call changes nothing, so that it may be sent again. */
  readonly reads: boolean;
}

export interface NodeFiles {
  call(call: NodeToolCall, signal?: AbortSignal): Promise<ToolResult>;
}

const RECONNECT_MS = 30_000;
/** On the node, a call waits 30 s for a worker, and has 30 s to read and 30 s to write. */
const TOOL_MS = 180_000;
/** All results in transit are fewer bytes than a link accepts. */
const MOST_AT_ONCE = 3;
/** A node whose links keep breaking during a call may be the cause. */
const MOST_ATTEMPTS = 5;

export function createNodeFiles({ nodes, reconnectMs = RECONNECT_MS, toolMs = TOOL_MS }: NodeFilesOptions): NodeFiles {
  const links = new NodeLinks(nodes);
  const callsOfLink = new WeakMap<Link, Calls>();

  function callsOf(link: Link): Calls {
    const calls = callsOfLink.get(link) ?? new Calls(link.channel, { mostAtOnce: MOST_AT_ONCE });
    callsOfLink.set(link, calls);
    return calls;
  }

  return {
    async call({ node, params, reads }, signal) {
      const sent = checkedParams(params);
      const until = performance.now() + reconnectMs;
      let link = links.current(node.id);
      if (link === undefined) throw offline(node);
      for (let attempt = 1; ; attempt++) {
        let isSent = false;
        let stop: () => void = () => {};
        const used = link;
        const onSent = (): void => {
          isSent = true;
          stop = closeAfter(used, toolMs);
        };
        try {
          const result = await callsOf(link).call(sent, { signal, onSent });
          return namingNode(result, node, params.tool);
        } catch (error) {
          if (link.channel.lost === undefined) throw nodeFault(error, node);
          if (isSent && !reads) throw outcomeUnknown(node, params.tool);
        } finally {
          stop();
        }
        if (attempt >= MOST_ATTEMPTS) throw broken(node, params.tool);
        link = await links.within(node.id, until - performance.now(), signal);
        if (link === undefined) throw broken(node, params.tool);
      }
    },
  };
}

/** Tools whose result is a sentence. Of the others it is data: the text of a file, or JSON. */
const SENTENCES: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch']);

/** The result with its machine: in the details, and in the text where that is a sentence. */
function namingNode(result: ToolResult, node: NodeName, tool: string): ToolResult {
  const { content, error, isError } = result;
  const details = { ...result.details, node };
  const [first, ...rest] = content;
  const isFault = error !== undefined && first?.type === 'text' && first.text.startsWith(error);
  if (first?.type !== 'text' || !(isFault || (isError !== true && SENTENCES.has(tool)))) return { ...result, details };
  const named = (text: string): string => `node ${node.name}: ${text}`;
  return {
    ...result,
    content: [{ ...first, text: named(first.text) }, ...rest],
    details,
    ...(error === undefined ? {} : { error: named(error) }),
  };
}

/** A call that is too long would end the link of all other calls. */
function checkedParams(params: NodeToolCall['params']): NodeMethods['tool.call']['params'] {
  const { tool } = params;
  const checked = nodeParams('tool.call', params, { what: tool, hint: 'split it into several calls' });
  if (Buffer.byteLength(JSON.stringify(checked)) > MOST_NODE_CALL) throw callTooLong(tool, MOST_NODE_CALL);
  return checked;
}

function nodeFault(error: unknown, node: NodeName): unknown {
  if (!(error instanceof Fault) || error.code !== 'NODE_METHOD_REFUSED') return withNodeName(error, node);
  return new Fault('NODE_CANNOT', `node ${node.name} offers no files: its pincer is too old for file tools`, {
    hint: 'update pincer on the node',
    details: { node },
  });
}

function offline(node: NodeName): Fault {
  return new Fault('NODE_OFFLINE', `node ${node.name} is not connected; nothing was sent`, {
    hint: 'start it there with pincer node run, and call the tool again',
    details: { node },
  });
}

function broken(node: NodeName, tool: string): Fault {
  return new Fault(
    'NODE_NOT_DISPATCHED',
    `the connection to node ${node.name} broke before ${tool} was answered; nothing was changed`,
    { hint: 'call the tool again when the node is connected', details: { node } },
  );
}

function outcomeUnknown(node: NodeName, tool: string): Fault {
  return new Fault(
    'NODE_OUTCOME_UNKNOWN',
    `the connection to node ${node.name} broke, and it is not known whether ${tool} changed its files`,
    {
      hint: `look before you repeat it: pincer changes --node ${node.id} lists the changes there`,
      details: { node },
    },
  );
}
