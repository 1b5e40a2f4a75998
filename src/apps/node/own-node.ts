/** What `pincer node` does on this machine without serving a gateway: pairs, and replaces the key. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import { type NodeKeys, nodeKeysIn } from '../../hosts/identity/node-keys.ts';
import { MOST_NEW_KEYS } from '../../hosts/nodes/new-keys.ts';
import type { Invitation } from '../../wire/nodes/handshake.ts';
import type { NodeHello } from '../../wire/nodes/node.ts';
import {
  type Attempt,
  type GreetingOptions,
  greetOnce,
  isConfirmed,
  nextAttempt,
  NextKeyAccepted,
  refuseProxyWhereBound,
} from './greeting.ts';
import { restricted } from './guest.ts';
import { type NodeStore, openNodeStore, type PairedGateway } from './node-store.ts';
import { noGateway, type NodeSettings, offerOf, ownSettings } from './own-settings.ts';
import { readNodeState } from './state-file.ts';

export interface OwnNodeOptions {
  readonly stateDir: string;
  readonly version: string;
  readonly hostName: string;
  readonly platform: NodeHello['platform'];
  readonly given: NodeSettings;
  readonly dial: GreetingOptions['dial'];
  readonly signal: AbortSignal;
}

export interface PairOptions extends OwnNodeOptions {
  readonly invitation?: Invitation;
  readonly onState: GreetingOptions['onState'];
}

/** Resolves when the gateway has welcomed this machine. */
export function pairNode(options: PairOptions): Promise<PairedGateway> {
  const { stateDir, invitation, signal } = options;
  const running = readNodeState(stateDir);
  if (running !== undefined) throw nodeRunning(running.pid);
  return withGreeting(options, invitation, options.onState, async (greeting, store) => {
    const attempt: Attempt = { key: 'current', ...(invitation === undefined ? {} : { invitation }) };
    const { carrier } = await greetOnce({ ...greeting, pairsAgain: true }, attempt, signal);
    carrier.close('paired');
    return store.paired()!;
  });
}

export type Rotation = 'replaced' | 'prepared';

const RUNNING_MS = 15_000;
const LOOK_MS = 100;

/** `prepared`: the running node is not connected, and uses the new key as soon as it is. */
export async function rotateKey(options: OwnNodeOptions): Promise<Rotation> {
  const { stateDir, signal } = options;
  const keys = nodeKeysIn(stateDir);
  const isRunning = (): boolean => readNodeState(stateDir) !== undefined;
  return withGreeting(
    options,
    undefined,
    () => {},
    async (greeting, store) => {
      if (store.paired() === undefined) throw noGateway();
      keys.prepare();
      if (!isRunning()) return proveNextKey(greeting, keys, signal);
      for (const deadline = performance.now() + RUNNING_MS; performance.now() < deadline; await pause(LOOK_MS))
        if (keys.next() === undefined) return 'replaced';
      return 'prepared';
    },
  );
}

/** Announces the key with the current one, and then proves it; each may have happened in an earlier attempt. */
async function proveNextKey(greeting: GreetingOptions, keys: NodeKeys, signal: AbortSignal): Promise<Rotation> {
  let attempt: Attempt = { key: 'current' };
  for (let attempts = 0; attempts < 3; attempts++) {
    let failure: unknown;
    try {
      const { carrier, mayUseNextKey } = await greetOnce(greeting, attempt, signal);
      carrier.close('the node replaces its key');
      if (keys.next() === undefined) return 'replaced';
      if (!mayUseNextKey) throw notAccepted();
      failure = new NextKeyAccepted();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'NODE_IDENTITY') throw error;
      failure = error;
    }
    attempt = nextAttempt(attempt, failure, greeting);
  }
  throw new Fault('NODE_IDENTITY', 'the gateway accepts neither the key of this node nor its new one', {
    hint: 'pair the node again with pincer nodes invite',
  });
}

async function withGreeting<T>(
  options: OwnNodeOptions,
  invitation: Invitation | undefined,
  onState: GreetingOptions['onState'],
  work: (greeting: GreetingOptions, store: NodeStore) => Promise<T>,
): Promise<T> {
  const { stateDir, given, hostName, version, platform, dial } = options;
  const { settings, name } = await ownSettings(given, hostName);
  const store = await openNodeStore(stateDir);
  try {
    const url = invitation?.url ?? settings.gateway ?? store.paired()?.url;
    if (url === undefined) throw noGateway();
    const instance = randomUUID();
    const hello: GreetingOptions['hello'] = async (attempt) => {
      const offer = offerOf(restricted({ ...settings, confirmed: isConfirmed(store, attempt) }));
      return { version, name, platform, offer, instance };
    };
    const keys = nodeKeysIn(stateDir);
    const proxy = given.proxy === true ? { proxy: given.proxy } : {};
    refuseProxyWhereBound({ ...proxy, store }, invitation);
    return await work({ url, ...proxy, keys, store, hello, dial, onState }, store);
  } finally {
    store.close();
  }
}

function notAccepted(): Fault {
  return new Fault('NODE_PROTOCOL', 'the gateway does not accept the new key of this node', {
    hint: `its log says why: it accepts ${MOST_NEW_KEYS} new keys of a node in a day, and an older pincer none; the node keeps its key`,
  });
}

export function nodeRunning(pid: number): Fault {
  return new Fault('NODE_RUNNING', `pincer node run uses the pairing (pid ${pid})`, { hint: 'stop it first' });
}
