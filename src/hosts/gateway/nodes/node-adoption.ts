/** Sessions of requests to nodes whose caller is gone: after a restart of this gateway, a broken link, or an approval. */
import { actorOf } from '../../../wire/actor.ts';
import type { NodeRefusal } from '../../../wire/nodes/methods.ts';
import type { SessionInfo } from '../../../wire/session.ts';
import type { Dispatcher, DispatcherOptions } from '../../nodes/dispatch.ts';
import type { OpenRequest, RequestSettings } from '../../../wire/nodes/open-request.ts';
import type { RequestOwnership } from '../../nodes/fleet/shared-requests.ts';
import { deniedText, requestText } from '../../sessions/notice-texts.ts';
import type { AdoptedSession, Session, Sessions } from '../../sessions/shape.ts';
import type { ApprovalStore } from '../../approvals/shape.ts';
import type { HostParts } from '../start-session.ts';

export interface AdoptionParts extends HostParts, Omit<DispatcherOptions, 'adopt' | 'report' | 'isCopied'> {
  readonly sessions: Pick<Sessions, 'start' | 'adopt' | 'discard' | 'freeId'>;
  readonly store: Pick<ApprovalStore, 'audit' | 'flush' | 'noteSession' | 'notice' | 'database'>;
  /** The settings that apply at the end of an adopted session. */
  readonly onAdopted: (session: Session, settings: RequestSettings) => void;
  /** Reports the end of a session that had ended before it was adopted. */
  readonly onEnded: (session: SessionInfo) => void;
  readonly ownership: RequestOwnership;
  readonly onNotice: () => void;
  /** The approval requests that nodes asked for requests of this gateway. */
  readonly approvals: () => RequestApprovals;
}

export interface RequestApprovals {
  /** The id at this gateway of an approval request on a node. */
  idOf(node: string, approval: string): string | undefined;
  /** The command of the approval request has a session. Called in the transaction that records the session. */
  started(id: string, sessionId: string): void;
  /** The request of the approval request will not have a session. */
  gone(id: string): void;
  /** This gateway continues with requests of another one to the node. */
  taken(node: string): void;
  /** Another gateway continues with the request of the approval request. */
  left(id: string): void;
}

export interface Adoption {
  /** Continues the session of an earlier gateway process. */
  resume(request: OpenRequest): Promise<void>;
  /** Starts a session for a command that the node runs or ran, and whose caller has no answer. */
  readonly adopt: DispatcherOptions['adopt'];
  /** Reports that a request without a session will not have one. */
  readonly report: DispatcherOptions['report'];
  /** Continues with a request of another gateway. It is on disk when this returns. */
  take(request: OpenRequest): void;
  /** Another gateway continues with the request. */
  leave(request: OpenRequest, gateway: string): void;
  /** Another gateway reports the end of the request. */
  forget(request: OpenRequest): void;
}

export function adoptRequests(parts: AdoptionParts, dispatcher: () => Dispatcher): Adoption {
  const { store, sessions, requests } = parts;
  /** Keys of requests whose command ends before they leave this gateway. */
  const ending = new Set<string>();
  const approvalOf = ({ node, approval }: OpenRequest): string | undefined =>
    approval === undefined ? undefined : parts.approvals().idOf(node.id, approval);

  function notify(request: OpenRequest, text: string, sessionId?: string): void {
    store.notice({
      kind: 'node-request',
      ...actorOf(request.caller),
      text,
      wake: true,
      contextKey: `node:${request.node.id}:${request.key}`,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    parts.onNotice();
  }

  /** A person denied it, or it expired, before this gateway continued with it, or while its node was not connected. */
  function notifyDenied(request: OpenRequest, approvalId: string, reason: string): void {
    const { caller, node, command } = request;
    const key = request.approval === undefined ? request.key : undefined;
    store.notice({
      kind: 'exec-denied',
      ...actorOf(caller),
      text: deniedText({ host: 'node', node, approvalId, key, reason, command }),
      wake: true,
      contextKey: `exec:${approvalId}`,
      approvalId,
    });
    parts.onNotice();
  }

  function audit(
    request: OpenRequest,
    event: 'started' | 'denied' | 'node',
    details: object,
    sessionId?: string,
  ): void {
    const { node, key, caller, command } = request;
    store.audit({
      event,
      ...actorOf(caller),
      ...(sessionId === undefined ? {} : { sessionId }),
      command,
      details: { host: 'node', node, key, ...details },
    });
  }

  function adopted(request: OpenRequest, starting?: AdoptedSession['starting']): AdoptedSession {
    return {
      id: request.session,
      startedAt: request.startedAt ?? request.sentAt,
      start: sessionStart(request, approvalOf(request)),
      runner: (position) => dispatcher().resumer(request, position),
      ...(starting === undefined ? {} : { starting }),
    };
  }

  async function resume(request: OpenRequest): Promise<void> {
    const starting = (id: string): void => {
      if (id !== request.session) requests.started(request.key, { session: id }, () => {});
    };
    const session = await sessions.adopt(adopted(request, starting));
    parts.onAdopted(session, request.settings);
    reportEnd(session);
  }

  /** It may have ended before a restart. */
  function reportEnd(session: Session): void {
    const info = session.info();
    if (info.status !== 'running') parts.onEnded(info);
  }

  function forget(request: OpenRequest): void {
    const { key, session } = request;
    const approvalId = approvalOf(request);
    sessions.discard(session).catch(parts.onTrouble);
    store.database.soon(() => {
      if (approvalId !== undefined) parts.approvals().left(approvalId);
      requests.delete(key);
      requests.unshare(key);
    });
  }

  return {
    resume,
    forget,
    take(found) {
      const isKillWanted = found.isKillWanted || found.attached === true; // its client was one of the other gateway
      const request = { ...found, session: sessions.freeId(found.session), isKillWanted };
      store.database.transaction(() => {
        requests.take(request);
        audit(request, 'node', { action: 'request taken over' });
      });
      const continued = request.state === 'running' ? resume(request) : dispatcher().resolve(request.key);
      continued.catch(parts.onTrouble);
      parts.approvals().taken(request.node.id);
    },
    leave(request, gateway) {
      const { key } = request;
      if (dispatcher().isAwaited(key) || ending.has(key)) return; // when it has started, or has ended
      const leave = (): void => {
        if (!dispatcher().leave(key, `continued by gateway ${gateway}`)) forget(request); // its end forgets it
      };
      if (!request.isKillWanted) return leave();
      // The other gateway does not know that a person wanted its end. Without the node, the next pass tries again.
      ending.add(key);
      dispatcher()
        .endOnNode(request)
        .then((isDone) => {
          if (isDone) leave();
        })
        .catch(parts.onTrouble)
        .finally(() => ending.delete(key));
    },
    async adopt(request) {
      const isOwner = await parts.ownership.isOwner(request.key);
      if (isOwner === false && !request.isKillWanted) forget(request); // `leave` ends it first
      if (isOwner !== true) return;
      const wasAsked = request.state === 'asked';
      const since = wasAsked ? { startedAt: Math.trunc(parts.now()) } : {}; // the node started it after the answer
      const starting = (id: string): void =>
        requests.started(request.key, { session: id, ...since }, () => {
          audit(request, 'started', { cwd: request.cwd, isAdopted: true }, id);
          const approvalId = approvalOf(request);
          if (approvalId !== undefined) parts.approvals().started(approvalId, id);
          // Its caller does not know the session.
          if (!wasAsked) notify(request, requestText(request, { kind: 'started', session: id }), id);
        });
      const session = await sessions.adopt(adopted({ ...request, ...since }, starting));
      parts.onAdopted(session, request.settings);
      reportEnd(session);
    },
    async report(request, outcome) {
      const isOurs = await parts.ownership.claim(request.key);
      if (isOurs === false) forget(request);
      if (isOurs !== true) return;
      if (requests.get(request.key)?.state !== request.state) return; // it was reported or has started since
      sessions.discard(request.session).catch(parts.onTrouble);
      store.database.soon(() => {
        requests.delete(request.key);
        const refusal = outcome.kind === 'never' ? outcome.outcome : undefined;
        if (outcome.kind === 'lost') audit(request, 'node', { action: 'request lost', why: outcome.why });
        else if (isDenied(refusal)) audit(request, 'denied', { reason: refusal.reason, by: 'node' });
        else audit(request, 'node', { action: 'request never ran' });
        const approvalId = approvalOf(request);
        // The answer of a person has its own notices, where this gateway knew the approval request.
        if (approvalId !== undefined && request.state === 'asked' && outcome.kind === 'never') return;
        if (approvalId !== undefined) {
          parts.approvals().gone(approvalId);
          return;
        }
        const asked = request.approval ?? (outcome.kind === 'never' ? outcome.approval : undefined);
        if (!isDenied(refusal)) notify(request, requestText(request, outcome));
        else if (asked !== undefined) notifyDenied(request, asked, refusal.reason);
        else notify(request, requestText(request, { kind: 'denied', message: refusal.message }));
      });
    },
  };
}

function isDenied(refusal: NodeRefusal | undefined): refusal is Extract<NodeRefusal, { readonly status: 'denied' }> {
  return refusal?.status === 'denied';
}

/** The caller that waited is gone, so its session is a background one. */
function sessionStart(request: OpenRequest, approvalId: string | undefined): AdoptedSession['start'] {
  const { caller, command, masked, cwd, node, timeout, pty, stdin, settings } = request;
  return {
    launch: {
      stages: [CHOSEN_BY_NODE],
      cwd,
      env: {},
      streams: 'merged',
      stdin,
      ...(pty === undefined ? {} : { pty }),
    },
    caller,
    command,
    ...(masked === undefined ? {} : { masked }),
    host: 'node',
    node,
    timeout,
    maxLogBytes: settings.maxLogBytes,
    keepMs: settings.cleanupMs,
    background: true,
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

/** The node finds the programs. */
export const CHOSEN_BY_NODE = { file: '', argv: [] };
