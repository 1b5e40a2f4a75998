/**
 * Everything behind the daemon's socket: requests are prepared, judged and approved, sessions run, and notices report what
 * happened. It implements the same `Gateway` interface that clients see through the socket.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { ALL_AGENTS, DEFAULT_AGENT } from '../../wire/actor.ts';
import type { Caller, ExecContext, ExecOutcome, ExecRequest } from '../../wire/exec.ts';
import type { DaemonStatus, Method, Methods } from '../../wire/methods.ts';
import type { PolicyReport } from '../../wire/posture.ts';
import type { SessionInfo } from '../../wire/session.ts';
import { openApprovalStore } from '../approvals/store.ts';
import type { ApprovalRules, ApprovalStore } from '../approvals/shape.ts';
import type { Host, PolicyInputs, RoutedRequest } from '../host.ts';
import { createNodeFiles } from '../nodes/node-files.ts';
import { nodeRequestsIn } from '../nodes/node-requests.ts';
import { createLauncher } from '../process/launcher.ts';
import { createLeftovers } from '../process/leftovers.ts';
import { endStrays } from '../process/strays.ts';
import { createSessions } from '../sessions/sessions.ts';
import { approvalsFileIn } from './approvals/approvals-file.ts';
import { rulesMethods } from './approvals/rules-methods.ts';
import { createApprovalRequests } from './approvals/approval-requests.ts';
import { approvalMethods } from './node-approvals/approval-methods.ts';
import { auditMethods } from './records/audit-methods.ts';
import { checkedCaller } from './checked-caller.ts';
import { localHost } from './local-host.ts';
import { type EndSettings, reportEndedSession, reportLostSession } from './session-reports.ts';
import { replay } from './records/replay.ts';
import { createEventBoard } from './records/event-board.ts';
import { explainNode } from './posture/explain-node.ts';
import { policyReport } from './posture/posture.ts';
import { checkRequest, neededEnvironment, type Prepared, prepare } from './prepare.ts';
import { createNodeApprovals } from './node-approvals/node-approvals.ts';
import { loginMethods } from './login-methods.ts';
import { nodeHost } from './nodes/node-host.ts';
import { closeAll } from '../../base/close-all.ts';
import { openNodes } from './nodes/node-methods.ts';
import { callNodeTool } from './nodes/node-tools.ts';
import { sharedApprovals } from './shared-approvals.ts';
import { NO_SANDBOXES, sandboxHost } from './sandbox-host.ts';
import { handleMessage } from './conversation-message.ts';
import { sessionMethods } from './session-methods.ts';
import type { HostParts } from './start-session.ts';
import { forGuestSandbox } from './inside/guest-sandbox.ts';
import type { GatewayOptions, LocalGateway } from './gateway-options.ts';
import { routeOf } from './route.ts';

import { createTickets } from './tickets.ts';

export type { GatewayOptions, LocalGateway };

type Handlers = {
  readonly [M in Method]?: (
    params: Methods[M]['params'],
    signal?: AbortSignal,
  ) => Promise<Methods[M]['result']> | Methods[M]['result'];
};

/** Approval requests that other gateways see. */
const MOST_SHARED = 2_000;

export async function createGateway(options: GatewayOptions): Promise<LocalGateway> {
  const { stateDir, now = Date.now } = options;
  const startedAt = now();
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const settingsFor: GatewayOptions['settingsFor'] = (...asked) => options.settingsFor(...asked);
  const defaults = await settingsFor('/', DEFAULT_AGENT);
  const onTrouble = (trouble: unknown) => options.log?.(String(trouble));
  const auditBoard = createEventBoard((after, limit) => store.auditLog(after, limit));
  const store: ApprovalStore = await openApprovalStore({
    file: join(stateDir, 'gateway.db'),
    now,
    onTrouble,
    onAudit: () => auditBoard.notify(),
  });
  for (const warning of store.warnings) options.log?.(warning);
  const file = approvalsFileIn(stateDir, { now, onTrouble, ...home(options) });
  const strays = store.strays();
  await endStrays(strays, stateDir);
  const board = createEventBoard((after, limit) => store.notices(after, limit));
  const runner = createLauncher({
    runtimeDir: options.runtimeDir,
    ownerFolder: stateDir, // daemons may share a runtime folder
    runner: options.runner,
    startWithin: options.startWithin,
  });
  const settingsOfSession = new Map<string, EndSettings>();
  const requests = nodeRequestsIn(store.database, onTrouble, () => nodes.ownership.changed());
  const sessions = createSessions({
    folder: join(stateDir, 'sessions'),
    maxLogBytes: defaults.maxLogBytes,
    keepMs: defaults.cleanupMs,
    now,
    onEnd: ended,
    isUnreported: (id) => requests.ofSession(id) !== undefined,
    leftovers: createLeftovers(stateDir),
    continuing: new Set(requests.list().map(({ session }) => session)),
  });
  await sessions.ready;
  const left = new Map(sessions.list({ agent: '', operator: true }).map(({ id, command }) => [id, command]));
  for (const stray of strays) reportLostSession(store, stray, left.get(stray.id), defaults);
  const tickets = createTickets();
  const hostParts: HostParts = {
    sessions,
    store,
    onTrouble,
    onStarted(session, { context, settings }) {
      tickets.started(context, session);
      if (session.info().status === 'running') settingsOfSession.set(session.id, settings);
    },
  };
  const sandboxes = sandboxHost({
    ...hostParts,
    store,
    stateDir,
    technology: options.sandboxes ?? NO_SANDBOXES,
    now,
    inputsFor,
    onNotice: () => board.notify(),
    log: (text) => options.log?.(text),
  });
  const thisMachine = localHost({
    ...hostParts,
    options,
    runner,
    file,
    ask: (ready) => approvalRequests.ask(ready),
    sandbox: sandboxes.insteadOfAsking,
  });
  const nodes = openNodes({
    approvals: {
      pending: async () => approvals.handlers['approval.list']({ state: 'pending', limit: MOST_SHARED }),
      resolve: async (id, answer) => approvals.handlers['approval.resolve']({ id, ...answer }),
    },
    moved: {
      hasNode: (node) => nodeList.isShared(node),
      adopt: (request) => remoteMachines.take(request),
      leave: (request, gateway) => remoteMachines.leave(request, gateway),
      hasLeft: options.leftNats ?? false,
      waits: options.nodeWaits,
    },
    store,
    requests,
    stateDir,
    version: options.version,
    now,
    onNotice: () => board.notify(),
    log: (text) => options.log?.(text),
  });
  const nodeList = options.nodes ?? nodes.nodes;
  const remoteMachines = nodeHost({
    ...hostParts,
    sessions,
    store,
    requests,
    nodes: nodeList,
    now,
    onAdopted: (session, settings) => {
      if (session.info().status === 'running') settingsOfSession.set(session.id, settings);
      nodeApprovals.running(session, settings.approvalRunningNoticeMs);
    },
    onEnded: ended,
    onNotice: () => board.notify(),
    ownership: nodes.ownership,
    ...options.nodeWaits,
    approvals: () => nodeApprovals,
  });
  const nodeApprovals = createNodeApprovals({
    store,
    requests,
    ownership: nodes.ownership,
    nodes: nodeList,
    now,
    gatewayId: () => nodes.id(),
    waits: { ...options.nodeWaits },
    isAwaited: (key) => remoteMachines.isAwaited(key),
    answered: (node, approval) => remoteMachines.answered(node, approval),
    onNotice: () => board.notify(),
    onTrouble,
  });
  const nodeFiles = createNodeFiles({ nodes: nodeList, ...options.nodeWaits });
  const approvalRequests = createApprovalRequests({
    store,
    file,
    now,
    prepare: preparedHere,
    start: (ready, approvalId) => thisMachine.startApproved(ready, approvalId),
    openOnNodes: (agent) => nodeApprovals.questions.openQuestions(agent),
    onNotice: () => board.notify(),
    onTrouble,
  });
  const approvals = approvalMethods({ store, file, approvalRequests, nodeApprovals, sessions, settingsFor, now });
  const shared = sharedApprovals(approvals, () => nodes.inbox(), nodeApprovals);
  await approvalRequests.resume();
  await remoteMachines.resume();
  nodeApprovals.resume();

  async function routed(request: ExecRequest, context: ExecContext, approvals?: ApprovalRules): Promise<RoutedRequest> {
    checkRequest(request);
    const current = await inputsFor(context.folder, context.caller, context.restrictions);
    const found = approvals === undefined ? current : { ...current, approvals };
    const inputs = context.guestSandbox === true ? forGuestSandbox(found) : found;
    return { request, context, inputs, route: routeOf(request, context, inputs) };
  }

  function hostOf({ route }: RoutedRequest): Host {
    if (route.node !== undefined) return remoteMachines;
    return route.isInside ? sandboxes : thisMachine;
  }

  /** Undefined where the request would now run in a sandbox or on a node, which need no approval of this machine. */
  async function preparedHere(request: ExecRequest, context: ExecContext): Promise<Prepared | undefined> {
    const asked = await routed(request, context);
    const { isInside, node } = asked.route;
    return isInside || node !== undefined ? undefined : prepare(asked);
  }

  async function inputsFor(
    folder: string,
    caller: Caller,
    restrictions?: ExecContext['restrictions'],
  ): Promise<PolicyInputs> {
    const { agent, conversation } = caller;
    return {
      settings: await settingsFor(folder, agent, restrictions),
      approvals: file.rulesFor(agent),
      conversation: conversation === undefined ? {} : store.override(conversation),
      nodes: () => nodeList.list(),
      noLinks: () => (options.nodes === undefined ? nodes.noLinks() : undefined),
    };
  }

  async function reportFor(
    folder: string,
    caller: Caller,
    restrictions?: ExecContext['restrictions'],
  ): Promise<PolicyReport> {
    const inputs = await inputsFor(folder, caller, restrictions);
    const unavailable = await sandboxes.whyUnavailable(inputs, caller, folder);
    return policyReport(inputs, caller, { remarks: file.remarks(), unavailable });
  }

  function ended(session: SessionInfo): void {
    const settings = settingsOfSession.get(session.id) ?? defaults;
    settingsOfSession.delete(session.id);
    if (session.node === undefined) report(session, settings);
    else remoteMachines.reportEnd(session.id, () => report(session, settings));
  }

  /** One transaction: the end of a session on a node is reported once, also across a crash. */
  function report(session: SessionInfo, settings: EndSettings): void {
    let isOfNode = false;
    const hasNotice = store.database.soon(() => {
      if (session.node !== undefined) requests.deleteSession(session.id);
      isOfNode = nodeApprovals.ended(session);
      return reportEndedSession(store, session, settings);
    });
    if (session.approvalId !== undefined && !isOfNode) approvalRequests.ended(session);
    else if (hasNotice) board.notify();
  }

  async function explain(
    request: ExecRequest,
    context: ExecContext,
    approvals?: ApprovalRules,
  ): Promise<Methods['policy.explain']['result']> {
    const asked = await routed(request, context, approvals);
    return hostOf(asked).explain(asked);
  }

  async function exec(request: ExecRequest, context: ExecContext, signal?: AbortSignal): Promise<ExecOutcome> {
    const asked = await routed(request, context);
    return hostOf(asked).exec(asked, signal);
  }

  const handlers: Handlers = {
    'exec.start': ({ request, context }, signal) => {
      const caller = checkedCaller(context.caller);
      const environment = neededEnvironment(context.environment);
      return exec(request, { ...mask(options), ...context, caller, environment }, signal);
    },
    'session.started': ({ caller, ticket }, signal) => tickets.session(caller, ticket, signal),
    ...sessionMethods(hostParts, sessions, (id) => {
      const request = requests.ofSession(id);
      if (request !== undefined) requests.detached(request.key);
    }),
    ...approvals.handlers,
    ...shared,
    'command.say': async (message) =>
      handleMessage(message, {
        settings: await settingsFor(message.folder, message.caller.agent),
        store,
        resolve: async (id, decision, by) => shared['approval.resolve']({ id, decision, by }),
        isPaired: (node) => nodeList.list().some(({ id, state }) => id === node && state === 'paired'),
        posture: async (caller) => (await reportFor(message.folder, caller)).posture,
      }),
    'policy.explain': ({ request, context }) => explain(request, context),
    'policy.replay': (asked, signal) => replay({ store, file, explain }, asked, signal),
    'policy.posture': ({ caller, folder, restrictions }) => reportFor(folder, checkedCaller(caller), restrictions),
    'sandbox.tool': (call, signal) => sandboxes.callTool({ ...call, caller: checkedCaller(call.caller) }, signal),
    'sandbox.explain': (asked) => sandboxes.explainSandbox(asked),
    'sandbox.list': () => sandboxes.list(),
    'sandbox.recreate': (asked) => sandboxes.recreate(asked),
    ...nodes.handlers,
    'node.choice': async ({ folder, agent = ALL_AGENTS }) => explainNode(await inputsFor(folder, { agent }), { agent }),
    'node.tool': async (call, signal) => {
      const caller = checkedCaller(call.caller);
      const inputs = await inputsFor(call.folder, caller, call.restrictions);
      return callNodeTool({ ...call, caller }, inputs, nodeFiles, signal);
    },
    ...auditMethods(store, now),
    ...rulesMethods({ file, store, now, inputsFor, onChanged: () => approvalRequests.rulesChanged() }),
    ...loginMethods(store, () => Math.trunc(now())),
    'notice.list': ({ after, limit, client }) => store.notices(after ?? 0, limit ?? 1_000, client),
    'daemon.status': status,
  };

  async function status(): Promise<DaemonStatus> {
    await sessions.findLeftovers();
    const { running, withLeftovers, finished, continuing } = sessions;
    return {
      pid: process.pid,
      version: options.version,
      startedAt,
      stateDir,
      socket: options.socket,
      sessions: {
        running,
        ...(withLeftovers === 0 ? {} : { withLeftovers }),
        ...(continuing === 0 ? {} : { onNodes: continuing }),
        finished,
      },
      pendingApprovals: approvals.count('pending'),
      memoryBytes: process.memoryUsage.rss(),
      ...nodes.status(),
    };
  }

  return {
    async call(method, params, signal) {
      const handler = handlers[method] as ((params: unknown, signal?: AbortSignal) => unknown) | undefined;
      if (handler === undefined)
        throw new Fault('GATEWAY_UNKNOWN_METHOD', `the gateway has no method ${JSON.stringify(method)}`);
      return (await handler(params, signal)) as never;
    },
    follow: ({ caller, sessionId, after }, listener, signal) =>
      sessions.follow(caller, sessionId, after ?? 0, listener, signal),
    notices: ({ after }, listener, signal) => board.follow(after ?? 0, listener, signal),
    auditEntries: ({ after }, listener, signal) => auditBoard.follow(after ?? 0, listener, signal),
    busy: () => sessions.running > sessions.continuing || sessions.withLeftovers > 0 || approvals.count('pending') > 0,
    hasRecord: () => sandboxes.hasRecord(),
    listenForNodes: (at) => nodes.listen(at),
    connectNats: (settings) => nodes.connectNats(settings),
    close: () =>
      closeAll([
        () => approvalRequests.close(),
        () => nodeApprovals.close(),
        ...[remoteMachines, sessions, thisMachine, sandboxes, nodes].map((part) => () => part.close()),
        () => file.flush(),
        () => store.close(),
      ]),
  };
}

function home(options: GatewayOptions): { readonly home?: string } {
  return options.home === undefined ? {} : { home: options.home };
}

function mask({ umask }: GatewayOptions): { readonly umask?: number } {
  return umask === undefined ? {} : { umask };
}
