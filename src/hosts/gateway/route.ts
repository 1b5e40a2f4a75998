/** Where a request runs and which policy decides about it: `prepare` uses it to run, the posture to describe. */
import { Fault } from '../../base/fault.ts';
import { effectivePolicy } from '../../policy/effective.ts';
import { chooseNode, COMMANDS, type NodeChoice, type NodeLayers } from '../../policy/node-choice.ts';
import type { Caller, ExecContext, ExecRequest, HostName } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/policy.ts';
import type { PolicyInputs, Route } from '../host.ts';
import { sandboxingIsOff } from '../sandbox/off.ts';
import { isSandboxed } from '../sandbox/owner.ts';
import { elevatedPolicy, elevationOf, policyOutsideSandbox } from './elevation.ts';
import { guestPolicy } from './inside/guest-sandbox.ts';

/** Throws a fault for a host that cannot be used. */
export function routeOf(
  request: ExecRequest,
  {
    caller,
    sandboxOnly,
    guestSandbox,
    personOnly,
  }: Pick<ExecContext, 'caller' | 'sandboxOnly' | 'guestSandbox' | 'personOnly'>,
  inputs: PolicyInputs,
): Route {
  const { settings, approvals, conversation } = inputs;
  const layers = { config: settings, conversation, call: request, approvals };
  const usual = effectivePolicy(layers);
  const hasSandbox = isSandboxed(settings.sandbox, caller);
  const inside = (warnings: readonly string[]): Route => ({
    isInside: true,
    hasSandbox,
    isJudged: false,
    runsOn: 'sandbox',
    effective: { ...usual, host: 'sandbox' },
    elevation: 'off',
    warnings,
  });
  if (sandboxOnly === true || guestSandbox === true) {
    if (!hasSandbox) throw sandboxingIsOff(`the agent ${caller.agent}`);
    return guestSandbox === true ? { ...inside([]), isJudged: true, effective: guestPolicy(layers) } : inside([]);
  }
  const { host: chosen, sandboxed, warnings } = chooseHost(request, usual, hasSandbox);
  if (chosen === 'node') {
    const choice = nodeOf(request, inputs);
    if ('fault' in choice) throw choice.fault;
    // The approvals file is that of this machine, and the node has its own. What forbids all commands forbids these, too.
    const { approvals } = layers;
    const isForbidden = approvals.broken !== undefined || approvals.security === 'deny';
    const policy = effectivePolicy({ ...layers, approvals: isForbidden ? approvals : {} });
    const effective = hasSandbox && isChosenByCall(usual, caller) ? policyOutsideSandbox(policy) : policy;
    const { node, from: nodeFrom } = choice;
    const where = { isInside: false, hasSandbox, runsOn: 'node', node, nodeFrom } as const;
    return { ...where, isJudged: true, effective, elevation: 'off', warnings };
  }
  const elevation = sandboxed
    ? elevationOf({ request, caller, settings: settings.elevated, level: conversation.elevated })
    : 'off';
  if (sandboxed && elevation === 'off') return inside(warnings);
  const leaves = hasSandbox && isChosenByCall(usual, caller);
  const effective =
    elevation !== 'off' ? elevatedPolicy(layers, elevation) : leaves ? policyOutsideSandbox(usual) : usual;
  const host = elevation === 'off' ? chosen : effective.host;
  // A call that wants to leave the sandbox is asked about, and so is what only a person may answer.
  const isJudged = host !== 'sandbox';
  const stays = elevation === 'off' && !leaves && personOnly !== true;
  const onMiss = isJudged && stays && settings.onMiss === 'sandbox' ? { onMiss: settings.onMiss } : {};
  return {
    isInside: false,
    hasSandbox,
    isJudged,
    runsOn: 'gateway',
    effective: { ...effective, host, ...onMiss },
    elevation,
    warnings,
  };
}

/** The person at the command line chose the host personally. */
function isChosenByCall({ from }: EffectivePolicy, caller: Caller): boolean {
  return from.host === 'call' && caller.operator !== true;
}

interface Choice {
  readonly host: HostName;
  /** It runs in a sandbox, unless it is elevated. */
  readonly sandboxed: boolean;
  readonly warnings: readonly string[];
}

/** A call may choose a host that is judged more strictly than the configured one, never less strictly. */
function chooseHost(request: ExecRequest, effective: EffectivePolicy, hasSandbox: boolean): Choice {
  const host = request.host ?? effective.host;
  if (host !== effective.host && host === 'sandbox')
    throw new Fault(
      'EXEC_HOST_REFUSED',
      `host=sandbox is refused: commands run on ${effective.host} here, where they are judged`,
      {
        hint: 'omit host; an authorised person can change it with /exec host=sandbox',
        details: { requested: host, configured: effective.host },
      },
    );
  if (host === 'node') {
    const isElevated = request.elevated === true;
    return { host, sandboxed: false, warnings: isElevated ? ['elevated has no effect on a node'] : [] };
  }
  if (request.node !== undefined)
    throw new Fault(
      'EXEC_NODE_REFUSED',
      `node=${JSON.stringify(request.node)} is refused: the command would run on host=${host}`,
      {
        hint: 'leave node out, or give host=node as well (on the command line: --host node)',
      },
    );
  const sandboxed = hasSandbox && host === 'sandbox';
  if (sandboxed || request.elevated !== true) return { host, sandboxed, warnings: [] };
  const why = hasSandbox ? 'the command runs' : 'sandboxing is off, and commands run';
  return { host, sandboxed, warnings: [`elevated has no effect: ${why} on this machine already`] };
}

/** The node of a command that runs on one, by all layers. */
export function nodeOf(
  { node }: Pick<ExecRequest, 'node'>,
  { settings, conversation, nodes, noLinks }: PolicyInputs,
): NodeChoice {
  const layers = { call: node, conversation: conversation.node, ...configuredNode(settings) };
  return chooseNode(layers, nodes?.() ?? [], settings.nodes, COMMANDS, noLinks?.());
}

/** An agent's own entry overrides the setting of all agents. */
function configuredNode({ node, places }: PolicyInputs['settings']): Pick<NodeLayers, 'agent' | 'global'> {
  return places.node.path.startsWith('agents.') ? { agent: node } : { global: node };
}
