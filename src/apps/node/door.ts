/** What a gateway may do on this node: the methods of `NODE_METHODS`, on sessions that it started itself. */
import { Fault } from '../../base/fault.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Gateway } from '../../wire/methods.ts';
import { NODE_METHODS, type NodeMethod, type NodeMethods, type NodePlatform } from '../../wire/node.ts';
import type { NodeTerms } from './guest.ts';
import { createGuestRequests } from './guest-requests.ts';
import { createGuestSessions } from './guest-sessions.ts';
import type { NodeStore } from './node-store.ts';

export interface DoorParts {
  /** The gateway of this machine, which judges and runs. */
  readonly local: Gateway;
  readonly store: NodeStore;
  /** Read again for every request. */
  readonly terms: () => Promise<NodeTerms>;
  readonly version: string;
  readonly log: (text: string) => void;
  /** An attached session ends this long after its last follower has left (default: 30 s). */
  readonly attachedMs?: number;
}

export interface Door {
  /** Answers the calls of a gateway that has proved its id. The link has checked the parameters against `NODE_METHODS`. */
  serve(gateway: string): (call: IncomingCall) => Promise<unknown>;
  /** Ends all sessions that the gateway started. */
  endSessions(gateway: string): Promise<void>;
  close(): void;
}

type Handlers = {
  readonly [M in NodeMethod]: (
    params: NodeMethods[M]['params'],
    gateway: string,
    call: IncomingCall,
  ) => Promise<NodeMethods[M]['result']>;
};

export function createDoor(parts: DoorParts): Door {
  const { local, store, terms, version, log } = parts;
  const sessions = createGuestSessions(parts);
  const requests = createGuestRequests({ local, store, sessions, terms, log });
  /** The session with the caller who started it. */
  const ownSession = async (sessionId: string, gateway: string) => {
    const { agent } = await sessions.get(sessionId, gateway);
    return { caller: { agent }, sessionId };
  };

  const handlers: Handlers = {
    'node.describe': async () => {
      const { path, workspace, platform } = await terms();
      return { path, workspace, store: store.id, platform: nodePlatform(platform), version };
    },
    'exec.start': async (params, gateway, call) => {
      const begun = await requests.begin(params, gateway);
      if ('outcome' in begun) return begun;
      const { session, warnings } = begun;
      call.event({ type: 'accepted', session, ...(warnings.length === 0 ? {} : { warnings }) });
      return { session: await sessions.follow(session, 0, call) };
    },
    'exec.lookup': ({ key, store: storeId }, gateway) => requests.lookUp(gateway, key, storeId),
    'session.follow': async ({ sessionId, after }, gateway, call) => ({
      session: await sessions.follow(await sessions.get(sessionId, gateway), after, call),
    }),
    'session.write': async ({ sessionId, data, end }, gateway) => {
      const own = await ownSession(sessionId, gateway);
      if (data !== '') await local.call('session.input', { ...own, input: { kind: 'raw', base64: data } });
      if (end === true) await local.call('session.input', { ...own, input: { kind: 'write', data: '', eof: true } });
      return {};
    },
    'session.resize': async ({ sessionId, size }, gateway) => {
      await local.call('session.resize', { ...(await ownSession(sessionId, gateway)), size });
      return {};
    },
    'session.interrupt': async ({ sessionId }, gateway) => {
      await local.call('session.interrupt', await ownSession(sessionId, gateway));
      return {};
    },
    'session.kill': async ({ sessionId }, gateway) => {
      const { endedLeftovers: _, ...session } = await local.call('session.kill', await ownSession(sessionId, gateway));
      return { session };
    },
  };

  return {
    serve: (gateway) => async (call) => {
      const { method } = call;
      try {
        if (!isNodeMethod(method)) throw refusedMethod(method);
        return await (handlers[method] as (...asked: unknown[]) => Promise<unknown>)(call.params, gateway, call);
      } catch (error) {
        if (error instanceof Fault) throw error;
        log(`${method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        throw new Fault('INTERNAL_ERROR', `unexpected ${String(error)} in ${method}`, {
          hint: 'this is a defect of pincer; the log of pincer node run has details',
        });
      }
    },
    endSessions: (gateway) => sessions.endAll(gateway),
    close: () => sessions.close(),
  };
}

function isNodeMethod(name: string): name is NodeMethod {
  return Object.hasOwn(NODE_METHODS, name);
}

/** Pincer runs on no other platform. */
export function nodePlatform(platform: NodeJS.Platform): NodePlatform {
  return platform === 'darwin' ? 'darwin' : 'linux';
}

function refusedMethod(method: string): Fault {
  return new Fault('NODE_METHOD_REFUSED', `a gateway may not call ${JSON.stringify(method.slice(0, 64))} on a node`, {
    hint: 'run it on the node itself',
  });
}
