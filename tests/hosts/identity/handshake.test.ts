import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/base/fault.ts';
import type { Carrier } from '../../../src/hosts/channel/carriers/carrier.ts';
import {
  acceptNode,
  type AcceptOptions,
  type Decision,
  type GreetOptions,
  greetGateway,
  type ProvenNode,
} from '../../../src/hosts/identity/handshake.ts';
import { HandshakeMessages, toBase64 } from '../../../src/hosts/identity/handshake-messages.ts';
import { newInvitation } from '../../../src/hosts/identity/invitation.ts';
import { type Identity, newIdentity } from '../../../src/hosts/identity/keys.ts';
import { challengeDigest, commitmentTo, pairingCode, proofDigest } from '../../../src/hosts/identity/transcript.ts';
import { machineUser } from '../../../src/hosts/nodes/fleet/credentials.ts';
import { NODE_PROTOCOLS } from '../../../src/wire/nodes/handshake.ts';
import type { NodeHello } from '../../../src/wire/nodes/node.ts';
import { memoryCarriers, type MemoryOptions } from '../../support/memory-carrier.ts';
import { fc, runs } from '../../support/property.ts';

const HELLO: NodeHello = {
  version: '1.2.3',
  name: 'mac mini',
  platform: 'darwin',
  offer: { exec: 'judged', files: 'none', pty: true },
  instance: 'instance-1',
};
const WELCOME: Decision = { answer: 'welcome', epoch: 'epoch-0001' };
const PENDING: Decision = { answer: 'pending' };
const OTHER_NONCE = `"nonce":"${toBase64(randomBytes(32))}"`;
const gateway = newIdentity();
const node = newIdentity();

interface Setting extends GreetOptions {
  readonly decision?: Decision;
  readonly memory?: MemoryOptions;
  readonly accept?: Partial<AcceptOptions>;
}

/** Both ends of a handshake, and the nodes that the gateway was asked about. */
async function shake({ decision = WELCOME, memory = {}, accept = {}, ...greet }: Setting = {}) {
  const [near, far] = memoryCarriers(memory);
  const asked: ProvenNode[] = [];
  const decide = async (peer: ProvenNode): Promise<Decision> => {
    asked.push(peer);
    return decision;
  };
  const [accepted, greeted] = await Promise.allSettled([
    acceptNode(far, gateway, decide, { version: '9.9.9', ...accept }),
    greetGateway(near, node, HELLO, greet),
  ]);
  return { accepted: valueOf(accepted), greeted: valueOf(greeted), asked, near, far };
}

function valueOf<T>(settled: PromiseSettledResult<T>): T | Fault {
  if (settled.status === 'fulfilled') return settled.value;
  if (settled.reason instanceof Fault) return settled.reason;
  throw settled.reason;
}

function fulfilled<T>(value: T | Fault): T {
  if (value instanceof Fault) throw value;
  return value;
}

it('a refusal of a machine that has not proved its key ends nothing for good', async () => {
  const [near, far] = memoryCarriers();
  const greeted = greetGateway(near, newIdentity(), HELLO).catch((error: unknown) => error);
  far.on({
    message: () => far.send(Buffer.from('{"answer":"refused","code":"NODE_REVOKED","message":"removed"}')),
    room() {},
    down() {},
  });
  expect(await greeted).toMatchObject({ code: 'NODE_HANDSHAKE' });
});

describe('a handshake', () => {
  it('proves each end to the other, and gives both the epoch', async () => {
    const { accepted, greeted, asked } = await shake({ expected: gateway.id });
    const { peer, decision } = fulfilled(accepted);
    const { welcome, ...atNode } = fulfilled(greeted);
    const { publicKey, proves, ...proven } = peer;
    expect(proven).toEqual({
      ...HELLO,
      id: node.id,
      code: expect.stringMatching(/^\d{8}$/u),
      isBound: true,
      protocol: 2,
      remote: 'memory:0',
    });
    expect(Buffer.from(publicKey).equals(node.publicKey)).toBe(true);
    expect([decision, await welcome, asked.length]).toEqual([WELCOME, WELCOME, 1]);
    expect({ ...atNode, publicKey: Buffer.from(atNode.publicKey) }).toEqual({
      id: gateway.id,
      publicKey: Buffer.from(gateway.publicKey),
      version: '9.9.9',
      protocol: 2,
      isBound: true,
      answer: 'welcome',
    });
    expect(proves(randomBytes(32))).toBe(false);
  });

  it('has other digits each time', async () => {
    const code = async () => fulfilled((await shake({ decision: PENDING })).greeted).code;
    const codes = await Promise.all(Array.from({ length: 20 }, code));
    expect(new Set(codes).size).toBe(20);
  });

  it('has digits that a node cannot know before it waits', async () => {
    const sent: string[] = [];
    const onTheWay = (message: Uint8Array): readonly Uint8Array[] => {
      sent.push(Buffer.from(message).toString());
      return [message];
    };
    const { accepted, near } = await shake({ decision: PENDING, memory: { onTheWay } });
    const [hello, challenge, proof, pending] = sent;
    const signed = (text = ''): string => (JSON.parse(text) as { readonly signed: string }).signed;
    const nonceIn = (text: string): Buffer => Buffer.from((JSON.parse(text) as { nonce: string }).nonce, 'base64url');
    const transcript = {
      hello: Buffer.from(hello!),
      challenge: Buffer.from(signed(challenge)),
      binding: near.binding!,
    };
    const [own, second] = [nonceIn(signed(proof)), nonceIn(pending!)];
    const { commit } = JSON.parse(signed(challenge)) as { readonly commit: string };
    const { code } = fulfilled(accepted).peer;
    expect(commit).toBe(toBase64(commitmentTo(second)));
    expect(pairingCode(transcript, { node: own, gateway: second })).toBe(code);
    expect(pairingCode(transcript, { node: own, gateway: randomBytes(32) })).not.toBe(code);
  });

  it('is refused by the node where the gateway reveals another nonce than the committed one', async () => {
    const onTheWay = (message: Uint8Array): readonly Uint8Array[] => {
      const text = Buffer.from(message).toString();
      return [text.includes('"pending"') ? Buffer.from(text.replace(/"nonce":"[^"]*"/u, OTHER_NONCE)) : message];
    };
    const { greeted } = await shake({ decision: PENDING, memory: { onTheWay } });
    expect(greeted).toMatchObject({
      code: 'NODE_HANDSHAKE',
      message: 'handshake failed: the second nonce of the gateway is not the committed one',
    });
  });

  it('signs what a NATS server can never ask for', async () => {
    const asked: Uint8Array[] = [];
    const sign = (bytes: Uint8Array): Uint8Array => {
      asked.push(bytes);
      return node.sign(bytes);
    };
    const [near, far] = memoryCarriers();
    await Promise.all([
      acceptNode(far, { ...node, sign }, async () => WELCOME, { version: '1' }),
      greetGateway(near, { ...node, sign }, HELLO),
    ]);
    expect(asked).toHaveLength(2);
    for (const bytes of asked) {
      expect(isUtf8(bytes)).toBe(false);
      expect(() => machineUser(node, 'token').sign(bytes)).toThrow('not a nonce');
    }
    expect(machineUser(node, 'token').sign(Buffer.from('LfKdPFq9sZ_x3aE'))).toHaveLength(64);
  });

  it('keeps a pending node connected until a person answers', async () => {
    for (const answer of [
      WELCOME,
      { answer: 'refused', code: 'NODE_REJECTED', message: 'rejected by the operator', hint: 'ask them' },
    ] as const) {
      const { accepted, greeted } = await shake({ decision: PENDING });
      const { code, answer: first, welcome } = fulfilled(greeted);
      const { peer, settle } = fulfilled(accepted);
      expect([first, code]).toEqual(['pending', peer.code]);
      settle(answer);
      if (answer.answer === 'welcome') expect(await welcome).toMatchObject({ epoch: 'epoch-0001' });
      else
        await expect(welcome).rejects.toMatchObject({
          code: 'NODE_REJECTED',
          message: 'the gateway refused this node: rejected by the operator',
          hint: 'ask them',
        });
    }
  });

  it('rejects the welcome of a pending node when the gateway disconnects', async () => {
    const { greeted, far } = await shake({ decision: PENDING });
    far.close('the request expired');
    await expect(fulfilled(greeted).welcome).rejects.toMatchObject({
      code: 'NODE_HANDSHAKE',
      message: 'handshake failed: the other end disconnected: the request expired',
    });
  });

  it('reports a refusal at the node with the code of the gateway', async () => {
    const { greeted, accepted } = await shake({
      decision: { answer: 'refused', code: 'NODE_REVOKED', message: 'removed' },
    });
    expect(greeted).toMatchObject({ code: 'NODE_REVOKED', message: 'the gateway refused this node: removed' });
    expect(fulfilled(accepted).decision.answer).toBe('refused');
  });

  it('hides an internal error of the gateway from the node', async () => {
    const [near, far] = memoryCarriers();
    const failing = acceptNode(far, gateway, () => Promise.reject(new Error('SECRET path')), { version: '1' });
    const greeting = greetGateway(near, node, HELLO);
    await expect(failing).rejects.toThrow('SECRET path');
    await expect(greeting).rejects.toMatchObject({
      code: 'NODE_HANDSHAKE',
      message: 'the gateway refused this node: handshake failed: the gateway failed',
    });
  });
});

describe('protocol versions', () => {
  const atBoth = async (near: readonly [number, number], far: readonly [number, number]) => {
    const [[min, max], [farMin, farMax]] = [near, far];
    return shake({ protocols: { min, max }, accept: { protocols: { min: farMin, max: farMax } } });
  };

  it('takes the highest common one', async () => {
    const { greeted, accepted } = await atBoth([1, 5], [2, 3]);
    expect([fulfilled(greeted).protocol, fulfilled(accepted).peer.protocol]).toEqual([3, 3]);
  });

  it('names the machine to update where there is none', async () => {
    for (const [near, far, older] of [
      [[1, 2], [3, 4], 'node'],
      [[3, 4], [1, 2], 'gateway'],
    ] as const) {
      const { greeted, accepted, asked } = await atBoth(near, far);
      const hint = `update pincer on the ${older}`;
      const fault = { code: 'NODE_PROTOCOL', message: expect.stringContaining(`; ${hint}`) as string, hint };
      expect([greeted, accepted, asked]).toMatchObject([fault, fault, []]);
    }
  });

  it('refuses a node of protocol 1, and says so to both', async () => {
    const fault = {
      code: 'NODE_PROTOCOL',
      message: 'the node speaks protocol 1, and the gateway 2; update pincer on the node',
    };
    expect(await rawNode(node, { hello: { protocol: { min: 1, max: 1 } } })).toMatchObject(fault);
  });

  it('hears the refusal of a gateway of protocol 1', async () => {
    // As its release sent it.
    const message = 'the node speaks protocol 2 to 2, the gateway 1 to 1';
    const refusal = { answer: 'refused', code: 'NODE_PROTOCOL', message, hint: 'update pincer on the gateway' };
    const [near, far] = memoryCarriers();
    const messages = new HandshakeMessages(far, {});
    const greeting = greetGateway(near, node, HELLO);
    await messages.receive();
    messages.send(refusal);
    await expect(greeting).rejects.toMatchObject({
      code: 'NODE_PROTOCOL',
      message: `the gateway refused this node: ${message}`,
      hint: 'update pincer on the gateway',
    });
  });

  it('accepts a gateway that sends no optional members, and members of a later release', async () => {
    const [near, far] = memoryCarriers();
    const messages = new HandshakeMessages(far, {});
    const greeting = greetGateway(near, node, HELLO);
    const hello = await messages.receive();
    const challenge = Buffer.from(
      JSON.stringify({
        protocol: NODE_PROTOCOLS.max,
        key: toBase64(gateway.publicKey),
        nonce: toBase64(randomBytes(32)),
        commit: toBase64(commitmentTo(randomBytes(32))),
        version: '99.0.0',
        bound: true,
        features: ['later'],
      }),
    );
    const signature = gateway.sign(challengeDigest({ hello, challenge, binding: far.binding! }));
    messages.send({ signed: challenge.toString(), signature: toBase64(signature) });
    await messages.receive();
    messages.send({ answer: 'welcome', epoch: 'epoch-0001', later: { a: 1 } });
    const { id, answer, welcome, version } = await greeting;
    expect({ id, answer, version, welcome: await welcome }).toEqual({
      id: gateway.id,
      answer: 'welcome',
      version: '99.0.0',
      welcome: { answer: 'welcome', epoch: 'epoch-0001' },
    });
  });
});

describe('the identity of the gateway', () => {
  it('must be the expected one, or the node does not reveal itself', async () => {
    const { greeted, accepted, asked } = await shake({ expected: node.id });
    expect(greeted).toMatchObject({ code: 'NODE_IDENTITY' });
    expect([accepted, asked]).toMatchObject([{ code: 'NODE_HANDSHAKE' }, []]);
  });

  it('must be the one of the invitation', async () => {
    const { greeted } = await shake({ invitation: newInvitation('wss://x:1', node.id) });
    expect(greeted).toMatchObject({ code: 'NODE_IDENTITY' });
  });
});

describe('the binding to TLS', () => {
  const one = new Uint8Array(32).fill(1);
  const other = new Uint8Array(32).fill(2);

  it('refuses a machine in the middle, which has another TLS connection with each end', async () => {
    const { greeted, accepted, asked } = await shake({ memory: { binding: [one, other] } });
    expect(greeted).toMatchObject({
      code: 'NODE_IDENTITY',
      message: 'the gateway did not prove its key for this connection',
    });
    expect([accepted, asked]).toMatchObject([{ code: 'NODE_HANDSHAKE' }, []]);
  });

  it.each([
    ['both ends without TLS', [undefined, undefined], 'if-tls', 'unbound'],
    ['both ends without TLS, and the node was paired with it', [undefined, undefined], 'required', 'refused'],
    ['a gateway behind a proxy', [one, undefined], 'if-tls', 'refused'],
    ['a gateway behind a proxy that the node knows of', [one, undefined], 'proxy', 'unbound'],
    ['a node without TLS, and a gateway with it', [undefined, one], 'proxy', 'refused'],
    ['both ends with TLS, although a proxy is allowed', [one, one], 'proxy', 'bound'],
    ['both ends with TLS', [one, one], 'required', 'bound'],
  ] as const)('%s', async (_name, ends, binding, expected) => {
    const { greeted, accepted } = await shake({ memory: { binding: ends }, binding });
    if (expected === 'refused') expect(greeted).toMatchObject({ code: 'NODE_IDENTITY' });
    else
      expect([fulfilled(greeted).isBound, fulfilled(accepted).peer.isBound]).toEqual(
        expected === 'bound' ? [true, true] : [false, false],
      );
  });
});

describe('an invitation', () => {
  const invitation = newInvitation('wss://gateway:7443', gateway.id);
  const secret = Buffer.from(invitation.secret, 'base64url');

  it('is proved without sending its secret', async () => {
    const sent: string[] = [];
    const onTheWay = (message: Uint8Array): readonly Uint8Array[] => {
      sent.push(Buffer.from(message).toString());
      return [message];
    };
    const { accepted } = await shake({ invitation, memory: { onTheWay } });
    const { peer } = fulfilled(accepted);
    expect([peer.invitation, peer.proves(secret), peer.proves(randomBytes(32))]).toEqual([invitation.id, true, false]);
    expect(sent.filter((text) => text.includes(invitation.secret))).toEqual([]);
  });

  it('is not proved by a node that does not know its secret', async () => {
    const { accepted } = await shake({ invitation: { ...invitation, secret: toBase64(randomBytes(32)) } });
    expect(fulfilled(accepted).peer.proves(secret)).toBe(false);
  });
});

/** A node that sends what the test wants. Returns what the gateway decided, and its last message. */
async function rawNode(
  own: Identity,
  change: {
    readonly hello?: object;
    readonly nonce?: Uint8Array;
    readonly proof?: object;
    readonly signature?: Uint8Array;
  },
) {
  const [near, far] = memoryCarriers();
  const nonce = randomBytes(32);
  const accepting = acceptNode(far, gateway, async () => WELCOME, { version: '1' }).catch((error: unknown) => error);
  const messages = new HandshakeMessages(near, {});
  const hello = messages.send({
    role: 'node',
    protocol: NODE_PROTOCOLS,
    version: '1',
    key: toBase64(own.publicKey),
    commit: toBase64(commitmentTo(nonce)),
    instance: 'instance-2',
    ...change.hello,
  });
  const { signed } = JSON.parse(Buffer.from(await messages.receive()).toString()) as { readonly signed?: string };
  if (signed === undefined) return accepting;
  const proof = Buffer.from(
    JSON.stringify({
      nonce: toBase64(change.nonce ?? nonce),
      name: 'x',
      platform: 'linux',
      offer: HELLO.offer,
      ...change.proof,
    }),
  );
  const transcript = { hello, challenge: Buffer.from(signed), binding: near.binding! };
  const signature = change.signature ?? own.sign(proofDigest(transcript, proof));
  messages.send({ signed: proof.toString(), signature: toBase64(signature) });
  return accepting;
}

describe('a node of another program', () => {
  it('may send members that this version does not know', async () => {
    const accepted = await rawNode(node, {
      hello: { features: ['x'], later: { a: 1 } },
      proof: { later: 1, offer: { ...HELLO.offer, later: 2 } },
    });
    expect(accepted).toMatchObject({ peer: { id: node.id, offer: HELLO.offer } });
    expect((accepted as { peer: ProvenNode }).peer.offer).toEqual(HELLO.offer);
  });

  it.each([
    ['has another nonce than the committed one', { nonce: randomBytes(32) }, 'NODE_HANDSHAKE'],
    ['has the key of another node', { hello: { key: toBase64(newIdentity().publicKey) } }, 'NODE_IDENTITY'],
    ['has a signature of something else', { signature: node.sign(randomBytes(32)) }, 'NODE_IDENTITY'],
    ['has a name with control characters', { proof: { name: 'a\u001b[2J' } }, 'NODE_HANDSHAKE'],
    ['has a long name', { proof: { name: 'a'.repeat(65) } }, 'NODE_HANDSHAKE'],
    ['has no name', { proof: { name: '' } }, 'NODE_HANDSHAKE'],
    ['has an unknown platform', { proof: { platform: 'win32' } }, 'NODE_HANDSHAKE'],
    ['has another role', { hello: { role: 'gateway' } }, 'NODE_HANDSHAKE'],
    ['has a short key', { hello: { key: 'AAAA' } }, 'NODE_HANDSHAKE'],
    ['has another form of base64', { hello: { commit: `${'A'.repeat(42)}B` } }, 'NODE_HANDSHAKE'],
    ['has versions that are not numbers', { hello: { protocol: { min: '1', max: 1e99 } } }, 'NODE_HANDSHAKE'],
  ] as const)('is refused when it %s', async (_name, change, code) => {
    expect(await rawNode(node, change)).toMatchObject({ code });
  });

  it.each([
    ['is not JSON', Buffer.from('hello')],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['is not an object', Buffer.from('[]')],
    ['is empty', Buffer.alloc(0)],
    ['is longer than 4 KiB', Buffer.from(JSON.stringify({ text: 'x'.repeat(4096) }))],
    ['is deep', Buffer.from('['.repeat(4096))],
  ])('is refused when its hello %s', async (_name, bytes) => {
    const [near, far] = memoryCarriers();
    near.send(bytes);
    await expect(acceptNode(far, gateway, async () => WELCOME, { version: '1' })).rejects.toMatchObject({
      code: 'NODE_HANDSHAKE',
    });
  });
});

describe('time', () => {
  const never = (carrier: Carrier): void => carrier.on({ message() {}, room() {}, down() {} });

  it('is short for a silent node', async () => {
    const [, far] = memoryCarriers();
    const accepting = acceptNode(far, gateway, async () => WELCOME, { version: '1', timeoutMs: 20 });
    await expect(accepting).rejects.toMatchObject({
      code: 'NODE_HANDSHAKE',
      message: 'handshake failed: no message from memory:0 within 20 ms',
    });
  });

  it('is short for a silent gateway', async () => {
    const [near, far] = memoryCarriers();
    never(far);
    await expect(greetGateway(near, node, HELLO, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'NODE_HANDSHAKE' });
  });

  it('ends for a pending node whose gateway never answers', async () => {
    const { greeted, far } = await shake({ decision: PENDING, pendingMs: 20 });
    const ended = new Promise<string>((resolve) => far.on({ message() {}, room() {}, down: resolve }));
    await expect(fulfilled(greeted).welcome).rejects.toMatchObject({
      code: 'NODE_HANDSHAKE',
      message: 'handshake failed: no message from memory:1 within 20 ms',
    });
    expect(await ended).toBe('the handshake failed');
  });

  it('is short for a node that stops after its hello', async () => {
    let sent = 0;
    const { accepted } = await shake({
      memory: { onTheWay: (message, from) => (from === 0 && sent++ > 0 ? [] : [message]) },
      accept: { timeoutMs: 50 },
      timeoutMs: 10_000,
    });
    expect(accepted).toMatchObject({ code: 'NODE_HANDSHAKE' });
  });
});

it('never believes an end whose messages were changed on the way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(), fc.integer({ min: 1, max: 255 }), async (which, at, flips) => {
      let number = 0;
      const onTheWay = (message: Uint8Array): readonly Uint8Array[] => {
        if (number++ !== which) return [message];
        const changed = Uint8Array.from(message);
        changed[at % changed.length]! ^= flips;
        return [changed];
      };
      const { asked, greeted } = await shake({ memory: { onTheWay }, timeoutMs: 1_000 });
      expect([asked, greeted instanceof Fault]).toEqual([[], true]);
    }),
    { numRuns: runs(300) },
  );
});

it('does not accept a proof from another connection', async () => {
  const proofs: Uint8Array[] = [];
  await shake({
    memory: {
      onTheWay: (message, from) => {
        if (from === 0) proofs.push(message);
        return [message];
      },
    },
  });
  let number = 0;
  const replay = (message: Uint8Array, from: 0 | 1): readonly Uint8Array[] => [
    from === 0 ? proofs[number++]! : message,
  ];
  const { asked } = await shake({ memory: { onTheWay: replay } });
  expect(asked).toEqual([]);
});
