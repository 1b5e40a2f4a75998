/**
 * The requests of gateways, by their keys. A request runs at most once: its key is recorded before anything starts, and a
 * repeated key gets the answer of the first.
 */
import { Fault, faultData } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { notRun } from '../../hosts/gateway/approvals/approval-outcome.ts';
import { neverRan } from '../../hosts/approvals/never-ran.ts';
import { recordOf } from '../../hosts/sessions/past-sessions.ts';
import type { ExecOutcome } from '../../wire/exec.ts';
import { type FaultData, faultFrom } from '../../wire/message.ts';
import type { Gateway } from '../../wire/methods.ts';
import type { NodeMethods, NodeRefusal } from '../../wire/nodes/methods.ts';
import { plainText } from '../../wire/schema.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { guestCaller, guestRequest, type GuestStart, isGuestOf, type NodeTerms, noSandbox } from './guest.ts';
import { openQuestion } from './guest-questions.ts';
import type { GuestSessions } from './guest-sessions.ts';
import type { AcceptedRequest, NodeStore } from './node-store.ts';

export interface GuestRequestsOptions {
  /** The gateway of this machine, which judges and runs. */
  readonly local: Gateway;
  readonly store: NodeStore;
  readonly sessions: GuestSessions;
  /** Read again for every request. */
  readonly terms: () => Promise<NodeTerms>;
  readonly log: (text: string) => void;
  /** A command was refused, because its sandbox cannot be created. */
  readonly onNoSandbox?: (() => void) | undefined;
  /** Pending approval requests of one gateway (default: 1000). */
  readonly mostOpen?: number | undefined;
}

/** How a request began: with a session, or without. */
export type Beginning =
  | { readonly session: SessionInfo; readonly warnings: readonly string[] }
  | { readonly outcome: NodeRefusal };

export interface GuestRequests {
  /** Starts the request of a new key; returns what happened to that of a known one. */
  begin(start: GuestStart, gateway: string): Promise<Beginning>;
  lookUp(gateway: string, key: string, how: LookupOptions): Promise<Lookup>;
}

export interface LookupOptions {
  /** The id of the database when the gateway sent the request. */
  readonly storeId: string;
  /** A key that never arrived is refused from now on. */
  readonly withdraw: boolean;
}

type Lookup = NodeMethods['exec.lookup']['result'];

type NotStarted = Exclude<ExecOutcome, { readonly session: unknown }>;

interface StoredAnswer {
  readonly outcome?: NodeRefusal;
  readonly fault?: FaultData;
}

const MOST_WARNINGS = 32;
const LONGEST_WARNING = 4096;
const LONGEST_STORED = 1024;
/** A gateway chooses the names of its agents, so the limit for each agent does not bound what it stores here. */
const MOST_OPEN = 1_000;

export function createGuestRequests(options: GuestRequestsOptions): GuestRequests {
  const { local, store, sessions, terms, log, mostOpen = MOST_OPEN } = options;
  /** Requests that have not begun, by gateway and key. */
  const beginning = new Map<string, Promise<Beginning>>();
  /** The sessions of requests whose rows do not have them yet, by gateway and key. */
  const unrecorded = new Map<string, Required<Pick<AcceptedRequest, 'session' | 'started'>>>();
  /** How many requests of a gateway can become approval requests before the limit is checked again. */
  const room = new Map<string, number>();

  async function start(params: GuestStart, gateway: string): Promise<Beginning> {
    const { key, attached } = params;
    const current = await terms();
    const { warnings: own, ...guest } = guestRequest(params, gateway, current);
    if (await hasTooManyOpen(gateway)) return { outcome: tooManyOpen(mostOpen) };
    accept(gateway, key);
    try {
      const outcome = await local.call('exec.start', guest);
      const warnings = shownWarnings([...own, ...outcome.warnings]);
      if ('session' in outcome) {
        if (attached === true) sessions.attach(outcome.session);
        return { session: noteSession(gateway, key, outcome.session), warnings };
      }
      const refusal = await refusalOf(outcome, warnings);
      if (outcome.status === 'approval-pending') note(gateway, key, { approval: outcome.approval.id });
      else note(gateway, key, { answer: JSON.stringify({ outcome: storedRefusal(refusal) } satisfies StoredAnswer) });
      return { outcome: refusal };
    } catch (thrown) {
      const error = current.sandbox ? noSandbox(thrown) : thrown;
      if (error !== thrown) options.onNoSandbox?.();
      const fault = error instanceof Fault ? error : new Fault('INTERNAL_ERROR', `unexpected ${messageOf(error)}`);
      note(gateway, key, { answer: JSON.stringify({ fault: storedFault(fault) } satisfies StoredAnswer) });
      throw error;
    }
  }

  /** Each request may become one more, so they are counted again only after as many requests as there was room for. */
  async function hasTooManyOpen(gateway: string): Promise<boolean> {
    const left = room.get(gateway) ?? 0;
    room.set(gateway, left - 1);
    if (left > 0) return false;
    const begins = [...beginning.keys()].filter((name) => name.startsWith(`${gateway} `)).length;
    const open = (await local.call('approval.count', { state: 'pending' })) + begins;
    room.set(gateway, mostOpen - open);
    if (open <= mostOpen) return false;
    const all = await local.call('approval.list', { state: 'pending', limit: Number.MAX_SAFE_INTEGER });
    return all.filter(({ binding }) => isGuestOf(binding.agent, gateway)).length + begins > mostOpen;
  }

  /** Nothing may start before the key is recorded. */
  function accept(gateway: string, key: string): void {
    let isNew: boolean;
    try {
      isNew = store.accept(gateway, key);
    } catch (error) {
      throw new Fault('NODE_CANNOT', `the node cannot record the request, so it runs nothing: ${messageOf(error)}`, {
        hint: 'free disk space on the node, then run the command again; nothing was started',
        cause: error,
      });
    }
    if (!isNew) throw lostStart();
  }

  /** Its gateway has reported, or reports now, that the request never ran. */
  function refuseKey(gateway: string, key: string): void {
    accept(gateway, key);
    store.note(gateway, key, { answer: JSON.stringify({ fault: storedFault(withdrawn()) } satisfies StoredAnswer) });
  }

  /** The command may run already: a full disk is reported and ends nothing. Without the note, a lookup says `lost`. */
  function note(gateway: string, key: string, what: Parameters<NodeStore['note']>[2]): void {
    try {
      store.note(gateway, key, what);
    } catch (error) {
      log(`the state of the request ${key} was not recorded: ${messageOf(error)}`);
    }
  }

  /**
   * The session of a short command is recorded together with its end. After a restart of this process, the gateway finds what is on
   * the disk: a longer session, one with a terminal, and one that a person approved.
   */
  function noteSession(gateway: string, key: string, session: SessionInfo): SessionInfo {
    const name = `${gateway} ${key}`;
    const started = { session: session.id, started: String(session.startedAt) };
    const noteStarted = (): void => {
      if (unrecorded.delete(name)) note(gateway, key, started);
    };
    unrecorded.set(name, started);
    if (session.pty !== undefined || session.approvalId !== undefined) noteStarted();
    sessions
      .whenEnded(session, noteStarted)
      .then((ended) => {
        const isRecorded = !unrecorded.delete(name);
        note(gateway, key, { ...(isRecorded ? {} : started), ended: recordOf(ended) });
      })
      .catch((error: unknown) => log(`the end of ${session.id} was not recorded: ${messageOf(error)}`));
    return session;
  }

  function find(gateway: string, key: string): AcceptedRequest | undefined {
    const known = store.find(gateway, key);
    return known === undefined ? undefined : { ...known, ...unrecorded.get(`${gateway} ${key}`) };
  }

  async function again(known: AcceptedRequest, gateway: string, { key, caller }: GuestStart): Promise<Beginning> {
    const answer = known.answer === undefined ? undefined : (JSON.parse(known.answer) as StoredAnswer);
    if (answer?.outcome !== undefined) return { outcome: answer.outcome };
    if (answer?.fault !== undefined) throw faultFrom(answer.fault);
    const session = await sessionOf(known, gateway);
    if (session !== undefined) return { session, warnings: [] };
    if (known.approval === undefined || known.session !== undefined) throw lostStart();
    const { approval: id } = known;
    const outcome = await local.call('approval.outcome', { id, caller: guestCaller(caller, gateway), yieldMs: 0 });
    const warnings = shownWarnings(outcome.warnings);
    if ('session' in outcome) return { session: noteSession(gateway, key, outcome.session), warnings };
    return { outcome: await refusalOf(outcome, warnings) };
  }

  async function refusalOf(outcome: NotStarted, warnings: readonly string[]): Promise<NodeRefusal> {
    if (outcome.status !== 'approval-pending') return { ...outcome, warnings };
    return { ...outcome, warnings, ...openQuestion(outcome.approval, await terms()) };
  }

  /** Undefined if it has not started, or does not exist any more. Another session may have its id after a restart. */
  async function sessionOf(known: AcceptedRequest, gateway: string): Promise<SessionInfo | undefined> {
    const { session: noted, started, approval } = known;
    if (noted !== undefined) {
      const session = await sessions.find(noted, gateway);
      return String(session?.startedAt) === started ? session : undefined;
    }
    if (approval === undefined) return undefined;
    const { sessionId } = await local.call('approval.show', { id: approval });
    const session = sessionId === undefined ? undefined : await sessions.find(sessionId, gateway);
    return session?.approvalId === approval ? session : undefined;
  }

  async function approvalState(id: string): Promise<Lookup> {
    const approval = await local.call('approval.show', { id });
    const { state, sessionId, outcome } = approval;
    if (sessionId !== undefined) return { state: 'lost' };
    // Between the answer, or the fallback, and the start of the command there is no session yet.
    const isOpen = state === 'pending' || ((state === 'allowed' || state === 'expired') && outcome === undefined);
    if (isOpen) return { state: 'asked', approval: id };
    if (!neverRan(approval)) return { state: 'lost' };
    return { state: 'never', outcome: storedRefusal(notRun(approval)), approval: id };
  }

  return {
    async begin(params, gateway) {
      const name = `${gateway} ${params.key}`;
      const running = beginning.get(name);
      if (running !== undefined) return running;
      const known = find(gateway, params.key);
      if (known !== undefined) return again(known, gateway, params);
      const begun = start(params, gateway).finally(() => beginning.delete(name));
      beginning.set(name, begun);
      return begun;
    },
    async lookUp(gateway, key, { storeId, withdraw }) {
      if (beginning.has(`${gateway} ${key}`)) return { state: 'asked' };
      const known = find(gateway, key);
      if (known === undefined) {
        if (!store.isComplete(storeId)) return { state: 'lost' };
        if (withdraw) refuseKey(gateway, key);
        return { state: 'never' };
      }
      if (known.answer !== undefined) {
        const { outcome } = JSON.parse(known.answer) as StoredAnswer;
        return { state: 'never', ...(outcome === undefined ? {} : { outcome }) };
      }
      if (known.ended !== undefined) return endedState(JSON.parse(known.ended) as SessionInfo);
      const session = known.isThisBoot ? await sessionOf(known, gateway) : undefined;
      if (session !== undefined && known.session === undefined) noteSession(gateway, key, session);
      if (session !== undefined)
        return session.status === 'running' ? { state: 'running', session } : endedState(session);
      return known.session === undefined && known.approval !== undefined
        ? approvalState(known.approval)
        : { state: 'lost' };
    },
  };
}

function endedState(session: SessionInfo): Lookup {
  return { state: session.failure === 'lost' ? 'lost' : 'ended', session };
}

/** A repeated key needs no judgement, and neither does a look-up. A gateway chooses the command, and with it the size of the texts. */
function storedRefusal(refusal: NodeRefusal): NodeRefusal {
  if (refusal.status !== 'denied') return refusal;
  const { judgement: _, message, hint, ...rest } = refusal;
  return { ...rest, message: stored(message), ...(hint === undefined ? {} : { hint: stored(hint) }) };
}

function storedFault(fault: Fault): FaultData {
  const { code, message, hint } = faultData(fault);
  return { code, message: stored(message), ...(hint === undefined ? {} : { hint: stored(hint) }) };
}

function stored(text: string): string {
  return text.length > LONGEST_STORED ? `${text.slice(0, LONGEST_STORED)}…` : text;
}

/** The gateway shows them to agents. */
function shownWarnings(warnings: readonly string[]): readonly string[] {
  return warnings.slice(0, MOST_WARNINGS).map((text) => plainText(text).slice(0, LONGEST_WARNING));
}

function tooManyOpen(most: number): NodeRefusal {
  return {
    status: 'denied',
    reason: 'approval-unavailable',
    message: `the command was not run: the gateway already has ${most} pending approval requests here`,
    hint: 'wait until a person has answered some of them (pincer approvals list), or until they expire',
    warnings: [],
  };
}

function withdrawn(): Fault {
  return new Fault('NODE_NOT_DISPATCHED', 'the request arrived after its gateway had reported that it never ran', {
    hint: 'nothing ran; run the command again',
  });
}

function lostStart(): Fault {
  return new Fault('NODE_OUTCOME_UNKNOWN', 'the node stopped while it ran this command, or its session was removed', {
    hint: 'the command may have run; check its effects before you run it again',
  });
}
