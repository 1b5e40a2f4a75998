/** The paired machines as a host: a request is checked here, sent to its node, judged and run there, and mirrored here. */
import { randomUUID } from 'node:crypto';
import { Fault } from '../../../base/fault.ts';
import { decide } from '../../../policy/decide.ts';
import { environmentOf } from '../../../policy/environment.ts';
import { maskSecrets } from '../../../text/secrets/mask.ts';
import { actorOf } from '../../../wire/actor.ts';
import type { DenialReason, ExecOutcome } from '../../../wire/exec.ts';
import type { ChosenNode } from '../../../wire/chosen-node.ts';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import type { Judgement } from '../../../wire/policy.ts';
import { type OpenRequests, tooMuchOpen } from '../../approvals/approval-rows.ts';
import type { Host, RoutedRequest } from '../../host.ts';
import {
  createDispatcher,
  type NodeQuestion,
  type NodeRequest,
  NodeRefused,
  type NodeStart,
} from '../../nodes/dispatch.ts';
import type { RequestRecord } from '../../../wire/nodes/open-request.ts';
import type { Launch } from '../../process/launch.ts';
import { environmentRefused } from '../environment-refused.ts';
import { type Adoption, adoptRequests, type AdoptionParts, CHOSEN_BY_NODE } from './node-adoption.ts';
import type { AskedOnNode, NodeApprovals } from '../node-approvals/node-approvals.ts';
import type { Prepared, Ready } from '../prepare.ts';
import { awaitForeground, type Start, startSession } from '../start-session.ts';
import { finalJudgement, isRefusal, refusal, treatmentOf } from '../treatment.ts';

export interface NodeHostParts extends AdoptionParts {
  readonly approvals: () => Pick<NodeApprovals, 'asked' | 'questions' | 'idOf' | 'started' | 'gone' | 'taken' | 'left'>;
}

interface ReadyForNode extends Ready, Pick<Prepared, 'judgement'> {
  readonly node: NodeInfo;
  readonly chosen: ChosenNode;
}

export interface NodeHost extends Host {
  /** After a start of the gateway: continues the sessions of an earlier process. They run again when their node connects. */
  resume(): Promise<void>;
  /**
   * An approval request on a node was answered: looks up the request that waits for it, and makes its session one of this gateway,
   * or closes the request if nothing runs. Works from the row on disk, also after a restart of the gateway. Has no effect for
   * an approval of no open request, or while the node is not connected: its next link does the same.
   */
  answered(node: string, approval: string): Promise<void>;
  /** Whether a caller waits for the answer of a node to this request. */
  isAwaited(key: string): boolean;
  /** Continues with a request of another gateway. It is on disk when this returns. */
  readonly take: Adoption['take'];
  /** Another gateway continues with the request. */
  readonly leave: Adoption['leave'];
  /** Calls `report` when it is sure that this gateway reports the end of a session: of several gateways, one does. */
  reportEnd(sessionId: string, report: () => void): void;
}

export function nodeHost(parts: NodeHostParts): NodeHost {
  const { store, requests, now } = parts;
  const adoption = adoptRequests(parts, () => dispatcher);
  const isCopied = (node: string, approval: string): boolean => parts.approvals().idOf(node, approval) !== undefined;
  const dispatcher = createDispatcher({ ...parts, adopt: adoption.adopt, report: adoption.report, isCopied });

  function audit({ request, context, node }: ReadyForNode, event: 'denied', details: object): void {
    const where = { host: 'node', node: nameOf(node) };
    store.audit({ event, ...actorOf(context.caller), command: request.command, details: { ...where, ...details } });
  }

  /** The gateway denies it; nothing is sent. */
  function deny(ready: ReadyForNode, reason: DenialReason): ExecOutcome {
    if (reason !== 'tool-denied') audit(ready, 'denied', { reason, security: ready.effective.security });
    return refusal(ready, reason);
  }

  /** The node denies it, or a person has to approve it there. */
  function refusedByNode(ready: ReadyForNode, { outcome }: NodeRefused): ExecOutcome {
    const { node, warnings } = ready;
    if (outcome.status === 'denied') {
      audit(ready, 'denied', { reason: outcome.reason, by: 'node' });
      return { ...namingNode(outcome, 'message', node), warnings: [...warnings, ...outcome.warnings] };
    }
    const approval = parts.approvals().asked({ ...askedBy(ready), outcome });
    return { status: 'approval-pending', approval, warnings: [...warnings, ...outcome.warnings] };
  }

  /** Decided before anything is sent: what the node has asked already, it may still run. */
  function refusedQuestion(ready: ReadyForNode, open: OpenRequests): ExecOutcome {
    const reason = 'approval-unavailable';
    const { agent } = ready.context.caller;
    audit(ready, 'denied', { reason, openQuestions: open.number });
    return {
      status: 'denied',
      reason,
      message: `the command was not sent to node ${ready.node.name}: agent ${agent} already has ${tooMuchOpen(open)} pending approval requests on nodes`,
      hint: 'wait until a person has answered some of them (pincer approvals list), or until they expire',
      warnings: ready.warnings,
    };
  }

  return {
    async exec(routed, signal) {
      const ready = prepareForNode(routed);
      const treatment = treatmentOf(ready);
      if (isRefusal(treatment)) return deny(ready, treatment);
      const open = parts.approvals().questions.open(ready.context.caller.agent);
      if (tooMuchOpen(open) !== undefined) return refusedQuestion(ready, open);
      const node = nameOf(ready.node);
      const key = randomUUID();
      const request: NodeRequest = {
        key,
        node,
        signal,
        start: (launch, description) => nodeStart(ready, launch, description.path),
        record: (launch) => recordOf(ready, launch, now()),
      };
      const start: Start = {
        runner: dispatcher.launcher(request),
        stages: [CHOSEN_BY_NODE],
        node: ready.chosen,
        accepted(sessionId, note) {
          try {
            requests.started(key, { session: sessionId }, note);
          } finally {
            dispatcher.started(key);
          }
        },
      };
      try {
        return await awaitForeground(await startSession(parts, ready, start), ready, start, signal);
      } catch (error) {
        if (error instanceof NodeRefused) return refusedByNode(ready, error);
        throw error;
      }
    },
    async explain(routed) {
      const ready = prepareForNode(routed);
      const { judgement, effective, node, chosen } = ready;
      const treatment = treatmentOf(ready);
      if (isRefusal(treatment))
        return { judgement: finalJudgement(judgement, treatment), effective, runsOn: 'node', isJudged: true };
      const answer = await dispatcher.explain(nameOf(node), ({ path }) => nodeQuestion(ready, path));
      const { from, ...values } = answer.effective;
      return {
        judgement: namingNode(answer.judgement, 'reason', node),
        effective: { ...values, host: effective.host, node: node.name, from: { ...from, host: effective.from.host } },
        runsOn: 'node',
        isJudged: answer.judgement.code !== 'not-consulted',
        node: chosen,
      };
    },
    async resume() {
      for (const request of requests.list()) {
        if (request.attached === true) requests.wantKill(request.key);
        if (request.state === 'running') await adoption.resume(request).catch(parts.onTrouble);
      }
    },
    async answered(node, approval) {
      const request = requests.ofApproval(node, approval);
      if (request !== undefined) await dispatcher.resolve(request.key);
    },
    isAwaited: (key) => dispatcher.isAwaited(key),
    take: (request) => adoption.take(request),
    leave: (request, gateway) => adoption.leave(request, gateway),
    reportEnd(sessionId, report) {
      if (requests.isSessionShared(sessionId) === false) return report();
      const request = requests.ofSession(sessionId);
      if (request === undefined) return; // it was left to another gateway
      // Nothing waits for it: the servers may not answer for long.
      parts.ownership
        .claim(request.key)
        .then((isOurs) => {
          if (isOurs === false) adoption.forget(request);
          else if (isOurs === true && requests.ofSession(sessionId) !== undefined) report();
        })
        .catch(parts.onTrouble);
    },
    async close() {
      dispatcher.close();
    },
  };
}

/** Checks what the gateway decides: whether anything may be sent, and which variables. The node judges the command. */
function prepareForNode({ request, context, inputs: { settings }, route }: RoutedRequest) {
  const { node, nodeFrom, effective, warnings } = route;
  if (node === undefined) throw new Fault('INTERNAL_ERROR', 'a request for a node has no node');
  const { refused } = environmentOf({ inherited: {}, overrides: request.env ?? {} });
  if (refused.length > 0) throw environmentRefused(refused);
  const keepsPath = settings.pathPrepend.length > 0 && !acceptsPath(node);
  const judgement: Judgement =
    effective.security === 'deny'
      ? decide(effective, undefined)
      : {
          verdict: 'allow',
          code: 'not-consulted',
          reason: `the gateway sends the command, and node ${node.name} judges it by its own rules`,
          stages: [],
        };
  return {
    request,
    context,
    settings,
    effective,
    node,
    chosen: { ...nameOf(node), ...(nodeFrom === undefined ? {} : { from: nodeFrom }) },
    judgement,
    cwd: request.workdir ?? node.offer.workspace ?? '~',
    env: {},
    warnings: [
      ...warnings,
      ...settings.warnings,
      ...(keepsPath ? [`tools.exec.pathPrepend has no effect on node ${node.name}: a macOS node keeps its PATH`] : []),
    ],
  } satisfies ReadyForNode;
}

/** What decides on the node. Only the overrides of the call are sent; what a command inherits comes from the node. */
function nodeQuestion(ready: ReadyForNode, path: string): NodeQuestion {
  const { request, context, settings, effective, node } = ready;
  const { command, workdir, env, pty, timeout = settings.timeoutSec } = request;
  const { security, ask } = effective;
  const { agent, conversation } = context.caller;
  const { pathPrepend, denyRules } = settings;
  return {
    request: {
      command,
      ...(workdir === undefined ? {} : { workdir }),
      ...(env === undefined ? {} : { env }),
      ...(pty === undefined ? {} : { pty }),
      timeout,
      security,
      ask,
    },
    caller: { agent, ...(conversation === undefined ? {} : { conversation }) },
    ...(pathPrepend.length > 0 && acceptsPath(node) ? { path: [...pathPrepend, path].join(':') } : {}),
    ...(denyRules.length === 0 ? {} : { restrictions: { tools: { exec: { denyRules } } } }),
  };
}

function nodeStart(ready: ReadyForNode, launch: Launch, path: string): NodeStart {
  return {
    ...nodeQuestion(ready, path),
    streams: launch.streams,
    stdin: launch.stdin,
    ...(launch.pty === undefined ? {} : { size: launch.pty }),
    ...(ready.context.attached === true ? { attached: true as const } : {}),
  };
}

/** A text of the node, and its hint, which is about the configuration of that machine. */
function namingNode<T extends { readonly hint?: string } & Readonly<Record<K, string>>, K extends 'message' | 'reason'>(
  answer: T,
  text: K,
  { name }: NodeInfo,
): T {
  const hint = answer.hint === undefined ? {} : { hint: `on node ${name}: ${answer.hint}` };
  return { ...answer, [text]: `node ${name}: ${answer[text]}`, ...hint };
}

/** What the person who answers sees, and what the answer returns to the agent. */
function askedBy({ request, context, chosen }: ReadyForNode): Pick<AskedOnNode, 'node' | 'sent' | 'run'> {
  const { command, env = {}, yieldMs, background } = request;
  const { caller, folder, synchronous } = context;
  return {
    node: chosen,
    sent: { command, caller, env },
    run: {
      request: { ...(yieldMs === undefined ? {} : { yieldMs }), ...(background === undefined ? {} : { background }) },
      context: { caller, folder, ...(synchronous === undefined ? {} : { synchronous }) },
    },
  };
}

/** What the session needs after a restart of the gateway. */
function recordOf(ready: ReadyForNode, launch: Launch, sentAt: number): RequestRecord {
  const { request, context, settings, cwd, chosen } = ready;
  const { notifyOnExit, notifyOnExitEmptySuccess, approvalRunningNoticeMs, maxLogBytes, cleanupMs } = settings;
  const { text: command, masked } = maskSecrets(request.command);
  return {
    node: chosen,
    caller: actorOf(context.caller),
    command,
    ...(masked ? { masked } : {}),
    cwd,
    sentAt: Math.trunc(sentAt),
    timeout: request.timeout ?? settings.timeoutSec,
    ...(launch.pty === undefined ? {} : { pty: launch.pty }),
    stdin: launch.stdin,
    ...(context.attached === true ? { attached: true as const } : {}),
    settings: { notifyOnExit, notifyOnExitEmptySuccess, approvalRunningNoticeMs, maxLogBytes, cleanupMs },
  };
}

function acceptsPath({ platform }: NodeInfo): boolean {
  return platform !== 'darwin';
}

function nameOf({ id, name }: NodeInfo): { readonly id: string; readonly name: string } {
  return { id, name };
}
