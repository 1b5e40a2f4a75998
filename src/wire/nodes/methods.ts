/**
 * What a gateway and a node send each other after the handshake. It crosses machines, so every string, list and value has a
 * maximum size, and strings for display have no control characters.
 */
import { denialReason, execContext, execRequest } from '../exec.ts';
import { effectivePolicy, judgement } from '../policy.ts';
import {
  array,
  bytes,
  type Infer,
  integer,
  isObject,
  json,
  literal,
  number,
  object,
  oneOf,
  record,
  type Schema,
  string,
  union,
} from '../schema.ts';
import { sessionInfo } from '../session.ts';
import { sessionProcesses } from '../sessions/processes.ts';
import { bounded, displayed, position } from './bounded.ts';
import { natsToken } from './handshake.ts';
import { nodeHello, nodePlatform, nodeVersion } from './node.ts';
import {
  givenAnswer,
  givenExtension,
  nodeAnswer,
  nodeExtension,
  nodeApproval,
  nodeNotice,
  nodeQuestion,
  nodeQuestions,
  openQuestion,
  uuid,
} from './questions.ts';
import { nodeToolCall } from './tool-call.ts';

const KIB = 1024;
const path = string({ max: 4 * KIB });
const sessionId = string({ max: 128 });
/** The start of the session: after a restart of the node, another session may have its id. */
const startedAt = { startedAt: number() };
export const nodeStore = string({ max: 128, pattern: /^[\w.-]+$/u });
const size = object({ cols: integer({ min: 1, max: 10_000 }), rows: integer({ min: 1, max: 10_000 }) });
const warnings = array(string({ max: 4 * KIB, plain: true }), { max: 32 });
const none = object({});

/** A session as its node reports it. */
export const nodeSession = displayed(sessionInfo, { text: 512 * KIB, values: 5_000 });

/** The outcome of a request that started nothing. */
export const nodeRefusal = displayed(
  union(
    'status',
    // A node that does not say what an answer may do accepts none from its gateway.
    object({ status: literal('approval-pending'), approval: nodeApproval, warnings }, openQuestion.required),
    object(
      { status: literal('denied'), reason: denialReason, message: string(), warnings },
      { hint: string(), judgement },
    ),
  ),
  { text: 2048 * KIB, values: 50_000 },
);
export type NodeRefusal = Infer<typeof nodeRefusal>;

/** The log of the node has dropped these bytes. */
const gap = object({ type: literal('gap'), start: position, bytes: position });
const sessionResult = object({ session: nodeSession }, { warnings });
const refusalResult = object({ outcome: nodeRefusal });

/** A request in the words of the gateway. */
const asked = {
  request: bounded(execRequest, { text: 512 * KIB, values: 4_000 }),
  caller: object({ agent: string({ max: 256 }) }, { conversation: string({ max: 1024 }) }),
};
const conditions = {
  /** PATH with the operator's folders in front of the node's own. */
  path: string({ max: 32 * KIB }),
  /** Settings of the gateway that can only tighten the policy of the node. */
  restrictions: bounded(record(json()), { text: 512 * KIB, values: 20_000 }),
};
const question = object({ id: uuid });

/** The methods that a gateway may call on a node, with all that either end may send for each. */
export const NODE_METHODS = {
  'node.describe': {
    params: object(
      {},
      {
        /** The name of the node at this gateway, after the operator has changed it. */
        name: nodeHello.required.name,
      },
    ),
    result: object({
      /** PATH of the commands of the node. */
      path: string({ max: 32 * KIB }),
      /** The folder where relative paths start. */
      workspace: path,
      /** Identifies its database since its start, for `exec.lookup`. */
      store: nodeStore,
      platform: nodePlatform,
      version: nodeVersion,
    }),
  },
  /** Gives the node a token for NATS, which replaces the one that it has. */
  'node.credentials': { params: object({ token: natsToken }), result: none },
  /** Sends `accepted` when the command has started, then its log from byte 0, and the result at its end. */
  'exec.start': {
    params: object(
      {
        /** The node runs at most one command for a key. */
        key: uuid,
        ...asked,
      },
      {
        size,
        streams: execContext.optional.streams,
        stdin: execContext.optional.stdin,
        attached: literal(true),
        ...conditions,
      },
    ),
    event: union('type', object({ type: literal('accepted'), session: nodeSession }, { warnings }), gap),
    result: sessionOrRefusal(),
  },
  'exec.lookup': {
    params: object(
      { key: uuid, store: nodeStore },
      {
        /** Where the answer is `never`, the node refuses the key from now on: a request that is late must not run after the report. */
        withdraw: literal(true),
      },
    ),
    result: object(
      { state: oneOf(['never', 'asked', 'running', 'ended', 'lost']) },
      {
        session: nodeSession,
        outcome: nodeRefusal,
        /** For `asked`, once it exists, and for `never`, where a person had to decide: the approval request. */
        approval: uuid,
      },
    ),
  },
  /** Sends the log from the position `after`. */
  'session.follow': {
    params: object({ sessionId, after: position }, startedAt),
    event: union('type', gap),
    result: sessionResult,
  },
  'session.write': {
    /** `data`: base64 of at most 64 KiB. */
    params: object(
      { sessionId, data: string({ max: 87_384, pattern: /^[\w+/]*={0,2}$/u }) },
      { end: literal(true), ...startedAt },
    ),
    result: none,
  },
  'session.resize': { params: object({ sessionId, size }, startedAt), result: none },
  'session.interrupt': { params: object({ sessionId }, startedAt), result: none },
  'session.kill': { params: object({ sessionId }, startedAt), result: sessionResult },
  'session.processes': {
    params: object({ sessionId }, startedAt),
    result: displayed(sessionProcesses, { text: 1024 * KIB, values: 4_000 }),
  },
  /** Runs a file tool on the workspace of the node. The result is packed as `resultHead` describes. */
  'tool.call': {
    params: nodeToolCall,
    result: bytes,
  },
  /** Of approval requests that agents of the gateway caused; for others it is as if they did not exist. */
  'approval.list': { params: none, result: nodeQuestions },
  'approval.show': { params: question, result: nodeQuestion },
  'approval.resolve': { params: givenAnswer, result: nodeAnswer },
  'approval.extend': { params: givenExtension, result: nodeExtension },
  /** As `approval.show`; waits until the command of an allowed request has started, or will not start. */
  'approval.outcome': { params: question, result: nodeQuestion },
  /** Sends the notices after the number `after`, then new ones, until the call is cancelled. */
  'notice.follow': { params: object({ after: position }), event: nodeNotice, result: none },
  /** Judges a command and does not run it. */
  'policy.explain': {
    params: object(asked, conditions),
    result: displayed(object({ judgement, effective: effectivePolicy }), { text: 2048 * KIB, values: 50_000 }),
  },
} as const;
export type NodeMethod = keyof typeof NODE_METHODS;

type InferPart<M extends NodeMethod, P extends string> = (typeof NODE_METHODS)[M] extends { readonly [K in P]: infer S }
  ? Infer<S>
  : never;
export type NodeMethods = {
  readonly [M in NodeMethod]: {
    readonly params: InferPart<M, 'params'>;
    readonly event: InferPart<M, 'event'>;
    readonly result: InferPart<M, 'result'>;
  };
};

/** The result of `exec.start`: an ended session, or an outcome without one. */
/* @__NO_SIDE_EFFECTS__ */
function sessionOrRefusal(): Schema<Infer<typeof sessionResult> | Infer<typeof refusalResult>> {
  return {
    shape: { type: 'anyOf', cases: [sessionResult, refusalResult] },
    read: (value, problems) =>
      (isObject(value) && Object.hasOwn(value, 'outcome') ? refusalResult : sessionResult).read(value, problems),
  };
}
