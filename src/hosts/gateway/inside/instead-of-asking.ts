/** Commands that run in the sandbox of the agent instead of asking a person. */
import type { ExecOutcome } from '../../../wire/exec.ts';
import type { SandboxSettings } from '../../../wire/sandbox.ts';
import type { PolicyInputs, RoutedRequest } from '../../host.ts';
import { isSandboxed, sandboxOfMisses } from '../../sandbox/owner.ts';
import type { Caller } from '../../../wire/exec.ts';
import type { Prepared } from '../prepare.ts';
import { reachText } from '../posture/posture-limits.ts';

export interface InsteadOfAsking {
  /** Why the sandbox cannot be used for this request; undefined where it can. Where the command is about to start, it is opened. */
  whyNot(routed: RoutedRequest, isStarting: boolean): Promise<string | undefined>;
  exec(routed: RoutedRequest, judged: Prepared, signal?: AbortSignal): Promise<ExecOutcome>;
}

/** The request as one of a sandboxed agent. It is judged already. */
export function routedInside({ request, context, inputs, route }: RoutedRequest): RoutedRequest {
  return {
    request,
    context,
    inputs: forMisses(inputs),
    route: { ...route, isInside: true, hasSandbox: true, isJudged: false, runsOn: 'sandbox' },
  };
}

function forMisses(inputs: PolicyInputs): PolicyInputs {
  return { ...inputs, settings: { ...inputs.settings, sandbox: sandboxOfMisses(inputs.settings.sandbox) } };
}

/** The settings of the sandbox in which commands of the caller may run; undefined where none does. */
export function sandboxInUse({ settings, approvals }: PolicyInputs, caller: Caller): SandboxSettings | undefined {
  if (isSandboxed(settings.sandbox, caller)) return settings.sandbox;
  const isUsed = settings.onMiss === 'sandbox' || approvals.allowlist.some(({ where }) => where === 'sandbox');
  return isUsed ? sandboxOfMisses(settings.sandbox) : undefined;
}

/** `the sandbox (bubblewrap: no network, workspace writable)`. */
export function sandboxText(sandbox: SandboxSettings): string {
  return `the sandbox (${sandbox.backend}: ${reachText(sandbox)})`;
}
