/** Carries messages over NATS. */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../../base/message-of.ts';
import type { Carrier } from './carrier.ts';
import { NatsCarrier } from './nats-carrier.ts';
import { closeNats, type NatsConnection, natsUnreachable } from './nats-connect.ts';
import { NATS_KINDS, NO_CONNECTION, natsFrame, readNatsFrame } from './nats-frames.ts';

const CONNECT_MS = 10_000;
const OPEN_AGAIN_MS = 1_000;
const CONNECTION_BYTES = 16;
/** Connections of one node: more than a restart or a copied key needs. */
const MOST_PER_NODE = 4;
const MOST_HANDSHAKES = 64;
const ANSWER_MS = 1_000;
const FLOOD_FRAMES = 1_000;
const FIND_MS = 20_000;
/** The place of the gateway in `pin.n.<node>.d.<gateway>.here`. */
const GATEWAY_AT = 4;
const MOST_SENDERS = 10_000;

/** The subjects of a node, or of a machine that pairs. */
export interface NatsSubjects {
  /** Where a connection is opened. */
  readonly open: string;
  readonly up: string;
  readonly down: string;
}

export function nodeSubjects(node: string, gateway: string): NatsSubjects {
  return { open: `pin.n.${node}.hello`, up: `pin.n.${node}.u.${gateway}`, down: `pin.n.${node}.d.${gateway}` };
}

/** Where a gateway tells a node that it has it. The frames of connections have other subjects, which are not delivered twice. */
function presenceSubject(node: string, gateway: string): string {
  return `${nodeSubjects(node, gateway).down}.here`;
}

/** Tells a node that this gateway has it. The node opens a connection, and the handshake decides. */
export function announceGateway(nats: NatsConnection, node: string, gateway: string): void {
  publish(nats, presenceSubject(node, gateway), new Uint8Array(0));
}

/** At a node: calls `heard` for each gateway that answers, and asks repeatedly. Ends with the connection. */
export async function findGateways(
  nats: NatsConnection,
  node: string,
  heard: (gateway: string) => void,
  everyMs = FIND_MS,
): Promise<void> {
  let refused: unknown;
  nats.subscribe(presenceSubject(node, '*'), {
    callback(error, message) {
      if (error !== null) refused = error;
      else heard(message.subject.split('.')[GATEWAY_AT] ?? '');
    },
  });
  const find = (): void => publish(nats, nodeSubjects(node, '').open, natsFrame(NATS_KINDS.find, NO_CONNECTION));
  const again = setInterval(find, everyMs);
  try {
    await nats.flush();
    find();
    throw (await nats.closed()) ?? refused ?? new Error('the connection to the NATS server has ended');
  } finally {
    clearInterval(again);
  }
}

export function pairingSubjects(invitation: string): NatsSubjects {
  const up = `pin.pair.${invitation}.u`;
  return { open: up, up, down: `pin.pair.${invitation}.d` };
}

export interface NatsDialOptions {
  readonly subjects: NatsSubjects;
  readonly gateway: string;
  readonly signal?: AbortSignal;
}

/** Opens a connection to a gateway, and closes the connection to the server with it. */
export async function dialNats(nats: NatsConnection, { subjects, gateway, signal }: NatsDialOptions): Promise<Carrier> {
  const connection = randomBytes(CONNECTION_BYTES).toString('hex');
  let carrier: NatsCarrier | undefined;
  let fail: (error: unknown) => void = () => {};
  let accept: (carrier: Carrier) => void = () => {};
  const accepted = new Promise<Carrier>((resolve, reject) => {
    accept = resolve;
    fail = reject;
  });
  accepted.catch(() => undefined); // the flush may have failed before
  const frames = {
    connection,
    remote: `${nats.getServer()} gateway ${gateway}`,
    maxPayload: nats.info?.max_payload ?? Number.POSITIVE_INFINITY,
    publish: (frame: Uint8Array) => publish(nats, subjects.up, frame),
    ended: () => void closeNats(nats),
  };
  nats.subscribe(subjects.down, {
    callback(error, message) {
      const frame = error === null ? readNatsFrame(message.data) : undefined;
      if (error !== null) fail(error);
      else if (frame?.kind === NATS_KINDS.restarted) carrier?.end('the gateway was restarted');
      else if (frame?.connection !== connection)
        return; // of an earlier connection
      else if (frame.kind !== NATS_KINDS.accept) carrier?.receive(frame);
      else if (carrier === undefined) {
        carrier = new NatsCarrier(frames);
        accept(carrier);
      }
    },
  });
  const open = (): void =>
    publish(nats, subjects.open, natsFrame(NATS_KINDS.open, connection, 0, Buffer.from(gateway)));
  const again = setInterval(open, OPEN_AGAIN_MS);
  const late = setTimeout(() => fail(new Error('the gateway did not answer')), CONNECT_MS);
  const abort = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  void nats.closed().then((error) => {
    const reason = messageOf(error ?? 'the connection to the NATS server has ended');
    fail(new Error(reason));
    carrier?.end(reason);
  });
  try {
    signal?.throwIfAborted();
    await Promise.race([nats.flush(), accepted]); // the subscription is in place, or was refused
    open();
    return await accepted;
  } catch (error) {
    await closeNats(nats);
    throw signal?.aborted === true ? signal.reason : natsUnreachable([nats.getServer()], error);
  } finally {
    clearInterval(again);
    clearTimeout(late);
    signal?.removeEventListener('abort', abort);
  }
}

export interface NatsListenOptions {
  /** The id of this gateway. */
  readonly gateway: string;
  /** Paired nodes, whose connections of an earlier run of this gateway are gone. */
  readonly nodes: readonly string[];
  /** Whether this gateway has the node. */
  readonly isPaired: (node: string) => boolean;
  /** The promise settles when the handshake is over. */
  readonly connection: (carrier: Carrier, from: NatsPeer) => Promise<unknown>;
  readonly log: (text: string) => void;
}

/** `id`: of the node, or of the invitation of a machine that pairs. Only its credentials can use its subjects. */
export interface NatsPeer {
  readonly subject: 'node' | 'pairing';
  readonly id: string;
}

/** Accepts connections until the connection to the server ends. */
export async function listenNats(nats: NatsConnection, options: NatsListenOptions): Promise<void> {
  const { gateway, nodes, log } = options;
  const carriers = new Map<string, NatsCarrier>();
  const mayAnswer = limitedAnswers(log);
  const mayAnnounce = limitedAnswers(log, { most: MOST_PER_NODE });
  let handshakes = 0;
  let refused: unknown;

  function accept(subject: 'node' | 'pairing', who: string, connection: string, down: string): void {
    const key = `${who} ${connection}`;
    const answer = (): void => publish(nats, down, natsFrame(NATS_KINDS.accept, connection));
    if (carriers.has(key)) {
      answer(); // the first answer may have been lost
      return;
    }
    const others = [...carriers].filter(([each]) => each.startsWith(`${who} `));
    if (others.length >= MOST_PER_NODE) others[0]![1].close('replaced');
    if (handshakes >= MOST_HANDSHAKES) return;
    const carrier = new NatsCarrier({
      connection,
      remote: `${nats.getServer()} ${subject} ${who}`,
      maxPayload: nats.info?.max_payload ?? Number.POSITIVE_INFINITY,
      publish: (frame) => publish(nats, down, frame),
      ended: () => carriers.delete(key),
    });
    carriers.set(key, carrier);
    answer();
    handshakes++;
    options
      .connection(carrier, { subject, id: who })
      .catch((error: unknown) => {
        log(`${carrier.remote}: ${messageOf(error)}`);
        carrier.close('the handshake failed');
      })
      .finally(() => handshakes--);
  }

  function receive(subject: 'node' | 'pairing', topic: string, data: Uint8Array): void {
    const frame = readNatsFrame(data);
    const who = topic.split('.')[2];
    if (frame === undefined || who === undefined) return;
    const { down } = subject === 'node' ? nodeSubjects(who, gateway) : pairingSubjects(who);
    const { kind, connection } = frame;
    if (kind === NATS_KINDS.find) {
      if (subject === 'node' && options.isPaired(who) && mayAnnounce(`node ${who}`))
        announceGateway(nats, who, gateway);
      return;
    }
    if (kind === NATS_KINDS.open) {
      if (Buffer.from(frame.payload).toString('latin1') === gateway) accept(subject, who, connection, down);
      return;
    }
    const carrier = carriers.get(`${who} ${connection}`);
    if (carrier !== undefined) carrier.receive(frame);
    // The other end still uses a connection that ended here. All gateways get the messages of a machine that pairs, and it may
    // mean another one.
    else if (subject === 'node' && kind !== NATS_KINDS.close && mayAnswer(`node ${who}`))
      publish(
        nats,
        down,
        natsFrame(NATS_KINDS.close, connection, 0, Buffer.from('the gateway does not know this connection')),
      );
  }

  const subscribe = (topic: string, subject: 'node' | 'pairing'): void =>
    void nats.subscribe(topic, {
      callback(error, message) {
        if (error === null) receive(subject, message.subject, message.data);
        else refused = error;
      },
    });
  subscribe('pin.n.*.hello', 'node');
  subscribe(`pin.n.*.u.${gateway}`, 'node');
  subscribe('pin.pair.*.u', 'pairing');
  void nats.closed().then((error) => {
    const reason = messageOf(error ?? 'the connection to the NATS server has ended');
    for (const carrier of carriers.values()) carrier.end(reason);
  });
  await nats.flush();
  if (refused !== undefined) throw natsUnreachable([nats.getServer()], refused);
  for (const node of nodes) {
    publish(nats, nodeSubjects(node, gateway).down, natsFrame(NATS_KINDS.restarted, NO_CONNECTION));
    announceGateway(nats, node, gateway);
  }
}

export interface AnswerLimits {
  /** Answers to one sender in a second. Default: 1. */
  readonly most?: number;
  readonly now?: () => number;
}

/** Limits the answers to each sender, and names one that does not stop: all connections share the one to the server. */
export function limitedAnswers(
  log: (text: string) => void,
  { most = 1, now = () => performance.now() }: AnswerLimits = {},
): (who: string) => boolean {
  const senders = new Map<string, { readonly since: number; frames: number }>();
  return (who) => {
    const sender = senders.get(who);
    if (sender === undefined || now() - sender.since >= ANSWER_MS) {
      if (senders.size >= MOST_SENDERS) senders.clear();
      senders.set(who, { since: now(), frames: 1 });
      return true;
    }
    if (++sender.frames === FLOOD_FRAMES)
      log(`${who} sends ${FLOOD_FRAMES} messages in a second that belong to no open connection`);
    return sender.frames <= most;
  };
}

function publish(nats: NatsConnection, subject: string, frame: Uint8Array): void {
  if (!nats.isClosed() && !nats.isDraining()) nats.publish(subject, frame);
}
