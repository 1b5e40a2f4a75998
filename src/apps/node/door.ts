/**
 * What a gateway may do on this node: the methods of `NODE_METHODS`, on sessions that it started itself. A request runs at most
 * once: its key is on disk before anything starts, and a repeated key gets the answer of the first.
 */
import { Fault, faultData } from '../../base/fault.ts';
import type { IncomingCall } from '../../hosts/channel/serving.ts';
import { recordOf } from '../../hosts/sessions/past-sessions.ts';
import type { Caller } from '../../wire/exec.ts';
import { type FaultData, faultFrom } from '../../wire/message.ts';
import type { Gateway } from '../../wire/methods.ts';
import {
  NODE_METHODS,
  type NodeMethod,
  type NodeMethods,
  type NodePlatform,
  type NodeRefusal,
} from '../../wire/node.ts';
import type { FollowEvent, SessionInfo } from '../../wire/session.ts';
import { AttachedSessions } from './attached-sessions.ts';
import { guestCaller, guestRequest, isGuestOf, type NodeTerms } from './guest.ts';
import type { AcceptedRequest, NodeStore } from './node-store.ts';

export interface DoorParts {
  /** The gateway of this machine, which judges and runs. */
  readonly local: Gateway;
  readonly store: NodeStore;
  /** Read again for every request. */
  terms(): Promise<NodeTerms>;
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

/** The caller that sees all sessions of this machine. */
const OPERATOR: Caller = { agent: '', operator: true };
const ATTACHED_MS = 30_000;
const WAIT_MS = 3_600_000;
const MOST_WARNINGS = 32;
const LONGEST_WARNING = 4096;

type Params<M extends NodeMethod> = NodeMethods[M]['params'];
type Lookup = NodeMethods['exec.lookup']['result'];
/** How a request began: with a session, or without. */
type Beginning =
  | { readonly session: SessionInfo; readonly warnings: readonly string[] }
  | { readonly outcome: NodeRefusal };

export function createDoor(parts: DoorParts): Door {
  const { local, store, log } = parts;
  const attached = new AttachedSessions(parts.attachedMs ?? ATTACHED_MS, (session) => {
    local.call('session.kill', { caller: OPERATOR, sessionId: session }).catch((error: unknown) => {
      if (!(error instanceof Fault)) log(`ending ${session} failed: ${String(error)}`); // a fault: it has already ended
    });
  });
  /** Requests that have not begun, by gateway and key. */
  const beginning = new Map<string, Promise<Beginning>>();

  const handlers: {
    readonly [M in NodeMethod]: (
      params: Params<M>,
      gateway: string,
      call: IncomingCall,
    ) => Promise<NodeMethods[M]['result']>;
  } = {
    'node.describe': async () => {
      const { path, workspace, platform } = await parts.terms();
      return { path, workspace, store: store.id, platform: nodePlatform(platform), version: parts.version };
    },
    'exec.start': async (params, gateway, call) => {
      const begun = await begin(params, gateway);
      if ('outcome' in begun) return begun;
      const { session, warnings } = begun;
      call.event({ type: 'accepted', session, ...(warnings.length === 0 ? {} : { warnings }) });
      return { session: await follow(session, 0, call) };
    },
    'exec.lookup': ({ key, store: id }, gateway) => lookUp(gateway, key, id),
    'session.follow': async ({ sessionId, after }, gateway, call) => ({
      session: await follow(await ownSession(sessionId, gateway), after, call),
    }),
    'session.write': async ({ sessionId, data, end }, gateway) => {
      const caller = callerOf(await ownSession(sessionId, gateway));
      if (data !== '') await local.call('session.input', { caller, sessionId, input: { kind: 'raw', base64: data } });
      if (end === true)
        await local.call('session.input', { caller, sessionId, input: { kind: 'write', data: '', eof: true } });
      return {};
    },
    'session.resize': async ({ sessionId, size }, gateway) => {
      await local.call('session.resize', { caller: callerOf(await ownSession(sessionId, gateway)), sessionId, size });
      return {};
    },
    'session.interrupt': async ({ sessionId }, gateway) => {
      await local.call('session.interrupt', { caller: callerOf(await ownSession(sessionId, gateway)), sessionId });
      return {};
    },
    'session.kill': async ({ sessionId }, gateway) => {
      const caller = callerOf(await ownSession(sessionId, gateway));
      const { endedLeftovers: _, ...session } = await local.call('session.kill', { caller, sessionId });
      return { session };
    },
  };

  /** Starts the request of a new key; returns what happened to that of a known one. */
  async function begin(params: Params<'exec.start'>, gateway: string): Promise<Beginning> {
    const name = `${gateway} ${params.key}`;
    const running = beginning.get(name);
    if (running !== undefined) return running;
    const known = store.find(gateway, params.key);
    if (known !== undefined) return again(known, gateway, params);
    const guest = start(params, gateway).finally(() => beginning.delete(name));
    beginning.set(name, guest);
    return guest;
  }

  async function start(params: Params<'exec.start'>, gateway: string): Promise<Beginning> {
    const { key } = params;
    const { warnings: own, ...guest } = guestRequest(params, gateway, await parts.terms());
    accept(gateway, key);
    try {
      const outcome = await local.call('exec.start', guest);
      const warnings = shownWarnings([...own, ...outcome.warnings]);
      if (!('session' in outcome)) {
        const refusal: NodeRefusal = { ...outcome, warnings };
        if (outcome.status === 'approval-pending') store.note(gateway, key, { approval: outcome.approval.id });
        else store.note(gateway, key, { answer: JSON.stringify({ outcome: refusal }) });
        return { outcome: refusal };
      }
      const { session } = outcome;
      noteSession(gateway, key, session);
      if (params.attached === true && session.status === 'running') attached.add(session.id);
      return { session, warnings };
    } catch (error) {
      const fault = error instanceof Fault ? error : unexpected('exec.start', error);
      store.note(gateway, key, { answer: JSON.stringify({ fault: faultData(fault) }) });
      throw fault;
    }
  }

  /** Nothing may start before the key is on disk. */
  function accept(gateway: string, key: string): void {
    let isNew: boolean;
    try {
      isNew = store.accept(gateway, key);
    } catch (error) {
      throw new Fault('NODE_CANNOT', `the node cannot record the request, so it runs nothing: ${textOfError(error)}`, {
        hint: 'free disk space on the node, then run the command again; nothing was started',
        cause: error,
      });
    }
    if (!isNew) throw lostStart();
  }

  function noteSession(gateway: string, key: string, session: SessionInfo): void {
    store.note(gateway, key, { session: session.id });
    whenEnded(session)
      .then((info) => store.note(gateway, key, { ended: recordOf(info) }))
      .catch((error: unknown) => log(`the end of ${session.id} was not recorded: ${textOfError(error)}`));
  }

  async function whenEnded(session: SessionInfo): Promise<SessionInfo> {
    for (let info = session; ; ) {
      if (info.status !== 'running') return info;
      info = await local.call('session.wait', { caller: callerOf(session), sessionId: session.id, waitMs: WAIT_MS });
    }
  }

  async function again(
    known: AcceptedRequest,
    gateway: string,
    { key, caller }: Params<'exec.start'>,
  ): Promise<Beginning> {
    const answer = known.answer === undefined ? undefined : (JSON.parse(known.answer) as StoredAnswer);
    if (answer?.outcome !== undefined) return { outcome: answer.outcome };
    if (answer?.fault !== undefined) throw faultFrom(answer.fault);
    const sessionId = known.session ?? (await approvedSession(known.approval));
    if (sessionId !== undefined) return { session: await ownSession(sessionId, gateway), warnings: [] };
    if (known.approval === undefined) throw lostStart();
    const outcome = await local.call('approval.outcome', {
      id: known.approval,
      caller: guestCaller(caller, gateway),
      yieldMs: 0,
    });
    if (!('session' in outcome)) return { outcome: { ...outcome, warnings: shownWarnings(outcome.warnings) } };
    noteSession(gateway, key, outcome.session);
    return { session: outcome.session, warnings: shownWarnings(outcome.warnings) };
  }

  async function lookUp(gateway: string, key: string, id: string): Promise<Lookup> {
    if (beginning.has(`${gateway} ${key}`)) return { state: 'asked' };
    const known = store.find(gateway, key);
    if (known === undefined) return { state: id === store.id ? 'never' : 'lost' };
    if (known.answer !== undefined) {
      const { outcome } = JSON.parse(known.answer) as StoredAnswer;
      return { state: 'never', ...(outcome === undefined ? {} : { outcome }) };
    }
    if (known.ended !== undefined) return endedState(JSON.parse(known.ended) as SessionInfo);
    const sessionId = known.session ?? (await approvedSession(known.approval));
    if (sessionId === undefined)
      return known.approval === undefined ? { state: 'lost' } : approvalState(known.approval);
    try {
      const session = await ownSession(sessionId, gateway);
      return session.status === 'running' ? { state: 'running', session } : endedState(session);
    } catch (error) {
      if (error instanceof Fault) return { state: 'lost' };
      throw error;
    }
  }

  async function approvalState(id: string): Promise<Lookup> {
    const { state } = await local.call('approval.show', { id });
    // Between the answer and the start of the command there is no session yet.
    return { state: state === 'pending' || state === 'allowed' ? 'asked' : 'never' };
  }

  async function approvedSession(approval: string | undefined): Promise<string | undefined> {
    return approval === undefined ? undefined : (await local.call('approval.show', { id: approval })).sessionId;
  }

  /** Sends the log from a position, at the speed of the gateway, until the session ends or the call is cancelled. */
  async function follow(
    { id: sessionId, agent }: SessionInfo,
    after: number,
    call: IncomingCall,
  ): Promise<SessionInfo> {
    attached.follow(sessionId);
    try {
      const send = (event: FollowEvent): Promise<void> | undefined => sendEvent(call, event);
      const session = await local.follow({ caller: { agent }, sessionId, after }, send, call.signal);
      if (session.status !== 'running') attached.delete(sessionId);
      return session;
    } finally {
      attached.unfollow(sessionId);
    }
  }

  /** Sessions of others do not exist for this gateway, not even in the hint of a fault. */
  async function ownSession(sessionId: string, gateway: string): Promise<SessionInfo> {
    const session = await local
      .call('session.wait', { caller: OPERATOR, sessionId, waitMs: 0 })
      .catch((error: unknown) => {
        if (error instanceof Fault) return undefined;
        throw error;
      });
    if (session?.id === sessionId && isGuestOf(session.agent, gateway)) return session;
    throw new Fault('EXEC_SESSION_UNKNOWN', `the node has no session ${JSON.stringify(sessionId)} of this gateway`, {
      hint: 'it has ended and was removed, or the node was restarted',
    });
  }

  return {
    serve: (gateway) => async (call) => {
      const { method } = call;
      try {
        if (!isNodeMethod(method)) throw refusedMethod(method);
        return await (handlers[method] as (...asked: unknown[]) => Promise<unknown>)(call.params, gateway, call);
      } catch (error) {
        if (error instanceof Fault) throw error;
        log(`${method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        throw unexpected(method, error);
      }
    },
    async endSessions(gateway) {
      const all = await local.call('session.list', { caller: OPERATOR });
      const own = all.filter(({ agent, status }) => status === 'running' && isGuestOf(agent, gateway));
      await Promise.allSettled(own.map(({ id }) => local.call('session.kill', { caller: OPERATOR, sessionId: id })));
    },
    close: () => attached.close(),
  };
}

interface StoredAnswer {
  readonly outcome?: NodeRefusal;
  readonly fault?: FaultData;
}

/** A slow gateway receives nothing until it has caught up; the log keeps the rest. */
function sendEvent(call: IncomingCall, event: FollowEvent): Promise<void> | undefined {
  if (event.type === 'output') call.log(event);
  else if (event.type === 'gap') call.event({ type: 'gap', start: event.start, bytes: event.bytes });
  return event.type === 'end' ? undefined : call.room();
}

function endedState(session: SessionInfo): Lookup {
  return { state: session.failure === 'lost' ? 'lost' : 'ended', session };
}

function callerOf({ agent }: SessionInfo): Caller {
  return { agent };
}

function isNodeMethod(name: string): name is NodeMethod {
  return Object.hasOwn(NODE_METHODS, name);
}

/** Only the supported platforms start. */
export function nodePlatform(platform: NodeJS.Platform): NodePlatform {
  return platform === 'darwin' ? 'darwin' : 'linux';
}

/** The gateway shows them to agents. */
function shownWarnings(warnings: readonly string[]): readonly string[] {
  return warnings
    .slice(0, MOST_WARNINGS)
    .map((text) => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').slice(0, LONGEST_WARNING));
}

function refusedMethod(method: string): Fault {
  return new Fault('NODE_METHOD_REFUSED', `a gateway may not call ${JSON.stringify(method.slice(0, 64))} on a node`, {
    hint: 'run it on the node itself',
  });
}

function lostStart(): Fault {
  return new Fault('NODE_OUTCOME_UNKNOWN', 'the node stopped while it started this command', {
    hint: 'the command may have run; check its effects before you run it again',
  });
}

function unexpected(method: string, error: unknown): Fault {
  return new Fault('INTERNAL_ERROR', `unexpected ${String(error)} in ${method}`, {
    hint: 'this is a defect of pincer; the log of pincer node run has details',
  });
}

function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
