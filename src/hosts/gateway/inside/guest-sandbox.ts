/**
 * Commands of a gateway in a sandbox of this machine, its node. The sandbox replaces the allowlist and the questions; what this
 * machine or the gateway forbids stays forbidden, as with security=full and ask=off.
 */
import { decide } from '../../../policy/decide.ts';
import { effectivePolicy, type PolicyLayers } from '../../../policy/effective.ts';
import { environmentOf } from '../../../policy/environment.ts';
import { judgeCall } from '../../../policy/judge.ts';
import type { EffectivePolicy, Judgement } from '../../../wire/policy.ts';
import type { PolicyInputs, RoutedRequest } from '../../host.ts';
import { createLookup } from '../../process/programs/which.ts';
import { workspaceFor } from '../../process/programs/workspace.ts';
import { guestSandbox } from '../../sandbox/owner.ts';
import { PATH_INSIDE } from '../../sandbox/profile.ts';
import { ifBroken } from '../prepare.ts';
import { rulesOfShell } from '../rules.ts';
import { outsidePath } from '../sandbox-command.ts';

export function forGuestSandbox(inputs: PolicyInputs): PolicyInputs {
  return { ...inputs, settings: { ...inputs.settings, sandbox: guestSandbox(inputs.settings.sandbox) } };
}

/** `deny` of any layer counts. The default of host=sandbox is `deny` too, but it is no setting of an operator. */
export function guestPolicy(layers: PolicyLayers): EffectivePolicy {
  const policy = effectivePolicy({ ...layers, call: { ...layers.call, host: 'gateway' } });
  const from = { ...policy.from, host: 'node.sandbox', ask: 'node.sandbox' };
  if (policy.security === 'deny') return { ...policy, host: 'sandbox', ask: 'off', from };
  return { ...policy, host: 'sandbox', security: 'full', ask: 'off', from: { ...from, security: 'node.sandbox' } };
}

/** Undefined where no rule can forbid the command. Programs are looked up on this machine, whose folders the sandbox has. */
export function guestJudgement(
  { request, context, inputs, route: { effective } }: RoutedRequest,
  cwd: string,
): Judgement | undefined {
  if (effective.security === 'deny') return ifBroken(decide(effective, undefined), inputs);
  const rules = rulesOfShell(inputs);
  if (rules.deny.length === 0) return undefined;
  const folder = outsidePath(context.folder, cwd);
  const lookup = createLookup({ path: PATH_INSIDE, cwd: folder, workspace: workspaceFor(context.folder, folder) });
  const { command, pty = false, env = {} } = request;
  const { unlisted } = environmentOf({ inherited: {}, overrides: env, sandboxed: true });
  return decide(effective, judgeCall({ command, unlisted, pty, isBash: false }, rules, lookup, folder));
}
