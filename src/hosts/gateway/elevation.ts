/** Elevated mode: a command of a sandboxed agent runs on this machine instead, where the operator permits it. */
import { Fault } from '../../base/fault.ts';
import { effectivePolicy, type PolicyLayers } from '../../policy/effective.ts';
import type { Caller, ExecRequest } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/policy.ts';
import type { ElevatedLevel, ExecSettings } from '../../wire/settings.ts';
import type { Elevation } from '../host.ts';

interface ElevationInputs {
  readonly request: Pick<ExecRequest, 'elevated'>;
  readonly caller: Caller;
  readonly settings: ExecSettings['elevated'];
  /** The level of the conversation, which overrides the default. */
  readonly level: ElevatedLevel | undefined;
}

/** How a command of a sandboxed agent is elevated; a fault where it requests elevation and may not have it. */
export function elevationOf({ request, caller, settings, level }: ElevationInputs): Elevation {
  const usual = level ?? settings.default;
  const unmet = unmetCondition(settings, caller);
  if (request.elevated === false) return 'off';
  if (request.elevated === undefined && (usual === 'off' || unmet !== undefined)) return 'off';
  if (unmet !== undefined)
    throw new Fault('EXEC_ELEVATED_REFUSED', `elevated is refused: ${unmet}`, {
      hint: 'leave elevated out to run in the sandbox; only the operator can change this',
      details: { agent: caller.agent },
    });
  return usual === 'full' ? 'full' : 'ask';
}

/** The first condition that is not met. */
function unmetCondition({ enabled, allowFrom }: ExecSettings['elevated'], caller: Caller): string | undefined {
  if (!enabled) return 'tools.elevated.enabled is not true';
  if (caller.operator === true) return undefined;
  const { agent, conversation } = caller;
  const isAllowed = allowFrom.some((name) => name === '*' || name === agent || name === conversation);
  return isAllowed ? undefined : `tools.elevated.allowFrom names neither ${JSON.stringify(agent)} nor its conversation`;
}

/** The policy of an elevated command. An approvals file that denies, or is broken, takes precedence. */
export function elevatedPolicy(layers: PolicyLayers, elevation: 'ask' | 'full'): EffectivePolicy {
  const policy = effectivePolicy({ ...layers, call: { ...layers.call, host: 'gateway' } });
  const from = { ...policy.from, host: 'elevated' };
  const { approvals, call } = layers;
  if (elevation === 'ask' || approvals.broken !== undefined || approvals.security === 'deny')
    return { ...policy, from };
  return {
    ...policy,
    // A call may request less than it could have.
    security: call.security ?? 'full',
    ask: call.ask ?? 'off',
    from: { ...from, security: 'elevated', ask: 'elevated' },
  };
}

/**
 * The policy of a command that a sandboxed agent sends to this machine with `host` alone. The operator did not permit elevation
 * for it, so it is always judged, however permissive this machine's own settings are.
 */
export function policyOutsideSandbox(policy: EffectivePolicy): EffectivePolicy {
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
