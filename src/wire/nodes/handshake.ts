/**
 * The handshake of a node and a gateway, before either has proved who it is. Every string has a maximum size, and strings for
 * display have no control characters.
 */
import { boolean, type Infer, integer, literal, object, string, union } from '../schema.ts';
import { nodeHello, nodeId, nodeOffer, nodePlatform, nodeVersion } from './node.ts';

/**
 * The versions of the protocol between nodes and gateways that this release speaks. In version 1 the gateway did not commit to
 * its nonce, and could choose the digits; it is refused.
 */
export const NODE_PROTOCOLS = { min: 2, max: 2 } as const;

/** A JSON Web Token for a NATS server. */
export const natsToken = string({ max: 2048, pattern: /^[\w-]+\.[\w-]+\.[\w-]{86}$/u });

/** What a node needs to pair unattended. `secret` is 32 bytes in base64url, valid once. */
export const invitation = object(
  {
    /** The address of the gateway, or the servers of NATS, separated by commas. */
    url: string({ max: 1024, pattern: /^(?:wss?|nats|tls):\/\/[^\p{Cc}\p{Cf}\s]+$/u }),
    /** The id of the gateway, which it has to prove. */
    gateway: nodeId,
    id: string({ max: 64, pattern: /^[\w-]{8,64}$/u }),
    secret: string({ max: 43, pattern: /^[\w-]{43}$/u }),
  },
  {
    token: natsToken,
    /** TLS ends at a reverse proxy, whose certificate the node verifies. */
    proxy: literal(true),
  },
);
export type Invitation = Infer<typeof invitation>;

/** 32 bytes in base64url: a public key, a nonce or a hash. The unused bits of the last letter are 0. */
const bytes32 = string({ max: 43, pattern: /^[\w-]{42}[AEIMQUYcgkosw048]$/u });
const version = integer({ min: 0, max: 0xffff });
/** 64 bytes in base64url. */
const signature = string({ max: 86, pattern: /^[\w-]{85}[AQgw]$/u });

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
  challenge: object(
    {
      protocol: version,
      key: bytes32,
      nonce: bytes32,
      /** A hash of the nonce in `pending`: the gateway cannot choose that one after it has seen the node's. */
      commit: bytes32,
      version: nodeVersion,
      /** Whether the signatures cover the TLS exporter of the connection. */
      bound: boolean(),
    },
    {
      /** Over NATS: the token of the gateway's key. It proves to a node of another gateway that both have the same account. */
      membership: natsToken,
    },
  ),
  /** Node to gateway, signed. */
  proof: object(
    {
      nonce: bytes32,
      name: nodeHello.required.name,
      platform: nodePlatform,
      offer: nodeOffer,
    },
    {
      invitation: object({ id: invitation.required.id, mac: bytes32 }),
      /** The key that the node will use instead of the one of its hello, with its own signature. */
      nextKey: object({ key: bytes32, signature }),
    },
  ),
  /** Gateway to node. After `pending`, `welcome` or `refused` follows. */
  answer: union(
    'answer',
    object(
      { answer: literal('welcome'), epoch: string({ max: 64, pattern: /^[\w-]{8,64}$/u }) },
      {
        /** The id of the node at this gateway. It stays when the node changes its key. */
        id: nodeId,
        /** The name of the node at this gateway. */
        name: nodeHello.required.name,
        /** The gateway has stored `nextKey` of the proof, and accepts it from now on. */
        knowsNextKey: literal(true),
        /** For NATS; of the key that the node uses next. */
        token: natsToken,
      },
    ),
    /** The digits depend on the nonce, so the node learns them here and not before. */
    object({ answer: literal('pending'), nonce: bytes32 }),
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
  signed: string({ max: 4096 }),
  signature,
});

/** With this reason a gateway closes the link of a node that it has removed: the node stops, and does not connect again. */
export const REMOVED = 'revoked';
