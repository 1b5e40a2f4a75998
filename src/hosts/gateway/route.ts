/** Where a request runs and which policy decides about it: `prepare` uses it to run, the posture to describe. */
import { effectivePolicy } from '../../policy/effective.ts';
import type { Caller, ExecContext, ExecRequest } from '../../wire/exec.ts';
import type { EffectivePolicy } from '../../wire/policy.ts';
import type { PolicyInputs, Route } from '../host.ts';
import { sandboxingIsOff } from '../sandbox/off.ts';
import { isSandboxed } from '../sandbox/owner.ts';
import { elevatedPolicy, elevationOf, policyOutsideSandbox } from './elevation.ts';
import { chooseHost } from './host-choice.ts';

/** Throws a fault for a host that cannot be used. */
export function routeOf(
  request: ExecRequest,
  { caller, sandboxOnly }: Pick<ExecContext, 'caller' | 'sandboxOnly'>,
  { settings, approvals, conversation }: PolicyInputs,
): Route {
  const layers = { config: settings, conversation, call: request, approvals };
  const usual = effectivePolicy(layers);
  const hasSandbox = isSandboxed(settings.sandbox, caller);
  const inside = (warnings: readonly string[]): Route => ({
    isInside: true,
    hasSandbox,
    isJudged: false,
    effective: { ...usual, host: 'sandbox' },
    elevation: 'off',
    warnings,
  });
  if (sandboxOnly === true) {
    if (!hasSandbox) throw sandboxingIsOff(`the agent ${caller.agent}`);
    return inside([]);
  }
  const { host: chosen, sandboxed, warnings } = chooseHost(request, usual, hasSandbox);
  const elevation = sandboxed
    ? elevationOf({ request, caller, settings: settings.elevated, level: conversation.elevated })
    : 'off';
  if (sandboxed && elevation === 'off') return inside(warnings);
  const leaves = hasSandbox && isChosenByCall(usual, caller);
  const effective =
    elevation !== 'off' ? elevatedPolicy(layers, elevation) : leaves ? policyOutsideSandbox(usual) : usual;
  const host = elevation === 'off' ? chosen : effective.host;
  return {
    isInside: false,
    hasSandbox,
    isJudged: host !== 'sandbox',
    effective: { ...effective, host },
    elevation,
    warnings,
  };
}

/** The person at the command line chose the host personally. */
function isChosenByCall({ from }: EffectivePolicy, caller: Caller): boolean {
  return from.host === 'call' && caller.operator !== true;
}
