/** The paired machines as a host: a request is checked here, sent to its node, judged and run there, and mirrored here. */
import { Fault } from '../../base/fault.ts';
import { decide } from '../../policy/decide.ts';
import { environmentOf } from '../../policy/environment.ts';
import { actorOf } from '../../wire/actor.ts';
import type { DenialReason, ExecOutcome } from '../../wire/exec.ts';
import type { NodeInfo } from '../../wire/node.ts';
import type { Judgement } from '../../wire/policy.ts';
import type { Host, RoutedRequest } from '../host.ts';
import {
  createDispatcher,
  type DispatcherOptions,
  NodeRefused,
  type NodeStart,
  type SentKey,
} from '../nodes/dispatch.ts';
import type { Launch } from '../process/launch.ts';
import { environmentRefused } from './environment-refused.ts';
import type { Prepared, Ready } from './prepare.ts';
import { awaitForeground, type HostParts, type Start, startSession } from './start-session.ts';
import { finalJudgement, refusal, treatmentOf } from './treatment.ts';

export interface NodeHostParts extends HostParts, DispatcherOptions {}

interface ReadyForNode extends Ready, Pick<Prepared, 'judgement'> {
  readonly node: NodeInfo;
}

export function nodeHost(parts: NodeHostParts): Host {
  const { store } = parts;
  const dispatcher = createDispatcher(parts);

  function audit({ request, context, node }: ReadyForNode, event: 'asked' | 'denied', details: object): void {
    const where = { host: 'node', node: nameOf(node) };
    store.audit({ event, ...actorOf(context.caller), command: request.command, details: { ...where, ...details } });
  }

  /** The gateway denies it; nothing is sent. */
  function deny(ready: ReadyForNode, reason: DenialReason): ExecOutcome {
    if (reason !== 'tool-denied') audit(ready, 'denied', { reason, security: ready.effective.security });
    return refusal(ready, reason);
  }

  /** The node denies it, or a person has to approve it there. */
  function refusedByNode(ready: ReadyForNode, { outcome, sent }: NodeRefused): ExecOutcome {
    const { node, warnings } = ready;
    if (outcome.status === 'denied') {
      audit(ready, 'denied', { reason: outcome.reason, by: 'node' });
      const message = `node ${node.name}: ${outcome.message}`;
      return { ...outcome, message, warnings: [...warnings, ...outcome.warnings] };
    }
    const { id, createdAt, expiresAt } = outcome.approval;
    audit(ready, 'asked', { nodeApprovalId: id });
    afterAnswer(ready, sent, expiresAt - createdAt + LATE_START_MS).catch(parts.onTrouble);
    const approval = { ...outcome.approval, node: nameOf(node) };
    return { ...outcome, approval, warnings: [...warnings, ...outcome.warnings] };
  }

  /** A command that a person allows on the node is a background session here, like one that is allowed at the gateway. */
  async function afterAnswer(ready: ReadyForNode, sent: SentKey, ms: number): Promise<void> {
    const runner = await dispatcher.answered(sent, ms);
    if (runner === undefined) return;
    const { attached: _, synchronous: __, ...context } = ready.context;
    const request = { ...ready.request, background: true };
    await startSession(parts, { ...ready, request, context }, { runner, stages: [CHOSEN_BY_NODE], node: sent.node });
  }

  return {
    async exec(routed, signal) {
      const ready = prepareForNode(routed);
      const treatment = treatmentOf(ready);
      if (treatment !== 'run' && treatment !== 'ask') return deny(ready, treatment);
      const node = nameOf(ready.node);
      const runner = dispatcher.launcher({
        node,
        signal,
        start: (launch, description) => nodeStart(ready, launch, description.path),
      });
      const start: Start = { runner, stages: [CHOSEN_BY_NODE], node };
      try {
        return await awaitForeground(await startSession(parts, ready, start), ready, start, signal);
      } catch (error) {
        if (error instanceof NodeRefused) return refusedByNode(ready, error);
        throw error;
      }
    },
    async explain(routed) {
      const ready = prepareForNode(routed);
      const { judgement, effective } = ready;
      return { judgement: finalJudgement(judgement, treatmentOf(ready)), effective };
    },
    async close() {
      dispatcher.close();
    },
  };
}

/** An answer just before the approval request expires starts the command a little later. */
const LATE_START_MS = 60_000;
const CHOSEN_BY_NODE = { file: '', argv: [] };

/** Checks what the gateway decides: whether anything may be sent, and which variables. The node judges the command. */
function prepareForNode({ request, context, inputs: { settings }, route }: RoutedRequest) {
  const { node, effective, warnings } = route;
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

/** Only the overrides of the call are sent; what a command inherits comes from the node. */
function nodeStart(ready: ReadyForNode, launch: Launch, path: string): NodeStart {
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
    streams: launch.streams,
    stdin: launch.stdin,
    ...(launch.pty === undefined ? {} : { size: launch.pty }),
    ...(context.attached === true ? { attached: true as const } : {}),
    ...(pathPrepend.length > 0 && acceptsPath(node) ? { path: [...pathPrepend, path].join(':') } : {}),
    ...(denyRules.length === 0 ? {} : { restrictions: { tools: { exec: { denyRules } } } }),
  };
}

function acceptsPath({ platform }: NodeInfo): boolean {
  return platform !== 'darwin';
}

function nameOf({ id, name }: NodeInfo): { readonly id: string; readonly name: string } {
  return { id, name };
}
