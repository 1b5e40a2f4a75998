/** The elevated mode: a command of a sandboxed agent that runs on this machine instead, where the operator lets it. */
import { Fault } from '../../base/fault.ts';
import { effectivePolicy, type PolicyLayers } from '../../policy/effective.ts';
import type { Caller, ExecRequest } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/policy.ts';
import type { ElevatedLevel, ExecSettings } from '../../wire/settings.ts';
import type { Elevation } from '../host.ts';

interface Elevating {
  readonly request: Pick<ExecRequest, 'elevated'>;
  readonly caller: Caller;
  readonly settings: ExecSettings['elevated'];
  /** What the conversation says, over the default. */
  readonly level: ElevatedLevel | undefined;
}

/** How a command of a sandboxed agent is elevated; a fault where it asks to be and may not. */
export function elevationOf({ request, caller, settings, level }: Elevating): Elevation {
  const usual = level ?? settings.default;
  const closed = closedGate(settings, caller);
  if (request.elevated === false) return 'off';
  if (request.elevated === undefined && (usual === 'off' || closed !== undefined)) return 'off';
  if (closed !== undefined)
    throw new Fault('EXEC_ELEVATED_REFUSED', `elevated is refused: ${closed}`, {
      hint: 'leave elevated out to run in the sandbox; only the operator can open this',
      details: { agent: caller.agent },
    });
  return usual === 'full' ? 'full' : 'ask';
}

/** The first gate that is closed, in words. */
function closedGate({ enabled, allowFrom }: ExecSettings['elevated'], caller: Caller): string | undefined {
  if (!enabled) return 'tools.elevated.enabled is not true';
  if (caller.operator === true) return undefined;
  const { agent, conversation } = caller;
  const isAllowed = allowFrom.some((name) => name === '*' || name === agent || name === conversation);
  return isAllowed ? undefined : `tools.elevated.allowFrom names neither ${JSON.stringify(agent)} nor its conversation`;
}

/**
 * The policy of an elevated command. What the operator has closed on this machine stays closed: a file of approvals that denies,
 * or is broken, is stronger.
 */
export function elevatedPolicy(layers: PolicyLayers, elevation: 'ask' | 'full'): EffectivePolicy {
  const policy = effectivePolicy({ ...layers, call: { ...layers.call, host: 'gateway' } });
  const from = { ...policy.from, host: 'elevated' };
  const { approvals, call } = layers;
  if (elevation === 'ask' || approvals.broken !== undefined || approvals.security === 'deny')
    return { ...policy, from };
  return {
    ...policy,
    // A call may still ask for less than it could have.
    security: call.security ?? 'full',
    ask: call.ask ?? 'off',
    from: { ...from, security: 'elevated', ask: 'elevated' },
  };
}

/**
 * The policy of a command that a sandboxed agent sends to this machine by `host` alone. Nobody has opened the gate of elevated for
 * it, so it never runs unjudged here, however loose this machine's own settings are.
 */
export function leavingPolicy(policy: EffectivePolicy): EffectivePolicy {
  const { security, ask, from } = policy;
  return {
    ...policy,
    security: security === 'full' ? 'allowlist' : security,
    ask: ask === 'off' ? 'on-miss' : ask,
    from: {
      ...from,
      ...(security === 'full' ? { security: 'sandbox' } : {}),
      ...(ask === 'off' ? { ask: 'sandbox' } : {}),
    },
  };
}
