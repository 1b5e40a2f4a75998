/** What a gateway may do on this node: the methods of `NODE_METHODS`, on sessions and approval requests that it caused itself. */
import { Fault } from '../../base/fault.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import type { Identity } from '../../hosts/identity/keys.ts';
import type { Gateway } from '../../wire/methods.ts';
import { NODE_METHODS, type NodeMethod, type NodeMethods } from '../../wire/nodes/methods.ts';
import type { NodePlatform } from '../../wire/nodes/node.ts';
import { announced } from './announced.ts';
import { checkInput, guestRequest, type NodeTerms } from './guest.ts';
import type { GuestFiles } from './guest-files.ts';
import { sendNotices } from './guest-notices.ts';
import { createGuestQuestions } from './guest-questions.ts';
import { createGuestRequests } from './guest-requests.ts';
import { createGuestSessions } from './guest-sessions.ts';
import type { NodeStore } from './node-store.ts';
import { checkToken } from './own-token.ts';

export interface GatewayCallsParts {
  /** The gateway of this machine, which judges and runs. */
  readonly local: Gateway;
  readonly store: NodeStore;
  /** Read again for every request. */
  readonly terms: () => Promise<NodeTerms>;
  readonly files: GuestFiles;
  readonly version: string;
  /** The key of this node. */
  readonly key: () => Identity;
  readonly log: (text: string) => void;
  /** A command was refused, because its sandbox cannot be created. */
  readonly onNoSandbox?: () => void;
  /** An attached session ends this long after its last follower has left (default: 30 s). */
  readonly attachedMs?: number;
  /** Pending approval requests of one gateway (default: 1000). */
  readonly mostOpen?: number;
}

export interface GatewayCalls {
  /**
   * Answers the calls of a gateway. The link has checked the parameters against `NODE_METHODS`. `gateway` is the paired one, as
   * which all of its fleet act; `at` is the gateway at the other end, where people answer (default: the paired one).
   */
  serve(gateway: string, at?: string): (call: IncomingCall) => Promise<unknown>;
  /** The gateway has removed this node: denies its pending approval requests, and ends all sessions that it started. */
  removed(gateway: string): Promise<void>;
  close(): Promise<void>;
}

interface SessionName {
  readonly sessionId: string;
  readonly startedAt?: number;
}

type Handlers = {
  readonly [M in NodeMethod]: (
    params: NodeMethods[M]['params'],
    gateway: string,
    call: IncomingCall,
    at: string,
  ) => Promise<NodeMethods[M]['result']>;
};

export function createGatewayCalls(parts: GatewayCallsParts): GatewayCalls {
  const { local, store, terms, files, version, log } = parts;
  const sessions = createGuestSessions(parts);
  const requests = createGuestRequests({
    local,
    store,
    sessions,
    terms,
    log,
    onNoSandbox: parts.onNoSandbox,
    mostOpen: parts.mostOpen,
  });
  const questions = createGuestQuestions({ local, store, terms });
  /** The session with the caller who started it. */
  const ownSession = async ({ sessionId, startedAt }: SessionName, gateway: string) => {
    const { agent } = await sessions.get(sessionId, gateway, startedAt);
    return { caller: { agent }, sessionId };
  };

  const handlers: Handlers = {
    'node.describe': async ({ name }) => {
      if (name !== undefined) store.setName(name);
      const { path, workspace, platform } = await terms();
      return { path, workspace, store: store.id, platform: nodePlatform(platform), version };
    },
    'node.credentials': async ({ token }) => {
      checkToken(token, parts.key(), store.natsToken());
      store.setNatsToken(token);
      return {};
    },
    'exec.start': async (params, gateway, call) => {
      const begun = await requests.begin(params, gateway);
      if ('outcome' in begun) return begun;
      const { session, warnings } = begun;
      const accepted = { type: 'accepted', session, ...(warnings.length === 0 ? {} : { warnings }) };
      const { following, announce, stop } = announced(call, accepted);
      if (warnings.length > 0) announce(); // the answer has none
      try {
        const ended = await sessions.follow(session, 0, following);
        stop();
        return { session: ended };
      } catch (error) {
        announce(); // the command has started
        throw error;
      }
    },
    'exec.lookup': ({ key, store: storeId, withdraw }, gateway) =>
      requests.lookUp(gateway, key, { storeId, withdraw: withdraw === true }),
    'session.follow': async ({ sessionId, startedAt, after }, gateway, call) => ({
      session: await sessions.follow(await sessions.get(sessionId, gateway, startedAt), after, call),
    }),
    'session.write': async ({ data, end, ...session }, gateway) => {
      const info = await sessions.get(session.sessionId, gateway, session.startedAt);
      const own = { caller: { agent: info.agent }, sessionId: info.id };
      if (data !== '') checkInput(info, await terms());
      if (data !== '') await local.call('session.input', { ...own, input: { kind: 'raw', base64: data } });
      if (end === true) await local.call('session.input', { ...own, input: { kind: 'write', data: '', eof: true } });
      return {};
    },
    'session.resize': async ({ size, ...session }, gateway) => {
      await local.call('session.resize', { ...(await ownSession(session, gateway)), size });
      return {};
    },
    'session.interrupt': async (session, gateway) => {
      await local.call('session.interrupt', await ownSession(session, gateway));
      return {};
    },
    'session.kill': async (named, gateway) => {
      const { endedLeftovers: _, ...session } = await local.call('session.kill', await ownSession(named, gateway));
      return { session };
    },
    'session.processes': async (session, gateway) =>
      local.call('session.processes', await ownSession(session, gateway)),
    'tool.call': (params, gateway, { signal }) => files.call(params, gateway, signal),
    'approval.list': async (_, gateway) => ({ pending: await questions.pending(gateway) }),
    'approval.show': ({ id }, gateway) => questions.show(id, gateway),
    'approval.resolve': (answer, gateway, _, at) => questions.resolve(answer, gateway, at),
    'approval.extend': (extension, gateway, _, at) => questions.extend(extension, gateway, at),
    'approval.outcome': ({ id }, gateway) => questions.afterStart(id, gateway),
    'notice.follow': async ({ after }, gateway, call) => {
      await sendNotices({ local, questions }, after, gateway, call);
      return {};
    },
    'policy.explain': async (asked, gateway) => {
      const { request, context } = guestRequest(asked, gateway, await terms());
      const { judgement, effective } = await local.call('policy.explain', { request, context });
      return { judgement, effective };
    },
  };

  return {
    serve:
      (gateway, at = gateway) =>
      async (call) => {
        const { method } = call;
        try {
          if (!isNodeMethod(method)) throw refusedMethod(method);
          return await (handlers[method] as (...asked: unknown[]) => Promise<unknown>)(call.params, gateway, call, at);
        } catch (error) {
          if (error instanceof Fault) throw error;
          log(`${method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
          throw new Fault('INTERNAL_ERROR', `unexpected ${String(error)} in ${method}`, {
            hint: 'this is a defect of pincer; the log of pincer node run has details',
          });
        }
      },
    async removed(gateway) {
      await questions.denyAll(gateway); // nothing more may start
      await sessions.endAll(gateway);
    },
    close: () => {
      sessions.close();
      return files.close();
    },
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
