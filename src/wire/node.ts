/**
 * Nodes: machines that are paired with a gateway. What a gateway and a node send each other crosses machines, so every
 * string, list and value has a maximum size, and strings for display have no control characters.
 */
import { approvalInfo } from './approval.ts';
import { denialReason, execRequest, execContext } from './exec.ts';
import { judgement } from './policy.ts';
import {
  array,
  boolean,
  type Infer,
  integer,
  isObject,
  json,
  literal,
  number,
  object,
  oneOf,
  type Problems,
  record,
  type Schema,
  string,
  union,
} from './schema.ts';
import { sessionInfo } from './session.ts';

/** The versions of the protocol between nodes and gateways that this release speaks: its own and the previous one. */
export const NODE_PROTOCOLS = { min: 1, max: 1 } as const;

const MOST_PATH = 4096;
const KIB = 1024;

/** The id of a node or a gateway: 20 bytes of the hash of its public key in base32. */
export const nodeId = string({ max: 32, pattern: /^[a-z2-7]{32}$/u });
export const NODE_PLATFORMS = ['linux', 'darwin'] as const;
export const nodePlatform = oneOf(NODE_PLATFORMS);
export type NodePlatform = Infer<typeof nodePlatform>;
export const nodeName = string({ max: 64, pattern: /^[^\p{Cc}\p{Cf}\u2028\u2029]+$/u });
const nodeVersion = string({ max: 64, plain: true });
const path = string({ max: MOST_PATH });

/** What the configuration of a node allows. */
export const nodeOffer = object(
  { exec: oneOf(['off', 'judged']), files: oneOf(['none', 'ro', 'rw']), pty: boolean() },
  { workspace: string({ max: 1024, plain: true }) },
);
export type NodeOffer = Infer<typeof nodeOffer>;

/** A node in the registry of a gateway. */
export const nodeInfo = object(
  {
    id: nodeId,
    /** Unique in the registry. */
    name: nodeName,
    platform: nodePlatform,
    version: nodeVersion,
    state: oneOf(['pending', 'paired', 'revoked']),
    connected: boolean(),
    offer: nodeOffer,
  },
  {
    lastSeenAt: number(),
    pairedAt: number(),
    /** The eight digits of a pending request, which both ends show. */
    code: string({ max: 8, pattern: /^[0-9]{8}$/u }),
    /** When a pending request expires. */
    expiresAt: number(),
    remote: string({ max: 128, plain: true }),
  },
);
export type NodeInfo = Infer<typeof nodeInfo>;

/** What a node tells a gateway about itself. */
export const nodeHello = object({
  version: nodeVersion,
  name: nodeName,
  platform: nodePlatform,
  offer: nodeOffer,
  /** A random id of the running process: two processes with one key are a copied key. */
  instance: string({ max: 64, pattern: /^[\w-]{8,64}$/u }),
});
export type NodeHello = Infer<typeof nodeHello>;

/** What a node needs to pair unattended. `secret` is 32 bytes in base64url, valid once. */
export const invitation = object({
  url: string({ max: 1024, pattern: /^wss?:\/\/[^\p{Cc}\p{Cf}\s]+$/u }),
  /** The id of the gateway, which it has to prove. */
  gateway: nodeId,
  id: string({ max: 64, pattern: /^[\w-]{8,64}$/u }),
  secret: string({ max: 43, pattern: /^[\w-]{43}$/u }),
});
export type Invitation = Infer<typeof invitation>;

/** 32 bytes in base64url: a public key, a nonce or a hash. The unused bits of the last letter are 0. */
const bytes32 = string({ max: 43, pattern: /^[\w-]{42}[AEIMQUYcgkosw048]$/u });
const version = integer({ min: 0, max: 0xffff });

/** The four messages of the handshake, each at most 4 KiB of JSON. Unknown members are dropped. */
export const HANDSHAKE = {
  /** Node to gateway. Its known members never change, so that any two versions understand each other's. */
  hello: object({
    role: literal('node'),
    protocol: object({ min: version, max: version }),
    version: nodeVersion,
    key: bytes32,
    /** A hash of the nonce in the proof: the node cannot choose its nonce after it has seen the gateway's. */
    commit: bytes32,
    instance: nodeHello.required.instance,
  }),
  /** Gateway to node, signed. */
  challenge: object({
    protocol: version,
    key: bytes32,
    nonce: bytes32,
    version: nodeVersion,
    /** Whether the signatures cover the TLS exporter of the connection. */
    bound: boolean(),
  }),
  /** Node to gateway, signed. */
  proof: object(
    {
      nonce: bytes32,
      name: nodeHello.required.name,
      platform: nodePlatform,
      offer: nodeOffer,
    },
    { invitation: object({ id: invitation.required.id, mac: bytes32 }) },
  ),
  /** Gateway to node. After `pending`, `welcome` or `refused` follows. */
  answer: union(
    'answer',
    object({ answer: literal('welcome'), epoch: string({ max: 64, pattern: /^[\w-]{8,64}$/u }) }),
    object({ answer: literal('pending') }),
    object(
      {
        answer: literal('refused'),
        code: string({ max: 64, pattern: /^[A-Z][A-Z0-9_]{1,63}$/u }),
        message: string({ max: 512, plain: true }),
      },
      { hint: string({ max: 512, plain: true }) },
    ),
  ),
} as const;
export type HandshakeAnswer = Infer<typeof HANDSHAKE.answer>;

/** A signed message of the handshake: the exact text that was signed, and the signature in base64url. */
export const signedMessage = object({
  signed: string({ max: 4 * KIB }),
  signature: string({ max: 86, pattern: /^[\w-]{85}[AQgw]$/u }),
});

const uuid = string({ max: 36, pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u });
const sessionId = string({ max: 128 });
const store = string({ max: 128, pattern: /^[\w.-]+$/u });
const position = integer({ min: 0, max: 2 ** 48 - 1 });
const size = object({ cols: integer({ min: 1, max: 10_000 }), rows: integer({ min: 1, max: 10_000 }) });
const warnings = array(string({ max: 4 * KIB, plain: true }), { max: 32 });
const none = object({});

/** A session as its node reports it. */
export const nodeSession = bounded(sessionInfo, { text: 512 * KIB, values: 5_000 });

/** The outcome of a request that started nothing. */
export const nodeRefusal = bounded(
  union(
    'status',
    object({ status: literal('approval-pending'), approval: approvalInfo, warnings }),
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

/** The methods that a gateway may call on a node, with all that either end may send for each. */
export const NODE_METHODS = {
  'node.describe': {
    params: none,
    result: object({
      /** PATH of the commands of the node. */
      path: string({ max: 32 * KIB }),
      /** The folder where relative paths start. */
      workspace: path,
      /** Identifies its database since its start, for `exec.lookup`. */
      store,
      platform: nodePlatform,
      version: nodeVersion,
    }),
  },
  /** Sends `accepted` when the command has started, then its log from byte 0, and the result at its end. */
  'exec.start': {
    params: object(
      {
        /** The node runs at most one command for a key. */
        key: uuid,
        request: bounded(execRequest, { text: 512 * KIB, values: 4_000 }),
        caller: object({ agent: string({ max: 256 }) }, { conversation: string({ max: 1024 }) }),
      },
      {
        size,
        streams: execContext.optional.streams,
        stdin: execContext.optional.stdin,
        attached: literal(true),
        /** PATH with the operator's folders in front of the node's own. */
        path: string({ max: 32 * KIB }),
        /** Settings of the gateway that can only tighten the policy of the node. */
        restrictions: bounded(record(json()), { text: 512 * KIB, values: 20_000 }),
      },
    ),
    event: union('type', object({ type: literal('accepted'), session: nodeSession }, { warnings }), gap),
    result: sessionOrRefusal(),
  },
  'exec.lookup': {
    params: object({ key: uuid, store }),
    result: object(
      { state: oneOf(['never', 'asked', 'running', 'ended', 'lost']) },
      { session: nodeSession, outcome: nodeRefusal },
    ),
  },
  /** Sends the log from the position `after`. */
  'session.follow': {
    params: object({ sessionId, after: position }),
    event: union('type', gap),
    result: sessionResult,
  },
  'session.write': {
    /** `data`: base64 of at most 64 KiB. */
    params: object({ sessionId, data: string({ max: 87_384, pattern: /^[\w+/]*={0,2}$/u }) }, { end: literal(true) }),
    result: none,
  },
  'session.resize': { params: object({ sessionId, size }), result: none },
  'session.interrupt': { params: object({ sessionId }), result: none },
  'session.kill': { params: object({ sessionId }), result: sessionResult },
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

interface TotalBounds {
  /** Characters of all strings and names, at any depth. */
  readonly text: number;
  /** Members and entries, at any depth. */
  readonly values: number;
}

/** Limits the total size of a value before `schema` checks it. */
/* @__NO_SIDE_EFFECTS__ */
export function bounded<T>(schema: Schema<T>, bounds: TotalBounds): Schema<T> {
  const expected = `a value of at most ${bounds.text} characters and ${bounds.values} values`;
  return {
    shape: schema.shape,
    read(value: unknown, problems: Problems): T | undefined {
      if (isWithin(value, bounds)) return schema.read(value, problems);
      problems.wrong(expected, value);
      return undefined;
    },
  };
}

/** Not recursive: the nesting of a hostile value could overflow the stack. */
function isWithin(value: unknown, bounds: TotalBounds): boolean {
  const left: unknown[] = [value];
  let text = 0;
  let values = 0;
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') text += one.length;
    else if (Array.isArray(one)) {
      values += one.length;
      if (values <= bounds.values) left.push(...one);
    } else if (isObject(one))
      for (const [name, member] of Object.entries(one)) {
        text += name.length;
        values++;
        left.push(member);
      }
    if (text > bounds.text || values > bounds.values) return false;
  }
  return true;
}
